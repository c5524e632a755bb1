// Widths of columns: as declared, as shares, or as their content needs. Decision 71 describes the algorithm.
import type { TextWidths } from "../typesetting/layout.ts";
import { columnCountOf, type Grid, type GridCell, SECTIONS } from "./grid.ts";
import type { TableObject } from "./table-object.ts";

/** Returns the widths that a cell can have, without its padding. */
export type Measure = (cell: GridCell) => Promise<TextWidths>;

/** Space for a table, in points. */
export interface TableSpace {
  /** The declared width of the table. @default as wide as the columns */
  readonly width?: number | undefined;
  /** Maximum width. */
  readonly most: number;
}

/** @returns the width of each column */
export async function columnWidthsOf(
  table: TableObject,
  grid: Grid,
  { width, most }: TableSpace,
  measure: Measure,
): Promise<readonly number[]> {
  const declared = Array.from({ length: columnCountOf(table) }, (_, index) => table.columns?.[index]?.width);
  const isRelative = table.width_mode === "relative";
  const automatic = declared.flatMap((one, index) => (one === undefined ? [index] : []));
  const sum = declared.reduce<number>((total, one) => total + (one ?? 0), 0);
  const points = isRelative ? 0 : sum;
  // The share of a column is no length, so that columns with shares make none of a cell's width superfluous.
  const lengths = declared.map((one) => (one === undefined ? undefined : isRelative ? 0 : one));
  const natural = await naturalWidths(lengths, grid, measure);
  const isWhole = width !== undefined && !(isRelative && automatic.length < declared.length);
  const space = Math.max(0, (width ?? most) - points);
  const widths = share(natural, automatic, space, isWhole);
  const left = Math.max(0, (width ?? most) - automatic.reduce((total, index) => total + widths[index]!, 0));
  return declared.map((one, index) => (one === undefined ? widths[index]! : isRelative ? (left * one) / sum : one));
}

/** Widths of a column with their padding. */
interface Natural {
  narrowest: number;
  widest: number;
}

/** Measures the automatic columns. A cell across several columns widens those of them that are automatic. */
async function naturalWidths(
  declared: readonly (number | undefined)[],
  grid: Grid,
  measure: Measure,
): Promise<readonly Natural[]> {
  const natural = declared.map((one) => ({ narrowest: one ?? 0, widest: one ?? 0 }));
  const wide: { readonly columns: readonly number[]; readonly needed: Natural }[] = [];
  for (const { cells } of SECTIONS.flatMap((name) => grid[name])) {
    for (const cell of cells) {
      const { col_span } = cell.source;
      const columns = Array.from({ length: col_span }, (_, index) => cell.column + index);
      if (columns.every((column) => declared[column] !== undefined)) continue;
      const { left, right } = cell.look.padding;
      const { narrowest, widest } = await measure(cell);
      const needed = { narrowest: narrowest + left + right, widest: widest + left + right };
      if (col_span === 1) widen(natural, columns, columns, needed);
      else wide.push({ columns, needed });
    }
  }
  for (const { columns, needed } of wide.sort((one, other) => one.columns.length - other.columns.length)) {
    const growing = columns.filter((column) => declared[column] === undefined);
    widen(natural, columns, growing, needed);
  }
  return natural;
}

/** Widens columns equally until all columns of a cell together have the width that it needs. */
function widen(natural: readonly Natural[], all: readonly number[], growing: readonly number[], needed: Natural): void {
  for (const key of ["narrowest", "widest"] as const) {
    const missing = needed[key] - all.reduce((sum, column) => sum + natural[column]![key], 0);
    if (missing > 0) for (const column of growing) natural[column]![key] += missing / growing.length;
  }
}

/** Shares a width among columns, between their narrowest and their widest widths. @param isWhole true to use it up */
function share(natural: readonly Natural[], columns: readonly number[], space: number, isWhole: boolean): number[] {
  const widths = natural.map(({ widest }) => widest);
  const total = (key: keyof Natural) => columns.reduce((sum, column) => sum + natural[column]![key], 0);
  const [narrowest, widest] = [total("narrowest"), total("widest")];
  for (const column of columns) {
    const own = natural[column]!;
    if (widest <= space) {
      const part = widest > 0 ? own.widest / widest : 1 / columns.length;
      if (isWhole) widths[column] = own.widest + (space - widest) * part;
    } else if (narrowest <= space) {
      const part = (space - narrowest) / (widest - narrowest);
      widths[column] = own.narrowest + (own.widest - own.narrowest) * part;
    } else widths[column] = (space * own.narrowest) / narrowest;
  }
  return widths;
}
