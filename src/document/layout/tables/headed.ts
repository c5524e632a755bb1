// Finds tables that have one line, which is below their header. The words of the header show the columns.
import { piecesOf, rowsOf } from "../lines/rows.ts";
import type { Extent, Frame, Segment } from "../lines/segments.ts";
import { gridOf, rowOfPieces } from "./banded.ts";
import { type Column, type Piece, type PieceRow, type PlacedRow, withContinuations } from "./columns.ts";
import type { Edge } from "./edges.ts";
import type { Grid } from "./ruled.ts";

/** Distance of a header from its line, and of the lines of a table, in font sizes. */
const HEADER = 1.6;
const MAX_HEADER_LINES = 3;
/** Factor by which rows are farther apart than lines. */
const APART = 1.1;
const FAR = 2.6;
/** Difference of the ends of lines, in points. */
const SAME_END = 3;
/** Minimum width of the space between columns, in font sizes. */
const SPACE = 0.35;
/** Minimum length of a line of prose in characters, and part of such lines that start in the middle of a sentence. */
const LONG = 30;
const MIDDLE = 0.4;
/** Maximum number of lines that are compared with the text below. */
const MAX_RULES = 200;

/** @param taken grids that are known already */
export function headedGrids(
  across: readonly Edge[],
  segments: readonly Segment[],
  taken: readonly Extent[],
  direction: Frame["direction"],
): readonly Grid[] {
  const found: Extent[] = [...taken];
  return across.slice(0, MAX_RULES).flatMap((rule): readonly Grid[] => {
    const isInside = ({ left, right, top, bottom }: Extent) =>
      rule.at > top - SAME_END && rule.at < bottom + SAME_END && rule.from < right && rule.to > left;
    if (found.some(isInside)) return [];
    const grid = gridBelow(rule, across, segments, direction);
    if (!grid) return [];
    found.push(grid);
    return [grid];
  });
}

function gridBelow(
  rule: Edge,
  across: readonly Edge[],
  segments: readonly Segment[],
  direction: Frame["direction"],
): Grid | undefined {
  const { at, from: left, to: right } = rule;
  const beside = segments.filter((one) => one.right > left && one.left < right);
  const rows = rowsOf(beside).map((row) => ({ row, line: rowOfPieces(row, direction) }));
  const header = rows.findLast(({ line }) => line.baseline <= at + 1);
  if (!header || at - header.line.baseline > HEADER * header.line.size) return undefined;
  const titles = piecesOf(header.row, direction);
  if (titles.length < 2 || titles[0]!.left < left - SAME_END || titles.at(-1)!.right > right + SAME_END)
    return undefined;
  const end = across.find(
    (one) =>
      one.at > at + header.line.size && Math.abs(one.from - left) < SAME_END && Math.abs(one.to - right) < SAME_END,
  );
  const columns = new GrowingColumns(titles, [left, right]);
  const [lines, placed]: [PieceRow[], PlacedRow[]] = [[], []];
  let before = at + header.line.size;
  for (const { line } of rows) {
    if (line.baseline <= at + 1) continue;
    const isFar = line.baseline - before > FAR * line.size || (end && line.baseline > end.at);
    const cells = isFar ? undefined : columns.add(line.smallPieces, line.size);
    if (!cells) break;
    lines.push(line);
    placed.push(cells);
    before = line.baseline;
  }
  for (; isBelowTable(lines, placed.at(-1)); lines.pop()) placed.pop();
  if (lines.length < 2 || isProse(placed)) return undefined;
  const above = headerAbove(rows.map(({ line }) => line).slice(0, rows.indexOf(header)), header.line, columns);
  const head = [...above, header.line];
  const top = Math.min(...head.flatMap(({ pieces }) => pieces.map((piece) => piece.top))) - 1;
  const isDivided = lines.every(({ baseline, size }, index) => {
    const before = lines[index - 1];
    return (
      before === undefined ||
      baseline - before.baseline >
        APART *
          pitchOf(
            rows.map(({ line }) => line),
            size,
          )
    );
  });
  const places = [top, at, ...edgesOfRows(isDivided ? placed : withContinuations(lines, placed, []))];
  return gridOf({ left, right, places, columns: columns.all, lines: [...head, ...lines] }, direction);
}

