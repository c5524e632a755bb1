// Measures how the time of a request was spent, for the header field Server-Timing (W3C Server Timing).

import type { Turns } from "../placement/turns.ts";

/**
 * `receive`: the body and the inputs. `wait`: turns in this isolate. `engine`: the job. `store`: everything else, which
 * is mostly storage.
 */
const PHASES = ["receive", "wait", "engine", "store"] as const;
export type Phase = (typeof PHASES)[number];

/** Attributes time to one phase at a time. An isolate's clock advances only when it waits for something. */
export class Timing {
  readonly #spentMs: Record<Phase, number> = { receive: 0, wait: 0, engine: 0, store: 0 };
  #phase: Phase = "receive";
  #since = performance.now();

  /** Attributes the time of `work` to a phase, except for the phases within. */
  async during<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const before = this.#turnTo(phase);
    try {
      return await work();
    } finally {
      this.#turnTo(before);
    }
  }

  /** Returns the same turns, with the waits for them measured. */
  of(turns: Turns): Turns {
    return { take: (signal) => this.during("wait", () => turns.take(signal)) };
  }

  /** Returns the value of the header field. */
  header(): string {
    this.#turnTo(this.#phase);
    return PHASES.map((phase) => `${phase};dur=${Math.round(this.#spentMs[phase])}`).join(", ");
  }

  #turnTo(phase: Phase): Phase {
    const before = this.#phase;
    const now = performance.now();
    this.#spentMs[before] += now - this.#since;
    this.#since = now;
    this.#phase = phase;
    return before;
  }
}
