// The levels of PDF/A, by the short names that tests use.
import type { PdfaLevel } from "../../src/document/pdfa/level.ts";

export const LEVELS = {
  "1b": { part: 1, conformance: "b" },
  "2b": { part: 2, conformance: "b" },
  "2u": { part: 2, conformance: "u" },
  "3b": { part: 3, conformance: "b" },
  "3u": { part: 3, conformance: "u" },
} as const satisfies Record<string, PdfaLevel>;

export type LevelName = keyof typeof LEVELS;

export const LEVEL_NAMES = Object.keys(LEVELS) as readonly LevelName[];
