// Runs work once for all concurrent callers that need the same result.

import { EngineFailure } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";

interface Running<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readers: number;
}

/** Shares running work between callers, by key. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * Starts the work, or waits for running work with the same key. Aborts the work when all its callers have aborted.
   * Each caller waits for a limited time.
   * @throws EngineFailure `busy` if this caller has waited too long; the error of the work
   * @throws the signal's reason when aborted
   */
  async run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, start);
    running.readers++;
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    // If the platform ends the request that started the work, the work never settles.
    const onTimeout = () => reject(new EngineFailure("busy", `${key} timed out`));
    const timer = setTimeout(onTimeout, LIMITS.requestJobMs);
    signal.addEventListener("abort", onAbort);
    try {
      return await Promise.race([running.result, promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      running.readers--;
      if (running.readers === 0) this.#end(key, running);
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const running = { result: start(controller.signal), controller, readers: 0 };
    running.result.catch(() => {});
    this.#running.set(key, running);
    return running;
  }

  #end(key: string, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.controller.abort(new Error("all callers have aborted"));
  }
}
