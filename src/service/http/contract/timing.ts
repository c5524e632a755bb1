// Measures the phases of a request for the header Server-Timing (W3C Server Timing) and for traces.

import type { Semaphore } from "../../placement/semaphore.ts";

/**
 * `receive`: reading the body and fetching inputs. `wait`: waiting for permits of this isolate. `engine`: the job.
 * `store`: all other work, mostly storage.
 */
const PHASES = ["receive", "wait", "engine", "store"] as const;
export type Phase = (typeof PHASES)[number];

/** Start and end time, in milliseconds since 1970. */
interface Interval {
  readonly beginMs: number;
  readonly endMs: number;
}

/**
 * A phase can occur in several parts. Parts shorter than this do not extend the interval of the phase, unless all its
 * parts are short.
 */
const SHORT_MS = 1;

/** The interval of a phase: from the start of its first part to the end of its last part. */
export interface PhaseInterval extends Interval {
  readonly phase: Phase;
  /** Milliseconds spent in the phase, without other phases in its interval. */
  readonly spentMs: number;
}

/**
 * Attributes time to one phase at a time. The clock of an isolate advances only during I/O, so computation has no
 * duration there.
 */
export class Timing {
  readonly #spentMs: Record<Phase, number> = { receive: 0, wait: 0, engine: 0, store: 0 };
  readonly #stretches = new Map<Phase, { readonly begin: number; readonly end: number }>();
  #phase: Phase = "receive";
  #since = performance.now();
  readonly #begin = this.#since;
  /** Zero of the clock `performance.now()`, in milliseconds since 1970. */
  readonly #epochMs = Date.now() - this.#since;

  /** Attributes the time of `work` to a phase. The time of nested calls counts only for their phases. */
  async measure<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const before = this.#turnTo(phase);
    try {
      return await work();
    } finally {
      this.#turnTo(before);
    }
  }

  /** Returns the same semaphore. The time spent waiting for a permit counts for the phase `wait`. */
  measureWaits(turns: Semaphore): Semaphore {
    return { acquire: (signal) => this.measure("wait", () => turns.acquire(signal)) };
  }

  /** Returns the milliseconds spent in each phase, in the order of {@link PHASES}. */
  spent(): number[] {
    this.#turnTo(this.#phase);
    return PHASES.map((phase) => Math.round(this.#spentMs[phase]));
  }

  /** Returns the value of the header Server-Timing. */
  header(): string {
    const spent = this.spent();
    return PHASES.map((phase, index) => `${phase};dur=${spent[index]}`).join(", ");
  }

  /** Returns the interval of the request until now, and the interval of each phase that has occurred. */
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
    // `receive` is also the phase of unattributed time. After `store`, such time must not extend the interval of
    // `receive`.
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
