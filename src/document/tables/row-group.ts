// Rows that cells connect, and that therefore move to another page together. Computes their heights, and divides them
// where a page ends.

import { type CellContent, divide, heightOf, isEmpty, TOLERANCE } from "./cell-content.ts";
import type { GridCell, GridRow } from "./grid.ts";

/** A cell, or the part of it that is still to be placed. Rows are counted within the group. */
export interface CellPart {
  readonly cell: GridCell;
  readonly row: number;
  readonly rowSpan: number;
  readonly content: CellContent;
  /** In points, as declared, without the parts before. */
  readonly minHeight: number;
  /** True if the cell begins or goes on, on another page. Its content is then at its top. */
  readonly isPart: boolean;
}

interface RowPart {
  readonly row: GridRow;
  readonly minHeight: number;
}

/** Rows at their place on a page. */
export interface PlacedRows {
  readonly rows: readonly GridRow[];
  readonly heights: readonly number[];
  readonly cells: readonly CellPart[];
}

export class RowGroup implements PlacedRows {
  readonly #rows: readonly RowPart[];
  readonly cells: readonly CellPart[];
  readonly heights: readonly number[];

  constructor(rows: readonly RowPart[], cells: readonly CellPart[]) {
    this.#rows = rows;
    this.cells = cells;
    this.heights = heightsOf(rows, cells);
  }

  /** @param contents of the cells, in their order */
  static of(rows: readonly GridRow[], contents: readonly CellContent[]): RowGroup {
    const cells = rows.flatMap((row, index) => row.cells.map((cell) => ({ cell, index })));
    return new RowGroup(
      rows.map((row) => ({ row, minHeight: row.source.min_height ?? 0 })),
      cells.map(({ cell, index }, place) => ({
        ...{ cell, row: index, rowSpan: cell.source.row_span, content: contents[place]! },
        ...{ minHeight: cell.source.min_height ?? 0, isPart: false },
      })),
    );
  }

  get rows(): readonly GridRow[] {
    return this.#rows.map(({ row }) => row);
  }

  get height(): number {
    return this.heights.reduce((sum, height) => sum + height, 0);
  }

  /**
   * Divides the group at the lowest place within a height.
   * @param withinRows true to divide a row between lines of text
   * @returns undefined if nothing fits above that place, or nothing is left below
   */
  divide(height: number, withinRows: boolean): { readonly placed: PlacedRows; readonly rest: RowGroup } | undefined {
    const tops = this.#tops();
    const row = this.#rows.findIndex((_, index) => tops[index + 1]! > height + TOLERANCE);
    if (row < 0) return undefined;
    const isWithin = withinRows && this.#canDivide(row, height - tops[row]!);
    const cut = isWithin ? height : tops[row]!;
    if (cut <= TOLERANCE) return undefined;
    const count = isWithin ? row + 1 : row;
    const from = isWithin && this.#endsWithin(row, tops, cut) ? count : row;
    const parts = this.cells.map((cell) => divideCell(cell, tops, cut, { from, count }));
    const used = cut - tops[row]!;
    const left = this.#rows.slice(from).map((one, index) => (from + index === row ? shortened(one, used) : one));
    const heights = this.heights.slice(0, count);
    if (isWithin) heights[row] = used;
    return {
      placed: { rows: this.rows.slice(0, count), heights, cells: parts.flatMap(({ above }) => above ?? []) },
      rest: new RowGroup(
        left,
        parts.flatMap(({ below }) => below ?? []),
      ),
    };
  }

  /** Returns the distance of each row from the top of the group, and the height of the group. */
  #tops(): readonly number[] {
    const tops = [0];
    for (const height of this.heights) tops.push(tops.at(-1)! + height);
    return tops;
  }

  /**
   * Reports whether all of a row's own content is above a cut, and only a cell that reaches into the next row makes the
   * row higher. The part of the row below would be empty.
   */
  #endsWithin(row: number, tops: readonly number[], cut: number): boolean {
    if (row + 1 >= this.#rows.length || this.#rows[row]!.minHeight > cut - tops[row]!) return false;
    const ending = this.cells.filter((part) => part.row + part.rowSpan === row + 1);
    return ending.every((part) => neededHeight(part) <= cut - tops[part.row]! + TOLERANCE);
  }

  /** Reports whether each cell that begins in a row has a line within a height, so that no cell is left empty. */
  #canDivide(row: number, height: number): boolean {
    if (height <= TOLERANCE) return false;
    return this.cells.every((part) => {
      if (part.row !== row) return true;
      if (part.cell.source.fixed_height !== undefined) return false;
      const { top, bottom } = part.cell.look.padding;
      return isEmpty(part.content) || !isEmpty(divide(part.content, height - top - bottom)[0]);
    });
  }
}

const shortened = (one: RowPart, used: number): RowPart => ({ ...one, minHeight: Math.max(0, one.minHeight - used) });

/** Divides a cell at a cut. @param from the first row below it. @param count number of rows above it */
function divideCell(
  part: CellPart,
  tops: readonly number[],
  cut: number,
  { from, count }: { readonly from: number; readonly count: number },
): { readonly above?: CellPart; readonly below?: CellPart } {
  const [top, bottom] = [tops[part.row]!, tops[part.row + part.rowSpan]!];
  if (bottom <= cut + TOLERANCE) return { above: part };
  if (top >= cut - TOLERANCE) return { below: { ...part, row: part.row - from } };
  const end = part.row + part.rowSpan;
  if (end <= from) return { above: part };
  const { padding } = part.cell.look;
  const [first, rest] = divide(part.content, cut - top - padding.top - padding.bottom);
  const minHeight = Math.max(0, part.minHeight - (cut - top));
  return {
    above: { ...part, rowSpan: count - part.row, content: first, isPart: true },
    below: {
      ...{ ...part, row: Math.max(0, part.row - from), content: rest, minHeight, isPart: true },
      rowSpan: end - Math.max(part.row, from),
    },
  };
}

/** Returns the height that a cell needs, with its padding. */
function neededHeight({ cell, content, minHeight, isPart }: CellPart): number {
  const { top, bottom } = cell.look.padding;
  const { fixed_height } = cell.source;
  if (fixed_height !== undefined && !isPart) return fixed_height;
  const own = isPart && isEmpty(content) ? 0 : top + heightOf(content) + bottom;
  return Math.max(minHeight, own);
}

/** Cells of several rows make these rows higher in equal parts. */
function heightsOf(rows: readonly RowPart[], cells: readonly CellPart[]): number[] {
  const heights = rows.map(({ minHeight }) => minHeight);
  const bySpan = cells.filter(({ rowSpan }) => rowSpan > 1).sort((one, other) => one.rowSpan - other.rowSpan);
  for (const part of cells) {
    if (part.rowSpan === 1) heights[part.row] = Math.max(heights[part.row]!, neededHeight(part));
  }
  for (const part of bySpan) {
    const end = part.row + part.rowSpan;
    const missing = neededHeight(part) - heights.slice(part.row, end).reduce((sum, height) => sum + height, 0);
    if (missing <= 0) continue;
    for (let row = part.row; row < end; row++) heights[row] = heights[row]! + missing / part.rowSpan;
  }
  return heights;
}
