// Counts what a regular expression reads. One search of RE2 is linear, but the search for the next match can read the
// rest of the text again, so that all matches together would need quadratic time.
import { EngineFailure } from "../../contract/failure.ts";

/** Reads that count as one, if the platform searches for a fixed text. */
const SEARCHED_AT_ONCE = 16;

export class CountedText extends String {
  reads = 0;
  readonly #text: string;
  readonly #limit: number;

  /** @param limit maximum number of reads */
  constructor(text: string, limit: number) {
    super(text);
    this.#text = text;
    this.#limit = limit;
  }

  /** @throws EngineFailure `too-complex` */
  override charCodeAt(index: number): number {
    if (++this.reads > this.#limit) throw tooManySteps();
    return this.#text.charCodeAt(index);
  }

  /** @throws EngineFailure `too-complex` */
  override indexOf(searched: string, from = 0): number {
    const found = this.#text.indexOf(searched, from);
    this.reads += Math.ceil(((found < 0 ? this.#text.length : found) - from) / SEARCHED_AT_ONCE);
    if (this.reads > this.#limit) throw tooManySteps();
    return found;
  }
}

export const tooManySteps = () => new EngineFailure("too-complex", "expressions that need too many steps");
