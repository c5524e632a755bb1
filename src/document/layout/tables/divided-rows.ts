// Divides rows of a grid that have several rows of text: lines can be around columns only.

import { isBold } from "../lines/line.ts";
import { piecesOf, rowsOf } from "../lines/rows.ts";
import type { Frame, Segment } from "../lines/segments.ts";
import { type PieceRow, type PlacedRow, withContinuations } from "./columns.ts";
import type { Grid, GridCell } from "./ruled.ts";

/** A grid, and the text of its cells. */
export interface FilledGrid {
  readonly grid: Grid;
  readonly texts: readonly (readonly Segment[])[];
}

/** Minimum number of rows of text; more if the grid has many rows of its own. */
const MIN_ROWS = 3;
const MIN_ROWS_OF_MANY = 6;
const MANY = 4;
/** Part of the rows of text that must have text in most columns. */
const FILLED = 0.7;

export function withDividedRows({ grid, texts }: FilledGrid, direction: Frame["direction"]): FilledGrid {
  const cells: GridCell[] = [];
  const divided: (readonly Segment[])[] = [];
  let rowCount = 0;
  for (let row = 0; row < grid.rowCount; row++) {
    const own = grid.cells.flatMap((cell, index) => (cell.row === row ? [{ cell, text: texts[index]! }] : []));
    const isWhole =
      own.every(({ cell }) => cell.rowSpan === 1) &&
      own.reduce((sum, { cell }) => sum + cell.columnSpan, 0) === grid.columnCount;
    const rows = isWhole
      ? textRows(
          own.map(({ text }) => text),
          grid.rowCount,
          direction,
        )
      : undefined;
    for (const [at, placed] of (rows ?? [own.map(({ text }) => text)]).entries()) {
      for (const [index, text] of placed.entries()) {
        cells.push({ ...own[index]!.cell, row: rowCount + at });
        divided.push(text);
      }
    }
    rowCount += rows?.length ?? 1;
  }
  return { grid: { ...grid, cells, rowCount }, texts: divided };
}

/** Returns the rows of text in one row of a grid. @returns undefined if its text is one row */
function textRows(cells: PlacedRow, rowCount: number, direction: Frame["direction"]): readonly PlacedRow[] | undefined {
  if (cells.length < 2) return undefined;
  const cellOf = new Map(cells.flatMap((cell, index) => cell.map((segment) => [segment, index] as const)));
  const lines = rowsOf(cells.flat());
  const placed = lines.map((line) => cells.map((_, index) => line.filter((segment) => cellOf.get(segment) === index)));
  const rows = lines.map((line): PieceRow => {
    const { baseline, size } = line[0]!;
    const isBoldRow = line.every(({ words }) => words.every(({ style }) => isBold(style)));
    const pieces = piecesOf(line, direction);
    return { pieces, smallPieces: pieces, baseline, size, isBold: isBoldRow, isMonospaced: false };
  });
  const merged = withContinuations(rows, placed, []);
  const filled = merged.filter((row) => row.filter((cell) => cell.length > 0).length * 2 > cells.length);
  const least = rowCount > MANY ? MIN_ROWS_OF_MANY : MIN_ROWS;
  return merged.length >= least && filled.length > FILLED * merged.length ? merged : undefined;
}
