// Keeps the engine server running for the lifetime of the host. While the server does not run, the app can run only
// jobs that need no container.

import { setTimeout as pause } from "node:timers/promises";
import type { Log } from "../src/runtime/log-line.ts";
import { type EngineServer, type EngineSettings, Misconfigured, startEngineServer } from "./engines.ts";

const MIN_BACKOFF_MS = 500;
const MAX_BACKOFF_MS = 30_000;

export class EngineServerSupervisor {
  readonly #settings: Omit<EngineSettings, "port">;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #supervision: Promise<void>;
  readonly #tried = Promise.withResolvers<void>();
  #server: EngineServer | undefined;

  constructor(settings: Omit<EngineSettings, "port">, log: Log) {
    this.#settings = settings;
    this.#log = log;
    this.#supervision = this.#keep();
  }

  /**
   * Resolves after the first attempt to start the server, even if it failed. Rejects with Misconfigured if further
   * attempts would fail for the same reason.
   */
  get firstAttempt(): Promise<void> {
    return this.#tried.promise;
  }

  /** Environment variables with which the app connects to the server; empty if it does not run. */
  get vars(): EngineServer["vars"] {
    return this.#server?.vars ?? {};
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#server?.stop();
    await this.#supervision;
  }

  /** Kills the server. */
  kill(): void {
    this.#closing.abort();
    this.#server?.kill();
  }

  async #keep(): Promise<void> {
    const { signal } = this.#closing;
    for (let pauseMs = MIN_BACKOFF_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_BACKOFF_MS)) {
      try {
        this.#server = await startEngineServer(this.#settings);
        this.#tried.resolve();
        pauseMs = MIN_BACKOFF_MS;
        if (signal.aborted) await this.#server.stop();
        await this.#server.ended;
        if (!signal.aborted) this.#log("engine server restarted");
      } catch (error) {
        if (error instanceof Misconfigured) return this.#tried.reject(error);
        this.#tried.resolve();
        this.#log("engine server not started", { error: String(error) });
      }
      this.#server = undefined;
      await pause(pauseMs, undefined, { signal }).catch(() => {});
    }
  }
}
