// Finds tables by the alignment of their cells: rows of pieces with wide spaces, whose spaces are below each other.
import { type Column, smallColumnsOf, OVERLAPPING, type Piece, type PieceRow, type PlacedRow, withContinuations } from "./columns.ts";
import type { Edge } from "./edges.ts";

/** Rows of a column that are a table: the cells of each row, by column. */
export interface AlignedTable {
  /** Index of its first row, and of the one after its last. */
  readonly from: number;
  readonly to: number;
  readonly rows: readonly PlacedRow[];
}

const MIN_ROWS = 3;
/** Maximum distance of rows, in font sizes. */
const FAR = 4;
/** Number of rows above with which a row is compared, and distance of edges that are one, in font sizes. */
const NEAR = 4;
const SAME_EDGE = 0.4;
/** Maximum width of a part of a cell that can be below any column, in font sizes. */
const SMALL = 6;
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
export function alignedTables(rows: readonly PieceRow[], rules: readonly Edge[]): readonly AlignedTable[] {
  const tables: AlignedTable[] = [];
  for (let from = 0; from < rows.length; from++) {
    if (!isTabular(rows[from]!)) continue;
    let to = from + 1;
    while (to < rows.length && goesOn(rows, from, to)) to++;
    while (!isTabular(rows[to - 1]!) && !hangs(rows[to - 1]!, rows[from]!)) to--;
    const start = startOf(rows, from, tables.at(-1)?.to ?? 0);
    const table = tableOf(rows, start, to, rules);
    if (!table) continue;
    tables.push(table);
    from = table.to - 1;
  }
  return tables;
}

const isTabular = ({ pieces }: PieceRow): boolean => pieces.length > 1;

/** Returns the first row that overlaps the next one: a cell with several lines starts above the others. */
function startOf(rows: readonly PieceRow[], from: number, least: number): number {
  let start = from;
  while (start > least && rows[start]!.baseline - rows[start - 1]!.baseline < OVERLAPPING * rows[start]!.size) start--;
  return start;
}

/** Reports whether a row is right of the first column, so that it goes on with a cell. */
const hangs = (row: PieceRow, first: PieceRow): boolean => row.pieces[0]!.left > first.pieces[0]!.left + row.size;

/** Reports whether a row can belong to a table that starts before. */
function goesOn(rows: readonly PieceRow[], from: number, at: number): boolean {
  const [row, before] = [rows[at]!, rows[at - 1]!];
  if (row.baseline - before.baseline > FAR * row.size) return false;
  if (isTabular(row) || isAlignedWith(row, rows.slice(from, at))) return true;
  // A cell can go on in the next line.
  const [{ left, right }] = row.pieces as [Piece];
  const above = rows.slice(from, at).findLast(isTabular)!;
  const isSmall = right - left < SMALL * row.size && isAlignedWith({ ...row, smallPieces: [row.pieces[0]!, row.pieces[0]!] }, rows.slice(from, at));
  if (isSmall && row.baseline - before.baseline < 1.8 * row.size) return true;
  return (
    row.baseline - before.baseline < 1.8 * row.size &&
    above.pieces.some((piece, index) => {
      const next = above.pieces[index + 1];
      return Math.abs(piece.left - left) < 2 * row.size && (!next || right < next.left - SPACE * row.size);
    })
  );
}

/** Reports whether a row with small spaces has its pieces at the edges of those above. */
function isAlignedWith({ smallPieces, size }: PieceRow, above: readonly PieceRow[]): boolean {
  const near = above.filter(isTabular).slice(-NEAR);
  const isAligned = ({ left, right }: Piece) =>
    near.some(({ pieces }) =>
      pieces.some((one) => Math.min(Math.abs(one.left - left), Math.abs(one.right - right)) < SAME_EDGE * size),
    );
  return smallPieces.length > 1 && smallPieces.every(isAligned);
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
  const columns = smallColumnsOf(tabular);
  if (columns.length < 2) return undefined;
  const placed = own.map((row) => inColumns(row, columns));
  if (isList(placed) || isContents(own) || (between.length < 2 && isProse(placed))) return undefined;
  const merged = withContinuations(own, placed, between);
  const filled = merged.filter((cells) => cells.filter((cell) => cell.length > 0).length * 2 > columns.length);
  if (merged.length < 2 || filled.length < FILLED * merged.length) return undefined;
  return { from, to, rows: merged };
}

/** Places the pieces of a row in the columns that they overlap most. */
function inColumns({ smallPieces }: PieceRow, columns: readonly Column[]): PlacedRow {
  const cells = columns.map((): Piece[] => []);
  for (const piece of smallPieces) {
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

const isList = (rows: readonly PlacedRow[]): boolean =>
  rows[0]!.length === 2 && rows.every(([first]) => first!.length === 0 || MARKER.test(textIn(first!)));

/** Reports whether a column has lines of running text, which is beside other text by chance. */
const isProse = (rows: readonly PlacedRow[]): boolean =>
  rows[0]!.some((_, column) => {
    const lines = rows.map((row) => textIn(row[column]!)).filter((text) => text.length >= LONG);
    const inside = lines.filter((text) => /^\p{Ll}/u.test(text));
    return lines.length > 2 && inside.length > MIDDLE * lines.length;
  });

const isContents = (rows: readonly PieceRow[]): boolean =>
  rows.filter(({ pieces }) => LEADER.test(textIn(pieces))).length * 2 > rows.length;

