// How many jobs work at a time and how many wait: bounded both, so that a flood is refused at once and not piled up. Knows no
// engine and no HTTP.

import { EngineFailure } from "../src/operations/operation.ts";

export interface PlaceLimits {
  /** How many may work at the same time. */
  readonly atOnce: number;
  /** How many more may be there, waiting. */
  readonly waiting: number;
  /** Milliseconds after which one who waits is sent away. */
  readonly maxWaitMs: number;
}

/** One job's membership; disposing of it lets the next one in. */
export interface Entry extends Disposable {
  /**
   * Waits, in the order of asking, until this job may work.
   * @throws EngineFailure `busy` when that took too long, or the service ends
   * @throws the signal's reason when aborted
   */
  turn(signal: AbortSignal): Promise<void>;
  /** Lets the next one in while the work goes on, and goes on itself before those that wait. @throws what `turn` throws */
  aside<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T>;
}

interface Waiting {
  readonly start: () => void;
  readonly refuse: (error: unknown) => void;
}

/** Places to work in. */
export class Places {
  readonly #limits: PlaceLimits;
  #present = 0;
  #working = 0;
  #closed = false;
  readonly #queue: Waiting[] = [];

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /** For the health answer. */
  get counts(): { readonly working: number; readonly present: number } {
    return { working: this.#working, present: this.#present };
  }

  /** @throws EngineFailure `busy` where too many are there already */
  enter(): Entry {
    const { atOnce, waiting } = this.#limits;
    if (this.#closed) throw new EngineFailure("busy", "the service ends");
    if (this.#present >= atOnce + waiting) throw new EngineFailure("busy", `${this.#present} jobs are there already`);
    this.#present++;
    let state: "present" | "working" | "gone" = "present";
    return {
      turn: async (signal) => {
        await this.#turn(signal);
        state = "working";
      },
      aside: async (work, signal) => {
        state = "present";
        this.#leave();
        try {
          return await work();
        } finally {
          await this.#turn(signal, "first");
          state = "working";
        }
      },
      [Symbol.dispose]: () => {
        if (state === "gone") return;
        if (state === "working") this.#leave();
        state = "gone";
        this.#present--;
      },
    };
  }

  /** Lets nobody in any more, and sends away those that wait. */
  close(): void {
    this.#closed = true;
    for (const { refuse } of this.#queue.splice(0)) refuse(new EngineFailure("busy", "the service ends"));
  }

  #turn(signal: AbortSignal, place: "first" | "last" = "last"): Promise<void> {
    signal.throwIfAborted();
    if (this.#closed) throw new EngineFailure("busy", "the service ends");
    if (this.#working < this.#limits.atOnce) {
      this.#working++;
      return Promise.resolve();
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const gone = () => leave(signal.reason);
    const leave = (error: unknown) => {
      const index = this.#queue.indexOf(waiting);
      if (index >= 0) this.#queue.splice(index, 1);
      waiting.refuse(error);
    };
    const { maxWaitMs } = this.#limits;
    const timer = setTimeout(() => leave(new EngineFailure("busy", `waited for ${maxWaitMs} ms`)), maxWaitMs);
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", gone);
    };
    const waiting: Waiting = {
      start: () => {
        settle();
        resolve();
      },
      refuse: (error) => {
        settle();
        reject(error);
      },
    };
    signal.addEventListener("abort", gone, { once: true });
    if (place === "first") this.#queue.unshift(waiting);
    else this.#queue.push(waiting);
    return promise;
  }

  /** The place passes on, or is free. */
  #leave(): void {
    const next = this.#queue.shift();
    if (next) next.start();
    else this.#working--;
  }
}
