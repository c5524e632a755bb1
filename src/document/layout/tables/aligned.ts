// Finds tables by the alignment of their cells: rows of pieces with wide spaces, whose spaces are below each other.

import { markerIn } from "../lines/paragraphs.ts";
import type { Frame } from "../lines/segments.ts";
import {
  columnsOf,
  inColumns,
  OVERLAPPING,
  type Piece,
  type PieceRow,
  type PlacedRow,
  smallColumnsOf,
  withContinuations,
} from "./columns.ts";
import type { Edge } from "./edges.ts";

/** Rows of a column that are a table: the cells of each row, by column. */
export interface AlignedTable {
  /** Index of its first row, and of the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly PlacedRow[];
}

const MIN_ROWS = 3;
const MAX_ROWS = 2000;
/** Maximum number of pieces of a page that are compared with each other, again for each row that can be the first. */
const MAX_COMPARED = 1_000_000;
/** Maximum distance of rows, in font sizes. */
const FAR = 4;
/** Number of rows above with which a row is compared, and distance of edges that are one, in font sizes. */
const NEAR = 4;
const SAME_EDGE = 0.4;
/** Maximum width of a part of a cell that can be below any column, in font sizes. */
const NARROW = 6;
/** Maximum distance of the lines of a cell, in font sizes. */
const NEXT_LINE = 1.8;
/** Minimum width of the space between columns, in font sizes. */
const SPACE = 0.6;
/** Part of the rows that must have text in most columns. */
const FILLED = 0.5;
/** Part of the width of a table that its rules cover. */
const RULED = 0.5;
/** Minimum length of a line of prose, and part of such lines that start in the middle of a sentence. */
const LONG = 36;
const MIDDLE = 0.4;
const MARKER = /^(?:[•‣◦▪▫●○■□∙·–—*-]|[([]?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)\]])$/u;
const LEADER = /\.{4}|(?:\. ){4}|…{2}/;

/** Returns the tables among the rows of a column. */
export function alignedTables(
  rows: readonly PieceRow[],
  rules: readonly Edge[],
  direction: Frame["direction"],
): readonly AlignedTable[] {
  const tables: AlignedTable[] = [];
  let compared = 0;
  for (let from = 0; from < rows.length && compared < MAX_COMPARED; from++) {
    if (!isTabular(rows[from]!)) continue;
    let to = from + 1;
    while (to < rows.length && to - from < MAX_ROWS && goesOn(rows, from, to)) to++;
    for (let row = from; row < to; row++) compared += rows[row]!.pieces.length;
    while (!isInTabularRow(rows, to - 1) && !hangs(rows[to - 1]!, rows[from]!)) to--;
    const start = startOf(rows, from, tables.at(-1)?.to ?? 0);
    const table = tableOf(rows.slice(start, to), rules, direction);
    if (!table) continue;
    tables.push({ from: start, to, rows: table });
    from = to - 1;
  }
  return tables;
}

const isTabular = ({ pieces }: PieceRow): boolean => pieces.length > 1;

const overlap = (row: PieceRow, next: PieceRow): boolean => next.baseline - row.baseline < OVERLAPPING * next.size;

/** Reports whether a row has several pieces, or overlaps one that has. */
const isInTabularRow = (rows: readonly PieceRow[], at: number): boolean =>
  [at - 1, at, at + 1].some((one) => {
    const [row, other] = [rows[one], rows[at]!];
    return (
      row !== undefined && isTabular(row) && (one === at || overlap(one < at ? row : other, one < at ? other : row))
    );
  });

const widest = <T>(one: readonly T[], other: readonly T[]): readonly T[] => (other.length > one.length ? other : one);

/** Returns the first row that overlaps the next one: a cell with several lines starts above the others. */
function startOf(rows: readonly PieceRow[], from: number, least: number): number {
  let start = from;
  while (start > least && overlap(rows[start - 1]!, rows[start]!)) start--;
  return start;
}

/** Reports whether a row is right of the first column, so that it goes on with a cell. */
const hangs = (row: PieceRow, first: PieceRow): boolean => row.pieces[0]!.left > first.pieces[0]!.left + row.size;

