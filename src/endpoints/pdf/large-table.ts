// Finds CSV files with more cells than the browser can lay out as one table. LibreOffice divides them into pages.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Input } from "../../document/contract/operation.ts";

/** Size of files that are counted. A file that is larger has too many cells unless they are unusually long. */
const COUNTED_BYTES = 2 ** 21;
const LINE_END = 10;
const DELIMITERS = [..."\t,;|"].map((delimiter) => delimiter.charCodeAt(0));

/** Reports whether a file called `.csv` has too many cells. Delimiters within quotation marks count, too. */
export async function isLargeTable({ name, size, bytes }: Input): Promise<boolean> {
  if (!/\.csv$/i.test(name) || size <= LIMITS.csvCells) return false;
  if (size > COUNTED_BYTES) return true;
  const counts = new Uint32Array(256);
  for (const byte of await bytes()) counts[byte]!++;
  return counts[LINE_END]! + Math.max(...DELIMITERS.map((delimiter) => counts[delimiter]!)) > LIMITS.csvCells;
}
