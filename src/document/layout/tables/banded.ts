// Finds tables whose rows are between horizontal lines of one length, and whose columns are between spaces.
import { piecesOf, rowsOf, SMALL_CELL_SPACE } from "../lines/rows.ts";
import type { Extent, Frame, Segment } from "../lines/segments.ts";
import { type Column, inColumns, type PieceRow, type PlacedRow, smallColumnsOf } from "./columns.ts";
import type { Edge, Edges } from "./edges.ts";
import type { Grid, GridCell } from "./ruled.ts";

/** Minimum number of lines, and difference of their ends, in points. */
const MIN_LINES = 4;
const SAME_END = 3;
/** Factor by which a row can be higher than most rows. */
const HIGH = 6;
/** Maximum distance of the lines of a header above the first line of the table, in font sizes. */
const HEADER_PITCH = 1.7;
const MAX_HEADER_LINES = 3;
/** Part of the rows that must have text in several columns: areas are also filled behind code. */
const TABULAR = 0.7;
/** Maximum height of a last row below the last line, in points. */
const LAST_ROW = 60;

/** Returns the grids of rows between lines. @param taken grids that have lines on all sides */
export function bandedGrids(
  { across, filled }: Pick<Edges, "across" | "filled">,
  segments: readonly Segment[],
  taken: readonly Extent[],
  direction: Frame["direction"],
): readonly Grid[] {
  return [...stacksOf(across), ...stacksOf(filled)].flatMap((stack): readonly Grid[] => {
    const [left, right] = [stack[0]!.from, stack[0]!.to];
    const extent = { left, right, top: stack[0]!.at, bottom: stack.at(-1)!.at };
    if (taken.some((one) => one.top < extent.bottom && one.bottom > extent.top && one.left < right && one.right > left))
      return [];
    const beside = segments.filter(
      (one) => one.left > left - SAME_END && one.right < right + SAME_END && one.baseline < extent.bottom + LAST_ROW,
    );
    const lines = rowsOf(beside).map((row) => rowOfPieces(row, direction));
    const inside = lines.filter(({ baseline }) => baseline > extent.top && baseline < extent.bottom);
    const columns = smallColumnsOf(inside.filter(({ smallPieces }) => smallPieces.length > 1));
    if (columns.length < 2) return [];
    const header = headerAbove(
      lines.filter(({ baseline }) => baseline <= extent.top),
      extent.top,
    );
    const bottom = rowBelow(
      lines.filter(({ baseline }) => baseline >= extent.bottom),
      stack,
      columns,
    );
    const places = [header, ...stack.map(({ at }) => at), bottom].filter((place) => place !== undefined);
    const grid = gridOf({ left, right, places, columns, lines }, direction);
    return grid ? [grid] : [];
  });
}

/** Returns the sets of lines that begin and end at the same places, from the top. */
function stacksOf(across: readonly Edge[]): readonly (readonly Edge[])[] {
  const stacks: Edge[][] = [];
  for (const edge of across) {
    const stack = stacks.find(
      ([first]) => Math.abs(first!.from - edge.from) < SAME_END && Math.abs(first!.to - edge.to) < SAME_END,
    );
    if (stack) stack.push(edge);
    else stacks.push([edge]);
  }
  return stacks.flatMap(dividedAtGaps).filter((stack) => stack.length >= MIN_LINES);
}

/** Divides a stack where lines are much farther apart than most. */
function dividedAtGaps(stack: readonly Edge[]): readonly (readonly Edge[])[] {
  const gaps = stack.slice(1).map(({ at }, index) => at - stack[index]!.at);
  const usual = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] ?? 0;
  const parts: Edge[][] = [];
  for (const [index, edge] of stack.entries()) {
    if (index === 0 || gaps[index - 1]! > HIGH * usual) parts.push([edge]);
    else parts.at(-1)!.push(edge);
  }
  return parts;
}

