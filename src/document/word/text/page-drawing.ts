// The lines and areas that a page draws: they underline words, and border and fill cells.
import type { Box } from "../../content/matrix.ts";
import { Intervals } from "../../layout/lines/intervals.ts";
import type { PageText } from "../../layout/lines/page-text.ts";

/** A straight line: its place across, its ends, its thickness in points, and its color. */
export interface DrawnLine {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly color: string;
}

interface Area {
  readonly box: Box;
  readonly color: string;
}

/** Maximum thickness of a line, and its minimum length, in points. */
const THICKNESS = 3;
const LENGTH = 3;
/** Part of the page that a background covers. */
const BACKGROUND = 0.6;
const MAX_SHAPES = 20_000;
const OPAQUE = 0x80;
const WHITE = "FFFFFF";

export const colorOf = (argb: number): string => (argb & 0xffffff).toString(16).padStart(6, "0").toUpperCase();

export class PageDrawing {
  readonly #across = new Intervals<DrawnLine>();
  readonly #down = new Intervals<DrawnLine>();
  readonly #areas = new Intervals<Area>();

  /** True if an image covers most of the page, and there is no text. */
  readonly isScan: boolean;

  constructor({ lines, shapes, width, height }: Pick<PageText, "lines" | "shapes" | "width" | "height">) {
    this.isScan = lines.length === 0 && shapes.some(({ kind, box }) => kind === "image" && isMost(box, width * height));
    for (const { kind, box, argb, isStroked } of shapes.slice(0, MAX_SHAPES)) {
      if (kind !== "path" || argb >>> 24 < OPAQUE) continue;
      const [left, bottom, right, top] = box;
      const [wide, high] = [right - left, top - bottom];
      const color = colorOf(argb);
      const across = (at: number, thick: number) =>
        this.#across.add(at, at, { at, from: left, to: right, width: Math.max(0.25, thick), color });
      const down = (at: number, thick: number) =>
        this.#down.add(at, at, { at, from: bottom, to: top, width: Math.max(0.25, thick), color });
      if (high <= THICKNESS && wide >= LENGTH) across((top + bottom) / 2, isStroked ? 0.5 : high);
      else if (wide <= THICKNESS && high >= LENGTH) down((left + right) / 2, isStroked ? 0.5 : wide);
      else if (isStroked) {
        for (const at of [top, bottom]) across(at, 0.5);
        for (const at of [left, right]) down(at, 0.5);
      } else if (wide * high < BACKGROUND * width * height) this.#areas.add(bottom, top, { box, color });
    }
  }

  /** Returns the first line across near a height that covers most of a range. */
  lineAcross(from: number, to: number, low: number, high: number): DrawnLine | undefined {
    return lineIn(this.#across, [from, to], [low, high]);
  }

  /** Returns the first line down near a place that covers most of a range of heights. */
  lineDown(from: number, to: number, left: number, right: number): DrawnLine | undefined {
    return lineIn(this.#down, [from, to], [left, right]);
  }

  /**
   * Returns the color of the smallest area around a box.
   * @param highest maximum height of the area in points
   * @returns undefined if there is none, or it is white
   */
  fillAround([left, bottom, right, top]: Box, highest = Number.POSITIVE_INFINITY): string | undefined {
    const [x, y] = [(left + right) / 2, (bottom + top) / 2];
    let [color, least]: [string | undefined, number] = [undefined, Number.POSITIVE_INFINITY];
    for (const list of this.#areas.near(y)) {
      for (const { box, color: own } of list) {
        const size = (box[2] - box[0]) * (box[3] - box[1]);
        const isInside = x > box[0] && x < box[2] && y > box[1] && y < box[3];
        if (isInside && box[3] - box[1] < highest && size < least && box[0] < left + 2 && box[2] > right - 2)
          [color, least] = [own, size];
      }
    }
    return color === WHITE ? undefined : color;
  }
}

/** Part of a page that a scan covers. */
const SCANNED = 0.4;
const isMost = ([left, bottom, right, top]: Box, area: number): boolean =>
  (right - left) * (top - bottom) > SCANNED * area;

/** Part of a range that a line covers. */
const COVERED = 0.7;

function lineIn(
  lines: Intervals<DrawnLine>,
  [from, to]: readonly [number, number],
  [low, high]: readonly [number, number],
): DrawnLine | undefined {
  const needed = COVERED * (to - from);
  for (const list of lines.near(low, high)) {
    for (const line of list) {
      if (line.at < low || line.at > high) continue;
      if (Math.min(to, line.to) - Math.max(from, line.from) >= needed) return line;
    }
  }
  return undefined;
}
