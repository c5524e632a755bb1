// Finds the columns of aligned text, and the lines that are in one row of a table.

import { segmentOf } from "../lines/growing-segment.ts";
import type { Word } from "../lines/page-text.ts";
import { extentOf, type Frame, type Segment } from "../lines/segments.ts";
import type { Edge } from "./edges.ts";

/** Words of a row with a wide space on either side. */
export type Piece = Segment;

export interface PieceRow {
  readonly pieces: readonly Piece[];
  /** The pieces, also divided at spaces that can be between cells. */
  readonly smallPieces: readonly Piece[];
  readonly baseline: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly isMonospaced: boolean;
}

/** The pieces of a row, by column. */
export type PlacedRow = readonly (readonly Piece[])[];

/** Part of the rows that can cross the space between two columns: headers over several of them. */
const CROSSING = 0.12;
/** Minimum width of that space, in font sizes. */
const SPACE = 0.6;
/** Factor by which rows with several lines are farther apart than their lines. */
const APART = 1.12;
/** Part of the other lines that have no text in some column. */
const PARTIAL = 0.6;
/** Distance of baselines below which lines overlap, in font sizes. */
export const OVERLAPPING = 0.95;

export interface Column {
  readonly left: number;
  readonly right: number;
}

/** Returns the columns between the spaces that almost no row crosses. */
export function columnsOf(rows: readonly Pick<PieceRow, "pieces" | "size">[], space = SPACE): readonly Column[] {
  const size = rows.reduce((sum, row) => sum + row.size, 0) / rows.length;
  const ends = rows
    .flatMap(({ pieces }) => pieces.flatMap(({ left, right }) => [[left, 1] as const, [right, -1] as const]))
    .sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  const allowed = Math.floor(rows.length * CROSSING);
  const columns: Column[] = [];
  let [depth, left] = [0, Number.NaN];
  for (const [place, change] of ends) {
    const before = depth;
    depth += change;
    if (before <= allowed && depth > allowed) left = place;
    else if (before > allowed && depth <= allowed) {
      const last = columns.at(-1);
      if (last && left - last.right < space * size) columns[columns.length - 1] = { left: last.left, right: place };
      else columns.push({ left, right: place });
    }
  }
  return columns;
}

/** Number of first rows that can be headers over several columns, and that of other rows which show the columns. */
const HEADERS = 2;
const MIN_ROWS = 3;
/** Minimum width of a space between columns that all rows have, in font sizes. */
const SMALL_SPACE = 0.35;
/** Part of the cells that must have text if columns are found by small spaces. */
const FILLED = 0.6;

/** Returns the columns between the spaces that no row crosses, however small; without headers if these cross spaces. */
export function smallColumnsOf(rows: readonly PieceRow[]): readonly Column[] {
  let best = columnsOf(rows);
  for (let headers = 0; headers <= HEADERS && rows.length - headers >= MIN_ROWS; headers++) {
    const below = rows.slice(headers);
    const small = below.map(({ smallPieces, size }) => ({ pieces: smallPieces, size }));
    for (const columns of [columnsOf(below), columnsOf(small, SMALL_SPACE)]) {
      if (columns.length > best.length && areFilled(columns, below)) best = columns;
    }
  }
  return best;
}

/** Reports whether most cells of columns have text; words of sentences are below each other by chance. */
function areFilled(columns: readonly Column[], rows: readonly PieceRow[]): boolean {
  const filled = rows.flatMap(({ smallPieces }) =>
    columns.filter((column) => smallPieces.some(({ left, right }) => left < column.right && right > column.left)),
  );
  return filled.length > FILLED * columns.length * rows.length;
}

/** Distance of the edge of a header from that of its column, and minimum space between headers, in font sizes. */
const SAME_EDGE = 0.35;
const HEADER_SPACE = 0.15;

/** Places pieces in the columns that they overlap most; divides those over several columns at the edges of columns. */
export function inColumns(
  pieces: readonly Piece[],
  columns: readonly Column[],
  direction: Frame["direction"],
): PlacedRow {
  const cells = columns.map((): Piece[] => []);
  for (const piece of pieces.flatMap((one) => dividedAtEdges(one, columns, direction))) {
    let [best, most] = [0, Number.NEGATIVE_INFINITY];
    for (const [index, { left, right }] of columns.entries()) {
      const overlap = Math.min(right, piece.right) - Math.max(left, piece.left);
      if (overlap > most) [best, most] = [index, overlap];
    }
    cells[best]!.push(piece);
  }
  return cells;
}

