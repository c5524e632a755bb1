// Predicts the duration of a job from its latest steps.

/** CPU time before the first prediction, in milliseconds. Early steps are slow: code is compiled, and memory grows. */
const MIN_MS = 10_000;
const MIN_STEPS = 3;
/** Number of latest steps used for a prediction. */
const LATEST_STEPS = 65;
/** A job stops only if its predicted CPU time exceeds the limit by this factor, because predictions are inexact. */
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
   * @param limitMs CPU time for all steps
   * @param usedMs returns the CPU time used so far
   */
  constructor(steps: number, limitMs: number, usedMs: () => number) {
    this.#steps = steps;
    this.#limitMs = limitMs;
    this.#usedMs = usedMs;
    this.#startedMs = usedMs();
  }

  /**
   * Records a finished step.
   * @returns the number of steps for which the CPU time is predicted to suffice; undefined if it suffices for all
   * steps, or if it is too early to predict
   */
  step(): number | undefined {
    const usedMs = this.#usedMs() - this.#startedMs;
    this.#latestMs.push(usedMs - this.#usedBeforeMs);
    if (this.#latestMs.length > LATEST_STEPS) this.#latestMs.shift();
    this.#usedBeforeMs = usedMs;
    this.#done++;
    if (usedMs < MIN_MS || this.#done < MIN_STEPS) return undefined;
    // The median ignores a few much slower steps, such as the cover of a report.
    const stepMs = this.#latestMs.toSorted((one, other) => one - other)[this.#latestMs.length >> 1]!;
    const expectedMs = usedMs + stepMs * (this.#steps - this.#done);
    if (expectedMs <= this.#limitMs * DOUBT) return undefined;
    return Math.floor((this.#limitMs * this.#steps) / expectedMs);
  }
}
