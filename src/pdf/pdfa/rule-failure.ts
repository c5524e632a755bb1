// What a validator found to be against the rules. Knows no validator.

/** A rule that is broken, with some of the places where. */
export interface RuleFailure {
  /** Of the part of ISO 19005 that was asked for, for example `6.2.11.4.1`. */
  readonly clause: string;
  /** The validator's number of the test within the clause, from 1. */
  readonly test: number;
  readonly places: readonly FailurePlace[];
}

export interface FailurePlace {
  /** From 1, where the place is on a page. */
  readonly pageNumber?: number;
  /** Where the place is an object of the file. */
  readonly objectNumber?: number;
  /** The validator's own description of the place. */
  readonly context: string;
}