function dividedAtEdges(piece: Piece, columns: readonly Column[], direction: Frame["direction"]): readonly Piece[] {
  const over = columns.filter(({ left, right }) => left < piece.right && right > piece.left);
  if (over.length < 2 || piece.isRightToLeft) return [piece];
  const same = SAME_EDGE * piece.size;
  const parts: Piece[] = [];
  let words: Word[] = [];
  for (const word of piece.words) {
    const { left } = extentOf(word, direction);
    const before = words.length > 0 ? extentOf(words.at(-1)!, direction).right : Number.NaN;
    const isEdge =
      over.slice(1).some((column) => Math.abs(column.left - left) < same) ||
      over.slice(0, -1).some((column) => Math.abs(column.right - before) < same);
    if (isEdge && left - before > HEADER_SPACE * piece.size) {
      parts.push(segmentOf(words, direction));
      words = [];
    }
    words.push(word);
  }
  return parts.length === 0 ? [piece] : [...parts, segmentOf(words, direction)];
}

/** Lines of text in the cells of a row. */
interface RowLines {
  readonly cells: PlacedRow;
  /** Baselines of the first and the last line. */
  readonly first: number;
  readonly last: number;
  readonly size: number;
  readonly isBold: boolean;
}

/** Joins the lines of cells: those between two rules, or those without text in the first column. */
export function withContinuations(
  rows: readonly PieceRow[],
  placed: readonly PlacedRow[],
  rules: readonly Edge[],
): readonly PlacedRow[] {
  const lines = joinedOverlaps(rows, placed);
  const merged: PlacedRow[] = [];
  const isRuled = rules.length >= 4;
  const limit = isRuled ? undefined : rowDistance(lines);
  for (const [at, { cells, first, size, isBold }] of lines.entries()) {
    const before = lines[at - 1];
    const isDivided = before && rules.some((rule) => rule.at > before.last && rule.at < first);
    const distance = before ? first - before.last : Number.POSITIVE_INFINITY;
    const isBelowHeader = before?.isBold === true && !isBold;
    const continues = isBelowHeader
      ? false
      : isRuled
        ? !isDivided
        : limit !== undefined
          ? !isDivided && distance < limit
          : !isDivided && cells[0]!.length === 0 && distance < 1.7 * size && cells.some((cell) => cell.length > 0);
    if (before && continues) merged[merged.length - 1] = joinedCells(merged.at(-1)!, cells);
    else merged.push(cells);
  }
  return merged;
}

const joinedCells = (one: PlacedRow, next: PlacedRow): PlacedRow =>
  one.map((cell, column) => [...cell, ...next[column]!]);

/** Joins lines that overlap: those of cells whose text is in the middle of a row beside cells with several lines. */
function joinedOverlaps(rows: readonly PieceRow[], placed: readonly PlacedRow[]): readonly RowLines[] {
  const joined: RowLines[] = [];
  for (const [at, cells] of placed.entries()) {
    const { baseline, size, isBold } = rows[at]!;
    const before = joined.at(-1);
    if (before && baseline - before.last < OVERLAPPING * Math.min(size, before.size)) {
      joined[joined.length - 1] = {
        ...{ cells: joinedCells(before.cells, cells), first: before.first, last: baseline },
        ...{ size, isBold: isBold && before.isBold },
      };
    } else joined.push({ cells, first: baseline, last: baseline, size, isBold });
  }
  return joined;
}

/**
 * Returns the distance above which lines belong to different rows, if rows have several lines.
 * @returns undefined if each line is a row
 */
function rowDistance(lines: readonly RowLines[]): number | undefined {
  const distances = lines.slice(1).map(({ first }, at) => first - lines[at]!.last);
  const limit = Math.min(...distances) * APART;
  const inside = lines.slice(1).filter((_, at) => distances[at]! < limit);
  const isDivided = inside.length < distances.length;
  const partial = inside.filter(({ cells }) => cells.some((cell) => cell.length === 0));
  return isDivided && partial.length > PARTIAL * inside.length ? limit : undefined;
}
