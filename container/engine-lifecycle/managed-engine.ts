// Starts an engine when its turn in the start order comes, while the service already listens. Retries a failed start.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { EngineState } from "../supervision/engine-state.ts";
import { Restarter } from "../supervision/restarter.ts";
import type { StartHandle } from "./start-order.ts";

interface Engine {
  /** State once the engine has started. */
  readonly state: EngineState;
  close(): Promise<void>;
}

export interface WatchedSettings<E> {
  /** The engine's name, for the log. */
  readonly name: string;
  /** The engine's position in the start order. */
  readonly startHandle: StartHandle;
  /** Starts the engine. Cleans up after a failure. */
  start(): Promise<E>;
  log(message: string, details?: Record<string, unknown>): void;
}

const PAUSES = { initialDelayMs: 0, minBackoffMs: 1_000, maxBackoffMs: 30_000 };

export class ManagedEngine<E extends Engine> {
  /** Resolves when the engine has started, even if this takes several retries. */
  readonly running: Promise<E>;
  readonly #name: string;
  readonly #startHandle: StartHandle;
  readonly #keeper: Restarter<E>;
  #isStarted = false;
  #isAsked = false;

  constructor({ name, startHandle, start, log }: WatchedSettings<E>) {
    const running = Promise.withResolvers<E>();
    this.running = running.promise;
    this.#name = name;
    this.#startHandle = startHandle;
    let logged: string | undefined;
    this.#keeper = new Restarter<E>({
      start: (closing) =>
        startHandle.run(async () => {
          closing.throwIfAborted();
          return start();
        }),
      started: running.resolve,
      failed: (failure) => {
        const error = String(failure);
        if (error !== logged) log("engine not started", { engine: name, error });
        logged = error;
        return failure as Error;
      },
      end: (engine) => engine.close().catch(() => {}),
    });
  }

  get state(): EngineState {
    const { current, failure } = this.#keeper;
    if (current) return current.state;
    if (failure) return "failed";
    return this.#isStarted ? "starting" : "off";
  }

  /** The engine, if it has started. */
  get current(): E | undefined {
    return this.#keeper.current;
  }

  /** True once a job has requested the engine. */
  get isRequested(): boolean {
    return this.#isAsked;
  }

  /** Starts the engine when the start order allows it. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#keeper.start(PAUSES);
  }

  /**
   * Starts the engine immediately, if it has not started. Waits for its first start or the job's abort. Rejects without
   * waiting if the last start failed.
   * @throws EngineFailure `busy` if the engine could not be started
   */
  async ready(signal: AbortSignal): Promise<E> {
    this.#isAsked = true;
    this.#startHandle.prioritize();
    this.start();
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
