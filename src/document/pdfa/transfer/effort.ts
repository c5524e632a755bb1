// Limits the work that the functions of a document may cause.
import { EngineFailure } from "../../contract/failure.ts";

/** Number of steps, such as operators of a calculator, for which there is time: about 10 seconds. */
const MOST_STEPS = 2e8;

export class Effort {
  #left: number;

  constructor(steps = MOST_STEPS) {
    this.#left = steps;
  }

  /** @throws EngineFailure `too-complex` if too much work was done before */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new EngineFailure("too-complex", "the functions need too much work");
  }
}
