// The lines between cells. Neighbors share a line; the more specific style determines it.
import { serializeNumber } from "../objects/serialize.ts";
import { type CellLook, type Edge, strongerEdge } from "./cell-look.ts";
import type { GridCell } from "./grid.ts";

/** A cell at its place among the rows of a page. */
export interface PagedCell {
  readonly cell: GridCell;
  readonly row: number;
  readonly rowSpan: number;
}

interface Columns {
  readonly edges: readonly number[];
  readonly isRightToLeft: boolean;
}

/** Lines with the same look, as path operators. */
export interface BorderLines {
  readonly edge: Edge;
  readonly path: string;
}

/** @param rowEdges positions of the edges of rows, from top to bottom */
export function borderLines(
  cells: readonly PagedCell[],
  rowEdges: readonly number[],
  { edges, isRightToLeft }: Columns,
): readonly BorderLines[] {
  const [rowCount, columnCount] = [rowEdges.length - 1, edges.length - 1];
  const owners = Array.from({ length: rowCount }, () => Array<GridCell | undefined>(columnCount));
  for (const { cell, row, rowSpan } of cells) {
    const end = cell.column + cell.source.col_span;
    const [from, to] = isRightToLeft ? [columnCount - end, columnCount - cell.column] : [cell.column, end];
    for (let at = row; at < row + rowSpan; at++) owners[at]?.fill(cell, from, to);
  }
  const lines = new LineCollector();
  const owner = (row: number, column: number) => owners[row]?.[column];
  const between = (one: GridCell | undefined, other: GridCell | undefined, sides: readonly [Side, Side]) =>
    one === other ? undefined : strongerEdge(one?.look.border[sides[0]], other?.look.border[sides[1]]);
  for (let line = 0; line <= rowCount; line++) {
    const y = rowEdges[line]!;
    const edgeAt = (column: number) => between(owner(line - 1, column), owner(line, column), ["bottom", "top"]);
    lines.add(edgeAt, columnCount, (from, to) => [edges[from]!, y, edges[to]!, y]);
  }
  for (let line = 0; line <= columnCount; line++) {
    const x = edges[line]!;
    const edgeAt = (row: number) => between(owner(row, line - 1), owner(row, line), ["right", "left"]);
    lines.add(edgeAt, rowCount, (from, to) => [x, rowEdges[from]!, x, rowEdges[to]!]);
  }
  return lines.all();
}

type Side = keyof CellLook["border"];
type Line = readonly [x1: number, y1: number, x2: number, y2: number];

/** Joins lines that continue each other, and collects those of the same look. */
class LineCollector {
  readonly #byLook = new Map<string, { readonly edge: Edge; path: string }>();
  readonly #keys = new WeakMap<Edge, string>();

  /** @param edgeAt returns the edge of each part of a line */
  add(edgeAt: (part: number) => Edge | undefined, count: number, lineOf: (from: number, to: number) => Line): void {
    let [start, held]: [number, Edge | undefined] = [0, undefined];
    for (let part = 0; part <= count; part++) {
      const edge = part < count ? edgeAt(part) : undefined;
      if (held && this.#keyOf(held) !== (edge && this.#keyOf(edge))) this.#draw(held, lineOf(start, part));
      if (!held || this.#keyOf(held) !== (edge && this.#keyOf(edge))) [start, held] = [part, edge];
    }
  }

  all(): readonly BorderLines[] {
    return [...this.#byLook.values()].sort((one, other) => one.edge.rank - other.edge.rank);
  }

  #keyOf(edge: Edge): string {
    const known = this.#keys.get(edge) ?? [edge.width, edge.opacity, ...edge.color].join();
    this.#keys.set(edge, known);
    return known;
  }

  #draw(edge: Edge, [x1, y1, x2, y2]: Line): void {
    if (edge.width === 0 || edge.opacity === 0) return;
    const key = this.#keyOf(edge);
    const held = this.#byLook.get(key) ?? { edge, path: "" };
    this.#byLook.set(key, held);
    const [from, to] = [
      [x1, y1],
      [x2, y2],
    ].map((point) => point.map(serializeNumber).join(" "));
    held.path += `${from} m ${to} l\n`;
  }
}
