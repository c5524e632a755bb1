// Reads tables of comma-separated values (RFC 4180), with any delimiter.

import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";

/** Delimiters that are recognized, the more likely ones first. */
const DELIMITERS = [",", ";", "\t", "|"] as const;
/** Rows whose delimiters are counted. */
const COUNTED_ROWS = 50;
const SEP_LINE = /^sep=(.)\r?\n/i;

/** A table, without empty rows at its end. */
export interface SeparatedValues {
  readonly delimiter: string;
  readonly rows: readonly (readonly string[])[];
  /** Number of fields of the longest row. */
  readonly columnCount: number;
}

/**
 * Reads a text. Quotation marks within a field that does not start with one are part of its text.
 * @param delimiter @default the line `sep=`, or the delimiter that divides the rows most evenly
 * @throws EngineFailure `too-complex` for more cells than the limit
 */
export function readSeparatedValues(text: string, delimiter?: string): SeparatedValues {
  const told = SEP_LINE.exec(text);
  const body = told ? text.slice(told[0].length) : text;
  const chosen = delimiter ?? told?.[1] ?? likelyDelimiter(body);
  const rows: string[][] = [];
  let cells = 0;
  let columnCount = 0;
  for (const row of rowsOf(body, chosen)) {
    rows.push(row);
    cells += row.length;
    columnCount = Math.max(columnCount, row.length);
    if (cells > LIMITS.csvCells || columnCount * rows.length > LIMITS.csvCells) {
      throw new EngineFailure("too-complex", `more than ${LIMITS.csvCells} cells`, {
        why: `A table can have at most ${LIMITS.csvCells.toLocaleString("en-US")} cells.`,
      });
    }
  }
  while (rows.length > 0 && rows.at(-1)!.every((field) => field.trim() === "")) rows.pop();
  return { delimiter: chosen, rows, columnCount };
}

/** Returns the delimiter that most rows have equally often, in as many columns as possible. */
function likelyDelimiter(text: string): string {
  let best: string = DELIMITERS[0];
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const counts: number[] = [];
    for (const row of rowsOf(text, delimiter)) {
      if (row.length > 1 || row[0] !== "") counts.push(row.length);
      if (counts.length === COUNTED_ROWS) break;
    }
    const usual = mostFrequent(counts);
    if (usual < 2) continue;
    const score = (counts.filter((count) => count === usual).length / counts.length) * (1 - 1 / (usual + 1));
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}

function mostFrequent(counts: readonly number[]): number {
  const groups = [...Map.groupBy(counts, (count) => count)];
  const [first] = groups.toSorted(([, one], [, other]) => other.length - one.length);
  return first?.[0] ?? 0;
}

/** Yields the fields of each row. A quoted field that does not end takes the rest of the text. */
function* rowsOf(text: string, delimiter: string): Generator<string[]> {
  let at = 0;
  let row: string[] = [];
  while (at < text.length) {
    const { field, end } = fieldAt(text, at, delimiter);
    row.push(field);
    if (text[end] === delimiter) {
      at = end + 1;
      if (at === text.length) row.push("");
      continue;
    }
    yield row;
    row = [];
    at = text.startsWith("\r\n", end) ? end + 2 : end + 1;
  }
  if (row.length > 0) yield row;
}

function fieldAt(text: string, start: number, delimiter: string): { readonly field: string; readonly end: number } {
  if (text[start] !== '"') {
    const end = endOfField(text, start, delimiter);
    return { field: text.slice(start, end), end };
  }
  let quoted = "";
  let at = start + 1;
  for (;;) {
    const close = text.indexOf('"', at);
    if (close < 0) return { field: quoted + text.slice(at), end: text.length };
    quoted += text.slice(at, close);
    if (text[close + 1] !== '"') {
      // Text behind the closing quotation mark belongs to the field, as in spreadsheet programs.
      const end = endOfField(text, close + 1, delimiter);
      return { field: quoted + text.slice(close + 1, end), end };
    }
    quoted += '"';
    at = close + 2;
  }
}

function endOfField(text: string, start: number, delimiter: string): number {
  let end = start;
  while (end < text.length && text[end] !== delimiter && text[end] !== "\n" && text[end] !== "\r") end++;
  return end;
}
