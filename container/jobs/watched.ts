// Starts engines while the service already listens, and retries those that do not start. Knows none of them.

import { EngineFailure } from "../../src/core/failure.ts";
import { untilAborted } from "../processes/until-aborted.ts";

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

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export class Watched<E extends Engine> {
  /** Resolves when the engine has started, however late. */
  readonly running: Promise<E>;
  readonly #settings: WatchedSettings<E>;
  readonly #started = Promise.withResolvers<E>();
  /** The first start; after a failed one, that failure until there is an engine. */
  #current: Promise<E>;
  #engine: E | undefined;
  #failure: string | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(settings: WatchedSettings<E>) {
    this.#settings = settings;
    this.running = this.#started.promise;
    this.#current = this.#start(FIRST_PAUSE_MS);
  }

  get mode(): string {
    return this.#engine?.mode ?? (this.#failure === undefined ? "starting" : "failed");
  }

  /**
   * Waits for the first start, unless the job is ended. After a failed start, rejects without waiting.
   * @throws EngineFailure `busy` when the engine could not be started
   */
  async ready(signal: AbortSignal): Promise<E> {
    try {
      return await untilAborted(this.#current, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new EngineFailure("busy", `${this.#settings.name} cannot be started: ${error}`, { cause: error });
    }
  }

  /** Closes the engine. An engine that is still starting is closed once it has started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    await this.#engine?.close().catch(() => {});
  }

  #start(pauseMs: number): Promise<E> {
    const starting = this.#settings.start();
    starting.then(
      (engine) => {
        this.#engine = engine;
        this.#current = starting;
        this.#started.resolve(engine);
        if (this.#isClosed) void this.close();
      },
      (error: unknown) => this.#fail(starting, String(error), pauseMs),
    );
    return starting;
  }

  #fail(failed: Promise<E>, failure: string, pauseMs: number): void {
    if (this.#isClosed) return;
    if (failure !== this.#failure) this.#settings.log(`${this.#settings.name} cannot be started`, { error: failure });
    this.#failure = failure;
    this.#current = failed;
    const again = () => void this.#start(Math.min(2 * pauseMs, LONGEST_PAUSE_MS)).catch(() => {});
    this.#retry = setTimeout(again, pauseMs).unref();
  }
}