/** Columns that become wider with the text below their titles, as long as there is space between them. */
class GrowingColumns {
  #columns: readonly Column[];
  readonly #sides: readonly [left: number, right: number];

  constructor(titles: readonly Piece[], sides: readonly [left: number, right: number]) {
    this.#columns = titles.map(({ left, right }) => ({ left, right }));
    this.#sides = sides;
  }

  get all(): readonly Column[] {
    return this.#columns;
  }

  /** @returns the pieces by column; undefined if one is in several columns, or outside */
  add(pieces: readonly Piece[], size: number): PlacedRow | undefined {
    const columns = [...this.#columns];
    const cells = columns.map((): Piece[] => []);
    for (const piece of pieces) {
      const at = this.#columnOf(columns, piece, size);
      if (at === undefined) return undefined;
      const { left, right } = columns[at]!;
      columns[at] = { left: Math.min(left, piece.left), right: Math.max(right, piece.right) };
      cells[at]!.push(piece);
    }
    this.#columns = columns;
    return cells;
  }

  #columnOf(columns: readonly Column[], { left, right }: Piece, size: number): number | undefined {
    const fits = columns.flatMap((column, at) => {
      const from = (columns[at - 1]?.right ?? this.#sides[0] - SAME_END) + (at > 0 ? SPACE * size : 0);
      const to = (columns[at + 1]?.left ?? this.#sides[1] + SAME_END) - (at + 1 < columns.length ? SPACE * size : 0);
      const distance = Math.min(Math.abs(column.left - left), Math.abs(column.right - right));
      return left >= from && right <= to ? [{ at, distance }] : [];
    });
    return fits.sort((one, other) => one.distance - other.distance)[0]?.at;
  }
}

/** Reports whether the last line is text below the table that is short enough for its first column. */
function isBelowTable(lines: readonly PieceRow[], last: PlacedRow | undefined): boolean {
  if (!last || last.slice(1).some((cell) => cell.length > 0)) return false;
  const distances = lines.slice(1).map(({ baseline }, at) => baseline - lines[at]!.baseline);
  const usual = distances.toSorted((a, b) => a - b)[distances.length >> 1];
  return usual !== undefined && distances.at(-1)! > APART * usual;
}

/** Returns the further lines of a header, which are in its columns. */
function headerAbove(lines: readonly PieceRow[], header: PieceRow, columns: GrowingColumns): readonly PieceRow[] {
  const found: PieceRow[] = [];
  let below = header;
  for (const line of lines.toReversed()) {
    const isNear = below.baseline - line.baseline < HEADER * line.size && Math.abs(line.size - below.size) < 0.5;
    if (!isNear || found.length + 1 === MAX_HEADER_LINES || !columns.add(line.smallPieces, line.size)) break;
    found.unshift(line);
    below = line;
  }
  return found;
}

/** Returns the least distance of lines of a size that several have. */
function pitchOf(lines: readonly PieceRow[], size: number): number {
  const distances = lines.flatMap((line, at) => {
    const distance = line.baseline - (lines[at - 1]?.baseline ?? Number.NaN);
    return Math.abs(line.size - size) < 0.5 && distance > size && distance < HEADER * size ? [distance] : [];
  });
  return distances.sort((a, b) => a - b)[Math.min(2, distances.length - 1)] ?? Number.POSITIVE_INFINITY;
}

/** Returns the lower edges of rows: in the middle between the lines of two rows. */
function edgesOfRows(rows: readonly PlacedRow[]): readonly number[] {
  const bottoms = rows.map((cells) => Math.max(...cells.flat().map(({ bottom }) => bottom)));
  const tops = rows.map((cells) => Math.min(...cells.flat().map(({ top }) => top)));
  return bottoms.map((bottom, at) => (tops[at + 1] === undefined ? bottom + 1 : (bottom + tops[at + 1]!) / 2));
}

/** Reports whether each column is running text, as below the head of a page with two columns. */
const isProse = (rows: readonly PlacedRow[]): boolean =>
  rows[0]!.every((_, column) => {
    const lines = rows
      .map((row) => row[column]!.flatMap(({ words }) => words.map(({ text }) => text)).join(" "))
      .filter((text) => text.length >= LONG);
    return lines.length > 2 && lines.filter((text) => /^\p{Ll}/u.test(text)).length > MIDDLE * lines.length;
  });
