// Lets requests for the same thing share the work on it. Knows nothing about the work.

import { EngineFailure } from "../../document/contract/failure.ts";
import { LIMITS } from "../../document/contract/limits.ts";

interface Running<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  readers: number;
}

/** Work in progress, by its key. */
export class SingleFlight<T> {
  readonly #running = new Map<string, Running<T>>();

  /**
   * Begins the work, or waits for what another request has begun. The work is aborted when nobody waits for it.
   * @throws EngineFailure `busy` if the work takes too long, `timed-out` if it was this request's own
   * @throws the signal's reason when aborted
   */
  async run(key: string, signal: AbortSignal, begin: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const running = this.#running.get(key) ?? this.#begin(key, begin);
    running.readers++;
    const { promise, reject } = Promise.withResolvers<never>();
    const gone = () => reject(signal.reason);
    // The request that began the work may be ended by the platform, and with it the work.
    const late = () => reject(new EngineFailure("busy", `${key} is not done`));
    const timer = setTimeout(late, LIMITS.requestJobMs);
    signal.addEventListener("abort", gone);
    try {
      return await Promise.race([running.result, promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
      running.readers--;
      if (running.readers === 0) this.#end(key, running);
    }
  }

  #begin(key: string, begin: (signal: AbortSignal) => Promise<T>): Running<T> {
    const controller = new AbortController();
    const running = { result: begin(controller.signal), controller, readers: 0 };
    running.result.catch(() => {});
    this.#running.set(key, running);
    return running;
  }

  #end(key: string, running: Running<T>): void {
    if (this.#running.get(key) === running) this.#running.delete(key);
    running.controller.abort(new Error("nobody waits for the work"));
  }
}
