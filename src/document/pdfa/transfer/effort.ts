// Limits the evaluation cost of a document's functions.
import { EngineFailure } from "../../contract/failure.ts";

/** Maximum number of steps, such as calculator operators: about 10 seconds. */
const MOST_STEPS = 2e8;

export class Effort {
  #left: number;

  constructor(steps = MOST_STEPS) {
    this.#left = steps;
  }

  /** @throws EngineFailure `too-complex` if the steps are used up */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new EngineFailure("too-complex", "the functions need too much work");
  }
}
