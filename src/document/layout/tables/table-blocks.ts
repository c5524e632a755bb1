// Makes tables of the words between lines, and of aligned pieces.
import type { Cell, Line, TableBlock } from "../lines/blocks.ts";
import { segmentOf } from "../lines/growing-segment.ts";
import { Intervals } from "../lines/intervals.ts";
import { isBold, type LineContext, lineOf } from "../lines/line.ts";
import type { Word } from "../lines/page-text.ts";
import { rowsOf } from "../lines/rows.ts";
import { boxOfWords, type Extent, extentOf, type Frame, type Segment } from "../lines/segments.ts";
import type { AlignedTable } from "./aligned.ts";
import { withDividedRows } from "./divided-rows.ts";
import type { Grid, GridCell } from "./ruled.ts";

/** Part of the cells of a table that have text; if over half of them span columns or rows, more must have text. */
const FILLED = 0.2;
const FILLED_IF_IRREGULAR = 0.6;
const IRREGULAR = 0.5;

/** Maximum space of words that a line between cells divides by chance, in font sizes. */
const CUT = 0.32;
/** Minimum number of divided texts, and part of the texts in a grid, that show that boxes are around running text. */
const CUTS = 3;
const CUT_PART = 0.1;

/** A table with the place that it takes, and the text that is not in it. */
export interface FoundTable {
  readonly extent: Extent;
  readonly block: TableBlock;
}

/**
 * Moves the words inside grids into tables. A grid with text in fewer than two columns or rows is no table, and neither
 * is a drawing, whose lines make many empty cells of different sizes.
 * @returns the tables, and the segments without their words
 */
export function takeRuledTables(
  segments: readonly Segment[],
  grids: readonly Grid[],
  context: LineContext,
): { readonly tables: readonly FoundTable[]; readonly rest: readonly Segment[] } {
  const tables: FoundTable[] = [];
  let rest = segments;
  for (const grid of grids) {
    const { cells: whole, outside, cuts } = divided(rest, grid, context.direction);
    const inside = whole.reduce((sum, { length }) => sum + length, 0);
    if (cuts >= CUTS && cuts > CUT_PART * inside) continue;
    const { grid: rowGrid, texts: cells } = withDividedRows({ grid, texts: whole }, context.direction);
    const filled = rowGrid.cells.filter((_, index) => cells[index]!.length > 0);
    const columns = new Set(filled.map(({ column }) => column));
    const rows = new Set(filled.map(({ row }) => row));
    if (columns.size < 2 || rows.size < 2 || isDrawing(rowGrid.cells, filled.length)) continue;
    rest = outside;
    tables.push({ extent: grid, block: ruledTable(rowGrid, cells, context) });
  }
  return { tables, rest };
}

function isDrawing(cells: readonly GridCell[], filledCount: number): boolean {
  const spanning = cells.filter(({ columnSpan, rowSpan }) => columnSpan * rowSpan > 1);
  const isIrregular = spanning.length > IRREGULAR * cells.length;
  return filledCount < (isIrregular ? FILLED_IF_IRREGULAR : FILLED) * cells.length;
}

/** Divides the words of segments by the cells of a grid, and counts the spaces of words that its lines are in. */
function divided(segments: readonly Segment[], grid: Grid, direction: Frame["direction"]) {
  const cells = grid.cells.map((): Segment[] => []);
  const places = new Intervals<number>();
  for (const [index, { top, bottom }] of grid.cells.entries()) places.add(top, bottom, index);
  const cellsBeside = (y: number) => {
    const candidates = places.near(y).flat();
    return candidates.filter((at) => y > grid.cells[at]!.top && y < grid.cells[at]!.bottom).sort((a, b) => a - b);
  };
  const outside: Segment[] = [];
  let cuts = 0;
  for (const segment of segments) {
    if (!overlaps(segment, grid)) {
      outside.push(segment);
      continue;
    }
    let [words, place, end]: [Word[], number, number] = [[], Number.NaN, Number.NaN];
    const flush = () => {
      if (words.length > 0) (cells[place] ?? outside).push(segmentOf(words, direction));
      words = [];
    };
    const beside = cellsBeside((segment.top + segment.bottom) / 2);
    for (const word of segment.words) {
      const { left, right } = extentOf(word, direction);
      const x = (left + right) / 2;
      const at = beside.find((index) => x > grid.cells[index]!.left && x < grid.cells[index]!.right) ?? Infinity;
      if (at !== place) flush();
      if (at !== place && Math.max(left - end, end - right) < CUT * segment.size) cuts++;
      [place, end] = [at, right];
      words.push(word);
    }
    flush();
  }
  return { cells, outside, cuts };
}

const overlaps = (one: Extent, other: Extent): boolean =>
  one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top;

function ruledTable(grid: Grid, texts: readonly (readonly Segment[])[], context: LineContext): TableBlock {
  const rows = Array.from({ length: grid.rowCount }, (): Cell[] => []);
  for (const [index, { column, columnSpan, row, rowSpan }] of grid.cells.entries()) {
    rows[row]!.push({ column, columnSpan, rowSpan, lines: linesOf(texts[index]!, context) });
  }
  return tableBlock(rows, grid.columnCount);
}

/** Returns an aligned table as a block. */
export function alignedTable({ rows }: AlignedTable, context: LineContext): TableBlock {
  const cells = rows.map((row) =>
    row.map((pieces, column): Cell => ({ column, columnSpan: 1, rowSpan: 1, lines: linesOf(pieces, context) })),
  );
  return tableBlock(cells, rows[0]!.length);
}

function tableBlock(rows: readonly (readonly Cell[])[], columnCount: number): TableBlock {
  const words = rows.flatMap((row) => row.flatMap(({ lines }) => lines.flatMap((line) => line.words)));
  return { kind: "table", box: boxOfWords(words), rows, columnCount, headerRows: headerRowsOf(rows) };
}

/** Returns the number of first rows in bold; 1 if there is none, because most tables start with a header. */
export function headerRowsOf(rows: readonly (readonly Cell[])[]): number {
  const isBoldRow = (row: readonly Cell[]) => {
    const words = row.flatMap(({ lines }) => lines.flatMap((line) => line.words));
    return words.length > 0 && words.every(({ style }) => isBold(style));
  };
  const count = rows.findIndex((row) => !isBoldRow(row));
  return count > 0 && count < rows.length ? count : 1;
}

function linesOf(segments: readonly Segment[], context: LineContext): readonly Line[] {
  return rowsOf(segments).map((row) => {
    const main = row.reduce((largest, one) => (one.size > largest.size ? one : largest));
    return lineOf(
      row.flatMap(({ words }) => words),
      main,
      context,
    );
  });
}
