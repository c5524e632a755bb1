// What a part of `npm run test:faults` is given and what it returns.

export interface FaultOptions {
  /** Of everything that is drawn by lot: the same seed draws the same again. */
  readonly seed: number;
  /** Words that select the cases of a part by the beginning of their names; empty selects all. */
  readonly only: readonly string[];
  /**
   * The value of `--name value`.
   * @throws Error for what is not a whole number
   */
  count(name: string, fallback: number): number;
  /** The words of `--name word,word`. */
  words(name: string): readonly string[];
}

export interface Verdict {
  readonly ok: boolean;
  /** One line of figures, without the name of the part. */
  readonly line: string;
}

/** A part prints what it sees on the way, and returns its one line. It ends every process that it started. */
export type Run = (options: FaultOptions) => Promise<Verdict>;
