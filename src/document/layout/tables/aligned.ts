// Finds tables by the alignment of their cells: rows of pieces with wide spaces, whose spaces are below each other.
import type { Segment } from "../lines/segments.ts";
import type { Edge } from "./edges.ts";

/** Words of a row with a wide space on either side. */
type Piece = Segment;

export interface PieceRow {
  readonly pieces: readonly Piece[];
  readonly baseline: number;
  readonly size: number;
  readonly isBold: boolean;
  readonly isMonospaced: boolean;
}

/** Rows of a column that are a table: the cells of each row, by column. */
export interface AlignedTable {
  /** Index of its first row, and of the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly (readonly (readonly Piece[])[])[];
}

const MIN_ROWS = 3;
const MAX_ROWS = 2000;
/** Maximum number of pieces of a page that are compared with each other, again for each row that can be the first. */
const MAX_COMPARED = 1_000_000;
/** Maximum distance of rows, in font sizes. */
const FAR = 4;
/** Part of the rows that can cross the space between two columns: headers over several of them. */
const CROSSING = 0.12;
/** Minimum width of that space, in font sizes. */
const SPACE = 0.6;
/** Part of the rows that must have text in most columns. */
const FILLED = 0.5;
/** Part of the width of a table that its rules cover. */
const RULED = 0.5;
/** Minimum length of a line of prose, and part of such lines that start in the middle of a sentence. */
const LONG = 36;
const MIDDLE = 0.4;
/** Factor by which rows with several lines are farther apart than their lines. */
const APART = 1.12;
/** Part of the other lines that have no text in some column. */
const PARTIAL = 0.6;
const MARKER = /^(?:[•‣◦▪▫●○■□∙·–—*-]|[([]?(?:\d{1,3}|[A-Za-z]|[ivx]{1,5})[.)\]])$/u;
const LEADER = /\.{4}|(?:\. ){4}|…{2}/;

/** Returns the tables among the rows of a column. */
export function alignedTables(rows: readonly PieceRow[], rules: readonly Edge[]): readonly AlignedTable[] {
  const tables: AlignedTable[] = [];
  let compared = 0;
  for (let from = 0; from < rows.length && compared < MAX_COMPARED; from++) {
    if (!isTabular(rows[from]!)) continue;
    let to = from + 1;
    while (to < rows.length && to - from < MAX_ROWS && goesOn(rows, to)) to++;
    for (let row = from; row < to; row++) compared += rows[row]!.pieces.length;
    while (!isTabular(rows[to - 1]!) && !hangs(rows[to - 1]!, rows[from]!)) to--;
    const table = tableOf(rows, from, to, rules);
    if (!table) continue;
    tables.push(table);
    from = table.to - 1;
  }
  return tables;
}

const isTabular = ({ pieces }: PieceRow): boolean => pieces.length > 1;

/** Reports whether a row is right of the first column, so that it goes on with a cell. */
const hangs = (row: PieceRow, first: PieceRow): boolean => row.pieces[0]!.left > first.pieces[0]!.left + row.size;

/** Reports whether a row can belong to a table that contains the row before. */
function goesOn(rows: readonly PieceRow[], at: number): boolean {
  const [row, before] = [rows[at]!, rows[at - 1]!];
  if (row.baseline - before.baseline > FAR * row.size) return false;
  if (isTabular(row)) return true;
  // A cell can go on in the next line.
  const { left, right } = row.pieces[0]!;
  let last = at - 1;
  while (!isTabular(rows[last]!)) last--;
  const above = rows[last]!;
  return (
    row.baseline - before.baseline < 1.8 * row.size &&
    above.pieces.some((piece, index) => {
      const next = above.pieces[index + 1];
      return Math.abs(piece.left - left) < 2 * row.size && (!next || right < next.left - SPACE * row.size);
    })
  );
}

function tableOf(
  rows: readonly PieceRow[],
  from: number,
  to: number,
  rules: readonly Edge[],
): AlignedTable | undefined {
  const own = rows.slice(from, to);
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
  if (own.every(({ isMonospaced }) => isMonospaced)) return undefined;
  const columns = columnsOf(tabular);
  if (columns.length < 2) return undefined;
  const placed = own.map((row) => inColumns(row, columns));
  if (isList(placed) || isContents(own) || (between.length < 2 && isProse(placed))) return undefined;
  const merged = withContinuations(own, placed, between);
  const filled = merged.filter((cells) => cells.filter((cell) => cell.length > 0).length * 2 > columns.length);
  if (merged.length < 2 || filled.length < FILLED * merged.length) return undefined;
  return { from, to, rows: merged };
}

interface Column {
  readonly left: number;
  readonly right: number;
}

/** Returns the columns between the spaces that almost no row crosses. */
function columnsOf(rows: readonly PieceRow[]): readonly Column[] {
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
      if (last && left - last.right < SPACE * size) columns[columns.length - 1] = { left: last.left, right: place };
      else columns.push({ left, right: place });
    }
  }
  return columns;
}