/** Returns the upper edge of a header that no line is above. @returns undefined without a header */
function headerAbove(lines: readonly PieceRow[], top: number): number | undefined {
  let [edge, count]: [number | undefined, number] = [undefined, 0];
  let below = top;
  for (const { smallPieces: pieces, size, baseline } of lines.toReversed()) {
    if (below - baseline > HEADER_PITCH * size || count === MAX_HEADER_LINES) break;
    if (pieces.length > 1) edge = Math.min(...pieces.map((one) => one.top));
    [below, count] = [baseline, count + 1];
  }
  return edge;
}

/** Returns the lower edge of a last row without a line below. @returns undefined without such a row */
function rowBelow(lines: readonly PieceRow[], stack: readonly Edge[], columns: readonly Column[]): number | undefined {
  const [last, before] = [stack.at(-1)!.at, stack.at(-2)!.at];
  const pieces = lines.filter(({ baseline }) => baseline < 2 * last - before).flatMap(({ smallPieces }) => smallPieces);
  const isInColumn = ({ left, right }: Segment) =>
    columns.some((column, at) => left > column.left - SAME_END && right < (columns[at + 1]?.left ?? Infinity));
  if (pieces.length < 2 || !pieces.every(isInColumn)) return undefined;
  return Math.max(...pieces.map((one) => one.bottom));
}

interface Layout {
  readonly left: number;
  readonly right: number;
  /** The edges of rows, from the top. */
  readonly places: readonly number[];
  readonly columns: readonly Column[];
  readonly lines: readonly PieceRow[];
}

/** @returns undefined if few rows have text in several columns */
export function gridOf(
  { left, right, places, columns, lines }: Layout,
  direction: Frame["direction"],
): Grid | undefined {
  const between = columns.slice(1).map((column, at) => (columns[at]!.right + column.left) / 2);
  const xs = [left - SAME_END, ...between, right + SAME_END];
  const cells: GridCell[] = [];
  let tabular = 0;
  for (let row = 0; row + 1 < places.length; row++) {
    const [top, bottom] = [places[row]!, places[row + 1]!];
    const own = lines.filter(({ baseline }) => baseline > top && baseline <= bottom);
    const placed = inColumns(
      own.flatMap(({ smallPieces }) => smallPieces),
      columns,
      direction,
    );
    if (placed.filter((cell) => cell.length > 0).length > 1) tabular++;
    const edges = edgesOfCells(placed, xs);
    for (let column = 0, end = 1; column < columns.length; column = end++) {
      // A piece over the next column joins the cells.
      const reach = Math.max(...placed[column]!.map((piece) => piece.right));
      while (end < columns.length && placed[end]!.length === 0 && reach > columns[end]!.left + SAME_END) end++;
      const columnSpan = end - column;
      cells.push({ ...{ column, row, columnSpan, rowSpan: 1, top, bottom }, left: edges[column]!, right: edges[end]! });
    }
  }
  if (tabular < TABULAR * (places.length - 1)) return undefined;
  const [top, bottom] = [places[0]!, places.at(-1)!];
  return {
    ...{ left: xs[0]!, right: xs.at(-1)!, top, bottom, cells },
    ...{ columnCount: columns.length, rowCount: places.length - 1 },
  };
}

/** Returns the edges of the cells of a row, which are between its pieces. */
const edgesOfCells = (placed: PlacedRow, xs: readonly number[]): readonly number[] =>
  xs.map((x, at) => {
    const before = Math.max(...(placed[at - 1] ?? []).map(({ right }) => right));
    const after = Math.min(...(placed[at] ?? []).map(({ left }) => left));
    const isBetween = x > before && x < after;
    return isBetween || !Number.isFinite(before) || !Number.isFinite(after) ? x : (before + after) / 2;
  });

export function rowOfPieces(row: readonly Segment[], direction: Frame["direction"]): PieceRow {
  const { baseline, size } = row[0]!;
  const pieces = piecesOf(row, direction);
  const smallPieces = piecesOf(row, direction, SMALL_CELL_SPACE);
  return { ...{ pieces, smallPieces, baseline, size }, isBold: false, isMonospaced: false };
}
