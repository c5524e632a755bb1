// Finds tables whose cells are between lines.
import { Intervals } from "../lines/intervals.ts";
import { around, type Extent } from "../lines/segments.ts";
import type { Edge, Edges } from "./edges.ts";

/** A cell of a grid, by the indexes of its first column and row. */
export interface GridCell extends Extent {
  readonly column: number;
  readonly row: number;
  readonly columnSpan: number;
  readonly rowSpan: number;
}

export interface Grid extends Extent {
  readonly cells: readonly GridCell[];
  readonly columnCount: number;
  readonly rowCount: number;
}

type Lines = Pick<Edges, "across" | "down">;

/** Distance within which lines meet, in points. */
const MEETING = 4;
/** Part of a side of a cell that a line must cover. */
const COVERED = 0.6;
const MAX_CELLS = 10_000;

/** Returns the grids of lines with at least two columns and two rows. */
export function gridsOf({ across, down }: Lines): readonly Grid[] {
  const grids: Grid[] = [];
  for (const component of componentsOf(across, down)) {
    const xs = distinct(component.down.map(({ at }) => at));
    const ys = distinct(component.across.map(({ at }) => at));
    if (xs.length < 3 || ys.length < 3 || (xs.length - 1) * (ys.length - 1) > MAX_CELLS) continue;
    const cells = cellsOf(xs, ys, component);
    if (cells.length < 3) continue;
    grids.push({ ...around(cells), cells, columnCount: xs.length - 1, rowCount: ys.length - 1 });
  }
  return grids;
}

/** Returns the sets of lines that meet, directly or through others. */
function componentsOf(across: readonly Edge[], down: readonly Edge[]): readonly Lines[] {
  const parents = Array.from({ length: across.length + down.length }, (_, index) => index);
  const rootOf = (index: number): number => {
    while (parents[index] !== index) {
      parents[index] = parents[parents[index]!]!;
      index = parents[index]!;
    }
    return index;
  };
  const meet = (row: Edge, column: Edge) =>
    column.at >= row.from - MEETING &&
    column.at <= row.to + MEETING &&
    row.at >= column.from - MEETING &&
    row.at <= column.to + MEETING;
  const columns = new Intervals<number>();
  for (const [other, { from, to }] of down.entries()) columns.add(from - MEETING, to + MEETING, other);
  for (const [one, row] of across.entries()) {
    for (const list of columns.near(row.at)) {
      for (const other of list) if (meet(row, down[other]!)) parents[rootOf(one)] = rootOf(across.length + other);
    }
  }
  const components = new Map<number, { across: Edge[]; down: Edge[] }>();
  const of = (index: number) => {
    const root = rootOf(index);
    const known = components.get(root) ?? { across: [], down: [] };
    components.set(root, known);
    return known;
  };
  for (const [index, edge] of across.entries()) of(index).across.push(edge);
  for (const [index, edge] of down.entries()) of(across.length + index).down.push(edge);
  return [...components.values()].filter((one) => one.across.length > 1 && one.down.length > 1);
}

function distinct(places: readonly number[]): readonly number[] {
  const sorted = places.toSorted((a, b) => a - b);
  return sorted.filter((place, at) => at === 0 || place - sorted[at - 1]! > MEETING);
}

function placesOf(edges: readonly Edge[]): Intervals<Edge> {
  const places = new Intervals<Edge>();
  for (const edge of edges) places.add(edge.at - MEETING, edge.at + MEETING, edge);
  return places;
}

/** Returns the cells of a grid; those without a line between them are one. */
function cellsOf(xs: readonly number[], ys: readonly number[], edges: Lines): readonly GridCell[] {
  const taken = new Set<number>();
  const width = xs.length - 1;
  const cells: GridCell[] = [];
  const [across, down] = [placesOf(edges.across), placesOf(edges.down)];
  const isLine = (lines: Intervals<Edge>, at: number, from: number, to: number) => {
    const covers = (edge: Edge) =>
      Math.abs(edge.at - at) <= MEETING && Math.min(edge.to, to) - Math.max(edge.from, from) > COVERED * (to - from);
    return lines.near(at).some((list) => list.some(covers));
  };
  for (let row = 0; row < ys.length - 1; row++) {
    for (let column = 0; column < width; column++) {
      if (taken.has(row * width + column)) continue;
      let [columnSpan, rowSpan] = [1, 1];
      const isFree = () => !taken.has(row * width + column + columnSpan);
      while (
        column + columnSpan < width &&
        isFree() &&
        !isLine(down, xs[column + columnSpan]!, ys[row]!, ys[row + 1]!)
      ) {
        columnSpan++;
      }
      const right = xs[column + columnSpan]!;
      while (
        row + rowSpan < ys.length - 1 &&
        !isLine(across, ys[row + rowSpan]!, xs[column]!, right) &&
        !crossesLine(column, columnSpan, row + rowSpan)
      ) {
        rowSpan++;
      }
      for (let y = row; y < row + rowSpan; y++) {
        for (let x = column; x < column + columnSpan; x++) taken.add(y * width + x);
      }
      const [left, top, bottom] = [xs[column]!, ys[row]!, ys[row + rowSpan]!];
      cells.push({ column, row, columnSpan, rowSpan, left, top, right, bottom });
    }
  }
  return cells;

  /** Reports whether a line divides the cell in a lower row. */
  function crossesLine(column: number, columnSpan: number, row: number): boolean {
    for (let x = column + 1; x < column + columnSpan; x++) {
      if (isLine(down, xs[x]!, ys[row]!, ys[row + 1]!)) return true;
    }
    return false;
  }
}
