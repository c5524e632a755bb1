// Coalesces concurrent requests for the same result.

import { EngineFailure } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";

interface Running<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readers: number;
}

/** Running work, by key. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * Starts the work, or joins running work with the same key. Aborts the work when all callers have aborted. The first
   * caller might abort, so the work has its own timeout.
   * @throws EngineFailure `busy` if the work takes too long, `timed-out` if this caller started it
   * @throws the signal's reason when aborted
   */
  async run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#start(key, start);
    running.readers++;
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    // The platform might end the request that started the work, and the work with it.
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
