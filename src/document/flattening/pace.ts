// Foresees how long the rest of a job takes by how long its first steps took. Knows nothing about what they are.

/** Processor time after which a forecast means something: code is compiled by then, and memory has grown. */
const LEAST_MS = 10_000;
const LEAST_STEPS = 3;
/** Number of steps that tell about the rest. */
const LATEST_STEPS = 65;
/** Steps differ: a job goes on unless it would take so many times as long as it may. */
const DOUBT = 1.25;

export class Pace {
  readonly #steps: number;
  readonly #limitMs: number;
  readonly #usedMs: () => number;
  readonly #startedMs: number;
  readonly #latestMs: number[] = [];
  #done = 0;
  #usedBeforeMs = 0;

  /**
   * @param steps number of all steps
   * @param limitMs processor time for them
   * @param usedMs returns the processor time that has been used
   */
  constructor(steps: number, limitMs: number, usedMs: () => number) {
    this.#steps = steps;
    this.#limitMs = limitMs;
    this.#usedMs = usedMs;
    this.#startedMs = usedMs();
  }

  /**
   * Counts a step that has been done.
   * @returns the number of such steps that there is time for, if that is not all of them
   */
  step(): number | undefined {
    const usedMs = this.#usedMs() - this.#startedMs;
    this.#latestMs.push(usedMs - this.#usedBeforeMs);
    if (this.#latestMs.length > LATEST_STEPS) this.#latestMs.shift();
    this.#usedBeforeMs = usedMs;
    this.#done++;
    if (usedMs < LEAST_MS || this.#done < LEAST_STEPS) return undefined;
    // The usual step: a few that are much slower, such as the cover of a report, say nothing about the rest.
    const stepMs = this.#latestMs.toSorted((one, other) => one - other)[this.#latestMs.length >> 1]!;
    const expectedMs = usedMs + stepMs * (this.#steps - this.#done);
    if (expectedMs <= this.#limitMs * DOUBT) return undefined;
    return Math.floor((this.#limitMs * this.#steps) / expectedMs);
  }
}