/** Places the pieces of a row in the columns that they overlap most. */
function inColumns({ pieces }: PieceRow, columns: readonly Column[]): readonly (readonly Piece[])[] {
  const cells = columns.map((): Piece[] => []);
  for (const piece of pieces) {
    let [best, most] = [0, Number.NEGATIVE_INFINITY];
    for (const [index, { left, right }] of columns.entries()) {
      const overlap = Math.min(right, piece.right) - Math.max(left, piece.left);
      if (overlap > most) [best, most] = [index, overlap];
    }
    cells[best]!.push(piece);
  }
  return cells;
}

const textIn = (cell: readonly Piece[]): string => cell.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");

const isList = (rows: readonly (readonly (readonly Piece[])[])[]): boolean =>
  rows[0]!.length === 2 && rows.every(([first]) => first!.length === 0 || MARKER.test(textIn(first!)));

/** Reports whether a column has lines of running text, which is beside other text by chance. */
const isProse = (rows: readonly (readonly (readonly Piece[])[])[]): boolean =>
  rows[0]!.some((_, column) => {
    const lines = rows.map((row) => textIn(row[column]!)).filter((text) => text.length >= LONG);
    const inside = lines.filter((text) => /^\p{Ll}/u.test(text));
    return lines.length > 2 && inside.length > MIDDLE * lines.length;
  });

const isContents = (rows: readonly PieceRow[]): boolean =>
  rows.filter(({ pieces }) => LEADER.test(textIn(pieces))).length * 2 > rows.length;

/** Joins the lines of cells: those between two rules, or those without text in the first column. */
function withContinuations(
  rows: readonly PieceRow[],
  placed: readonly (readonly (readonly Piece[])[])[],
  rules: readonly Edge[],
): readonly (readonly (readonly Piece[])[])[] {
  const merged: (readonly Piece[])[][] = [];
  const isRuled = rules.length >= 4;
  const limit = isRuled ? undefined : rowDistance(rows, placed);
  for (const [at, cells] of placed.entries()) {
    const [row, before] = [rows[at]!, rows[at - 1]];
    const last = merged.at(-1);
    const isDivided = before && rules.some((rule) => rule.at > before.baseline && rule.at < row.baseline);
    const distance = before ? row.baseline - before.baseline : Number.POSITIVE_INFINITY;
    const isBelowHeader = before?.isBold === true && !row.isBold;
    const continues = isBelowHeader
      ? false
      : isRuled
        ? !isDivided
        : limit !== undefined
          ? !isDivided && distance < limit
          : !isDivided && cells[0]!.length === 0 && distance < 1.7 * row.size && cells.some((cell) => cell.length > 0);
    if (last && continues) merged[merged.length - 1] = last.map((cell, column) => [...cell, ...cells[column]!]);
    else merged.push([...cells]);
  }
  return merged;
}

/**
 * Returns the distance above which lines belong to different rows, if rows have several lines.
 * @returns undefined if each line is a row
 */
function rowDistance(
  rows: readonly PieceRow[],
  placed: readonly (readonly (readonly Piece[])[])[],
): number | undefined {
  const distances = rows.slice(1).map(({ baseline }, at) => baseline - rows[at]!.baseline);
  const limit = Math.min(...distances) * APART;
  const inside = placed.slice(1).filter((_, at) => distances[at]! < limit);
  const isDivided = inside.length < distances.length;
  const partial = inside.filter((cells) => cells.some((cell) => cell.length === 0));
  return isDivided && partial.length > PARTIAL * inside.length ? limit : undefined;
}