/** Reports whether a row can belong to a table that starts before. */
function goesOn(rows: readonly PieceRow[], from: number, at: number): boolean {
  const [row, before] = [rows[at]!, rows[at - 1]!];
  const above = tabularAbove(rows, from, at);
  const distance = row.baseline - before.baseline;
  if (distance > FAR * row.size) return false;
  if (isTabular(row) || isAlignedWith(row.smallPieces, row.size, above)) return true;
  // The lines of a cell overlap those of cells whose text is in the middle of the row.
  const next = rows[at + 1];
  const startsRow = next !== undefined && isTabular(next) && overlap(row, next);
  if (startsRow || overlap(before, row)) return true;
  // A cell can go on in the next line.
  const [piece] = row.pieces as [Piece];
  const isNarrow = piece.right - piece.left < NARROW * row.size && isAlignedWith([piece, piece], row.size, above);
  return distance < NEXT_LINE * row.size && (isNarrow || isBelowCell(piece, row.size, above[0]!));
}

/** Returns the last rows of several pieces above a row, the nearest first. */
function tabularAbove(rows: readonly PieceRow[], from: number, at: number): readonly PieceRow[] {
  const found: PieceRow[] = [];
  for (let row = at - 1; row >= from && found.length < NEAR; row--) if (isTabular(rows[row]!)) found.push(rows[row]!);
  return found;
}

/** Reports whether a piece is below one of a row, or inside its width, and ends before the next one. */
const isBelowCell = ({ left, right }: Piece, size: number, { pieces }: PieceRow): boolean =>
  pieces.some((piece, index) => {
    const next = pieces[index + 1];
    const isInside = left > piece.left - 1 && right < piece.right + 1;
    return isInside || (Math.abs(piece.left - left) < 2 * size && (!next || right < next.left - SPACE * size));
  });

/** Reports whether a row with small spaces has its pieces at the edges of those above. */
function isAlignedWith(small: readonly Piece[], size: number, above: readonly PieceRow[]): boolean {
  const isAligned = ({ left, right }: Piece) =>
    above.some(({ pieces }) =>
      pieces.some((one) => Math.min(Math.abs(one.left - left), Math.abs(one.right - right)) < SAME_EDGE * size),
    );
  return small.length > 1 && small.every(isAligned);
}

function tableOf(
  own: readonly PieceRow[],
  rules: readonly Edge[],
  direction: Frame["direction"],
): readonly PlacedRow[] | undefined {
  const tabular = own.filter(isTabular);
  const [left, right] = [
    Math.min(...own.map(({ pieces }) => pieces[0]!.left)),
    Math.max(...own.map(({ pieces }) => pieces.at(-1)!.right)),
  ];
  const between = rules.filter(
    ({ at, from, to }) =>
      Math.min(to, right) - Math.max(from, left) > RULED * (right - left) &&
      at > own[0]!.baseline - 2 * own[0]!.size &&
      at < own.at(-1)!.baseline + 2 * own.at(-1)!.size,
  );
  const isHeaded = own[0]!.isBold && own[1]?.isBold === false;
  if (tabular.length < (between.length > 1 || isHeaded ? 2 : MIN_ROWS)) return undefined;
  if (own.every(({ isMonospaced }) => isMonospaced) || areItems(own)) return undefined;
  const columns = widest(smallColumnsOf(tabular), columnsOf(own.filter((_, at) => isInTabularRow(own, at))));
  if (columns.length < 2) return undefined;
  const placed = own.map((row) => inColumns(row.smallPieces, columns, direction));
  if (isList(placed) || isContents(own) || (between.length < 2 && isProse(placed))) return undefined;
  const merged = withContinuations(own, placed, between);
  const filled = merged.filter((cells) => cells.filter((cell) => cell.length > 0).length * 2 > columns.length);
  if (merged.length < 2 || filled.length < FILLED * merged.length) return undefined;
  return merged;
}

const textIn = (cell: readonly Piece[]): string => cell.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");

const isList = (rows: readonly PlacedRow[]): boolean =>
  rows[0]!.length === 2 && rows.every(([first]) => first!.length === 0 || MARKER.test(textIn(first!)));

/** Reports whether rows are items of a list, at any levels, with space after their markers. */
const areItems = (rows: readonly PieceRow[]): boolean =>
  rows.every(({ pieces: [first, text, ...others] }) => {
    if (!text) return true;
    return others.length === 0 && first!.words.length === 1 && markerIn([...first!.words, ...text.words]) !== undefined;
  });

/** Reports whether a column has lines of running text, which is beside other text by chance. */
const isProse = (rows: readonly PlacedRow[]): boolean =>
  rows[0]!.some((_, column) => {
    const lines = rows.map((row) => textIn(row[column]!)).filter((text) => text.length >= LONG);
    const inside = lines.filter((text) => /^\p{Ll}/u.test(text));
    return lines.length > 2 && inside.length > MIDDLE * lines.length;
  });

const isContents = (rows: readonly PieceRow[]): boolean =>
  rows.filter(({ pieces }) => LEADER.test(textIn(pieces))).length * 2 > rows.length;
