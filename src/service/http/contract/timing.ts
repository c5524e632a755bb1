// Measures the phases of a request for the header Server-Timing (W3C Server Timing) and for traces.

import type { Semaphore } from "../../placement/semaphore.ts";

/**
 * `receive`: reading the body and inputs. `wait`: queueing for permits in this isolate. `engine`: the job. `store`: all
 * other work, mostly storage.
 */
const PHASES = ["receive", "wait", "engine", "store"] as const;
export type Phase = (typeof PHASES)[number];

/** Start and end time, in milliseconds since 1970. */
interface Interval {
  readonly beginMs: number;
  readonly endMs: number;
}

/** Parts of a phase below this duration do not extend the phase's interval, unless all its parts are short. */
const SHORT_MS = 1;

/** From the first start of a phase to its last end. */
export interface PhaseInterval extends Interval {
  readonly phase: Phase;
  /** Milliseconds spent in the phase itself. */
  readonly spentMs: number;
}

/** Attributes time to one phase at a time. An isolate's clock advances only during I/O. */
export class Timing {
  readonly #spentMs: Record<Phase, number> = { receive: 0, wait: 0, engine: 0, store: 0 };
  readonly #stretches = new Map<Phase, { readonly begin: number; readonly end: number }>();
  #phase: Phase = "receive";
  #since = performance.now();
  readonly #begin = this.#since;
  /** Time origin of the measuring clock, in milliseconds since 1970. */
  readonly #epochMs = Date.now() - this.#since;

  /** Attributes the time of `work` to a phase, except nested phases. */
  async measure<T>(phase: Phase, work: () => Promise<T>): Promise<T> {
    const before = this.#turnTo(phase);
    try {
      return await work();
    } finally {
      this.#turnTo(before);
    }
  }

  /** Returns the same semaphore, with queueing times measured. */
  measureWaits(turns: Semaphore): Semaphore {
    return { acquire: (signal) => this.measure("wait", () => turns.acquire(signal)) };
  }

  /** Returns the milliseconds of each phase, in the order of the phases. */
  spent(): number[] {
    this.#turnTo(this.#phase);
    return PHASES.map((phase) => Math.round(this.#spentMs[phase]));
  }

  /** Returns the value of the header Server-Timing. */
  header(): string {
    const spent = this.spent();
    return PHASES.map((phase, index) => `${phase};dur=${spent[index]}`).join(", ");
  }

  /** Returns the interval of the whole request until now, and of each phase that occurred. */
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
    // After the job, unattributed time no longer belongs to `receive`.
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
