// Finds CSV files with more cells than the browser can print in a job. LibreOffice prints them, cut at its columns.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Input } from "../../document/contract/operation.ts";

const LINE_END = 10;
const QUOTE = 34;
const DELIMITERS = [..."\t,;|"].map((delimiter) => delimiter.charCodeAt(0));

/** Reports whether a file called `.csv` has too many cells, or is too long. */
export async function isLargeTable(input: Input): Promise<boolean> {
  const { name, size } = input;
  if (!/\.csv$/i.test(name) || size <= LIMITS.csvCells) return false;
  if (size > LIMITS.csvLength) return true;
  const counts = new Uint32Array(256);
  let before = LINE_END;
  let isQuoted = false;
  for await (const chunk of input.stream()) {
    for (const byte of chunk) {
      // A quotation mark within a field that does not begin with one is a part of its text.
      if (byte === QUOTE) isQuoted = !isQuoted && [LINE_END, QUOTE, ...DELIMITERS].includes(before);
      else if (!isQuoted) counts[byte]!++;
      before = byte;
    }
  }
  return counts[LINE_END]! + Math.max(...DELIMITERS.map((delimiter) => counts[delimiter]!)) > LIMITS.csvCells;
}
