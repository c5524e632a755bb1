// The lines that a page draws, joined where several of them make one line.
import { Intervals } from "../lines/intervals.ts";
import type { PageShape } from "../lines/page-text.ts";
import type { Extent, Segment } from "../lines/segments.ts";

/** A line: its place across, and its ends. */
export interface Edge {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Edges {
  /** Horizontal lines, from the top. */
  readonly across: readonly Edge[];
  /** Vertical lines, from the left. */
  readonly down: readonly Edge[];
  /** Upper and lower edges of areas that are filled with a color, from the top. */
  readonly filled: readonly Edge[];
}

/** Maximum thickness of a line, and distance of lines that are one, in points. */
const THICKNESS = 3;
const SAME = 2;
/** Minimum length of a line in points. */
const LENGTH = 5;
/** Maximum height of a filled row, in points. */
const MAX_ROW = 200;
const WHITE = 0xffffff;
const MAX_EDGES = 20_000;

export type PlacedShape = PageShape & Extent;

export function edgesOf(shapes: readonly PlacedShape[]): Edges {
  const [across, down, filled]: [Edge[], Edge[], Edge[]] = [[], [], []];
  for (const shape of shapes) {
    if (shape.kind !== "path" || across.length + down.length + filled.length > MAX_EDGES) continue;
    const { left, top, right, bottom } = shape;
    const [width, height] = [right - left, bottom - top];
    if (height <= THICKNESS && width >= LENGTH) across.push({ at: (top + bottom) / 2, from: left, to: right });
    else if (width <= THICKNESS && height >= LENGTH) down.push({ at: (left + right) / 2, from: top, to: bottom });
    else if (shape.isStroked && width >= LENGTH && height >= LENGTH) {
      for (const at of [top, bottom]) across.push({ at, from: left, to: right });
      for (const at of [left, right]) down.push({ at, from: top, to: bottom });
    } else if (width >= LENGTH && height <= MAX_ROW && (shape.argb & 0xffffff) !== WHITE) {
      for (const at of [top, bottom]) filled.push({ at, from: left, to: right });
    }
  }
  return { across: joined(across), down: joined(down), filled: joined(filled) };
}

/** Joins edges on one line that touch or overlap. */
function joined(edges: readonly Edge[]): readonly Edge[] {
  const lines: Edge[][] = [];
  for (const edge of edges.toSorted((a, b) => a.at - b.at)) {
    const line = lines.at(-1);
    if (line && edge.at - line[0]!.at < SAME) line.push(edge);
    else lines.push([edge]);
  }
  return lines.flatMap((line) => {
    const at = line.reduce((sum, edge) => sum + edge.at, 0) / line.length;
    const whole: Edge[] = [];
    for (const { from, to } of line.sort((a, b) => a.from - b.from)) {
      const last = whole.at(-1);
      if (last && from <= last.to + SAME) whole[whole.length - 1] = { at, from: last.from, to: Math.max(last.to, to) };
      else whole.push({ at, from, to });
    }
    return whole;
  });
}

/** Depth below the baseline at which an underline can be, in font sizes. */
const UNDERLINE = 0.4;

/** Returns the lines that do not underline text, or strike it out. */
export function withoutUnderlines(across: readonly Edge[], segments: readonly Segment[]): readonly Edge[] {
  if (across.length === 0) return across;
  const lines = new Intervals<Segment>();
  for (const segment of segments) {
    const { baseline, size } = segment;
    lines.add(baseline - UNDERLINE * size, baseline + UNDERLINE * size, segment);
  }
  const isUnder = ({ at, from, to }: Edge) => {
    const covers = ({ baseline, size, left, right }: Segment) =>
      at > baseline - UNDERLINE * size && at < baseline + UNDERLINE * size && from > left - 1 && to < right + 1;
    return lines.near(at).some((list) => list.some(covers));
  };
  return across.filter((edge) => !isUnder(edge));
}
