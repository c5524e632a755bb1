// The levels of PDF/A that can be asked for (ISO 19005-1, -2, -3).

/** A part of ISO 19005 and a level of conformance: b the look, u besides Unicode values for all text. */
export interface ArchivalLevel {
  readonly part: 1 | 2 | 3;
  readonly conformance: "b" | "u";
}
