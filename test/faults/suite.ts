// The options and the result of a part of `npm run test:faults`.

export interface FaultOptions {
  /** Seed of all random values: the same seed draws the same values. */
  readonly seed: number;
  /** Prefixes that select the cases of a part by name; empty selects all. */
  readonly only: readonly string[];
  /**
   * Returns the value of `--name value`.
   * @throws Error if it is not a whole number
   */
  count(name: string, fallback: number): number;
  /** Returns the words of `--name word,word`. */
  words(name: string): readonly string[];
}

export interface Verdict {
  readonly ok: boolean;
  /** One line of figures, without the name of the part. */
  readonly line: string;
}

/** Runs a part: prints its observations, returns its summary line, and ends every process that it started. */
export type Run = (options: FaultOptions) => Promise<Verdict>;
