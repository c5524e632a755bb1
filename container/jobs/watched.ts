// Starts engines while the service already listens, and retries those that do not start. Knows nothing about any
// particular engine.

import { EngineFailure } from "../../src/core/failure.ts";
import { Keeper } from "../processes/keeper.ts";

interface Engine {
  /** How the engine runs, for the health response. */
  readonly mode: string;
  close(): Promise<void>;
}

export interface WatchedSettings<E> {
  /** The engine's name, for the log. */
  readonly name: string;
  /** Starts the engine, and leaves nothing behind when that fails. */
  start(): Promise<E>;
  log(message: string, details?: Record<string, unknown>): void;
}

const PAUSES = { beforeMs: 0, firstMs: 1_000, longestMs: 30_000 };

export class Watched<E extends Engine> {
  /** Resolves when the engine has started, however late. */
  readonly running: Promise<E>;
  readonly #name: string;
  readonly #keeper: Keeper<E>;

  constructor({ name, start, log }: WatchedSettings<E>) {
    const running = Promise.withResolvers<E>();
    this.running = running.promise;
    this.#name = name;
    let logged: string | undefined;
    this.#keeper = new Keeper<E>({
      start,
      started: running.resolve,
      failed: (failure) => {
        const error = String(failure);
        if (error !== logged) log("engine not started", { engine: name, error });
        logged = error;
        return failure as Error;
      },
      end: (engine) => engine.close().catch(() => {}),
    });
    void this.#keeper.start(PAUSES);
  }

  get mode(): string {
    return this.#keeper.current?.mode ?? (this.#keeper.failure ? "failed" : "starting");
  }

  /**
   * Waits for the first start, unless the job is ended. After a failed start, rejects without waiting.
   * @throws EngineFailure `busy` when the engine could not be started
   */
  async ready(signal: AbortSignal): Promise<E> {
    try {
      return await this.#keeper.ready(signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new EngineFailure("busy", `${this.#name} cannot be started: ${error}`, { cause: error });
    }
  }

  /** Closes the engine. An engine that is still starting is closed once it has started. */
  async close(): Promise<void> {
    await this.#keeper.close();
  }
}
