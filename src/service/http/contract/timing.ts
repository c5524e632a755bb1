// Measures how the time of a request was spent, for the header field Server-Timing (W3C Server Timing) and for traces.

import type { Semaphore } from "../../placement/semaphore.ts";

/**
 * `receive`: the body and the inputs. `wait`: turns in this isolate. `engine`: the job. `store`: everything else, which
 * is mostly storage.
 */
const PHASES = ["receive", "wait", "engine", "store"] as const;
export type Phase = (typeof PHASES)[number];

/** A time from its begin to its end, both in milliseconds since 1970. */
interface Interval {
  readonly beginMs: number;
  readonly endMs: number;
}

/** A part of a phase that is shorter does not count for its stretch, unless there is no other. */
const SHORT_MS = 1;

/** From the first time that a phase began to the last time that it ended. */
export interface PhaseInterval extends Interval {
  readonly phase: Phase;
  /** Milliseconds that the phase itself took. */
  readonly spentMs: number;
}

/** Attributes time to one phase at a time. An isolate's clock advances only when it waits for something. */
export class Timing {
  readonly #spentMs: Record<Phase, number> = { receive: 0, wait: 0, engine: 0, store: 0 };
  readonly #stretches = new Map<Phase, { readonly begin: number; readonly end: number }>();
  #phase: Phase = "receive";
  #since = performance.now();
  readonly #begin = this.#since;
  /** Time of 0 of the clock that measures, in milliseconds since 1970. */
  readonly #epochMs = Date.now() - this.#since;

  /** Attributes the time of `work` to a phase, except for the phases within. */
  async measure<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const before = this.#turnTo(phase);
    try {
      return await work();
    } finally {
      this.#turnTo(before);
    }
  }

  /** Returns the same turns, with the waits for them measured. */
  measureWaits(turns: Semaphore): Semaphore {
    return { acquire: (signal) => this.measure("wait", () => turns.acquire(signal)) };
  }

  /** Returns the milliseconds of each phase, in the order of the phases. */
  spent(): number[] {
    this.#turnTo(this.#phase);
    return PHASES.map((phase) => Math.round(this.#spentMs[phase]));
  }

  /** Returns the value of the header field. */
  header(): string {
    const spent = this.spent();
    return PHASES.map((phase, place) => `${phase};dur=${spent[place]}`).join(", ");
  }

  /** Returns the time of the whole request until now, and of the phases that occurred. */
  intervals(): Interval & { readonly phases: readonly PhaseInterval[] } {
    this.#turnTo(this.#phase);
    const phases = [...this.#stretches].map(([phase, { begin, end }]) => ({
      ...{ phase, spentMs: this.#spentMs[phase] },
      ...{ beginMs: this.#epochMs + begin, endMs: this.#epochMs + end },
    }));
    return { beginMs: this.#epochMs + this.#begin, endMs: this.#epochMs + this.#since, phases };
  }

  #stretch(phase: Phase, now: number): void {
    const known = this.#stretches.get(phase);
    const begin = known && known.end - known.begin >= SHORT_MS ? known.begin : this.#since;
    // What follows the job is not receiving, although no other phase has that time.
    const isOver = phase === "receive" && this.#stretches.has("store");
    if (known === undefined || (now - this.#since >= SHORT_MS && !isOver))
      this.#stretches.set(phase, { begin, end: now });
  }

  #turnTo(phase: Phase): Phase {
    const before = this.#phase;
    const now = performance.now();
    this.#spentMs[before] += now - this.#since;
    this.#stretch(before, now);
    this.#since = now;
    this.#phase = phase;
    return before;
  }
}
