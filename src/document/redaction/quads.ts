// The areas of matches: one quadrilateral for each line.
import { apply, type Matrix } from "../content/matrix.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";

/** Range of glyphs. */
export interface GlyphRange {
  readonly first: number;
  readonly last: number;
}

/** Upper left, upper right, lower left and lower right corner: x and y of each. */
export type Quad = readonly [number, number, number, number, number, number, number, number];

/** Height above and depth below the baseline, in font sizes. More would touch the lines above and below. */
const ABOVE = 0.8;
const BELOW = 0.23;
/** Minimum extent in points; and along a line, in font sizes: MuPDF removes glyphs by the widths of font programs. */
const THIN = 0.5;
const THIN_ALONG = 0.15;

/** @param toUser maps the space of the glyphs to user space */
export function quadsOf(glyphs: Glyphs, { first, last }: GlyphRange, toUser: Matrix): Quad[] {
  const quads: Quad[] = [];
  for (let line = lineOf(glyphs, first), from = first; from <= last; line++) {
    const to = Math.min(last + 1, glyphs.lineStarts[line + 1] ?? glyphs.count);
    if (to > from) quads.push(quadOf(glyphs, from, to, glyphs.directions[line]!, toUser));
    from = to;
  }
  return quads;
}

/** Returns the index of the last line that starts at or before a glyph. */
function lineOf({ lineStarts }: Glyphs, glyph: number): number {
  let [from, to] = [0, lineStarts.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (lineStarts[middle]! <= glyph) from = middle + 1;
    else to = middle;
  }
  return from - 1;
}

function quadOf(glyphs: Glyphs, from: number, to: number, [dx, dy]: readonly [number, number], toUser: Matrix): Quad {
  const [along, across] = [nothing(), nothing()];
  for (let glyph = from; glyph < to; glyph++) {
    const corners = glyphs.corners(glyph);
    widen(across, heightsOf(glyphs, glyph, [dx, dy]));
    widen(
      along,
      [0, 2, 4, 6].map((at) => corners[at]! * dx + corners[at + 1]! * dy),
    );
  }
  for (const range of [along, across]) {
    const missing = THIN - (range[1] - range[0]);
    if (missing > 0) widen(range, [range[0] - missing / 2, range[1] + missing / 2]);
  }
  widen(along, [along[0] + THIN_ALONG * glyphs.size(from)]);
  const corner = (s: number, t: number) => apply(toUser, s * dx + t * dy, s * dy - t * dx);
  const [[left, right], [bottom, top]] = [along, across];
  return [...corner(left, top), ...corner(right, top), ...corner(left, bottom), ...corner(right, bottom)];
}

/** Returns the lowest and the highest point of a glyph across the direction of its line, at most those of a line. */
export function heightsOf(
  glyphs: Glyphs,
  glyph: number,
  [dx, dy]: readonly [number, number],
): readonly [low: number, high: number] {
  const corners = glyphs.corners(glyph);
  const heights = [0, 2, 4, 6].map((at) => corners[at]! * dy - corners[at + 1]! * dx);
  const [lowest, highest] = [Math.min(...heights), Math.max(...heights)];
  const [x, y] = glyphs.origin(glyph);
  const baseline = x * dy - y * dx;
  const size = glyphs.size(glyph);
  const isMirrored = heights[0]! < heights[2]!;
  const low = Math.max(lowest, baseline - (isMirrored ? ABOVE : BELOW) * size);
  const high = Math.min(highest, baseline + (isMirrored ? BELOW : ABOVE) * size);
  // The baseline of vertical text is not on a side of its glyphs, and Type 3 fonts can have any size.
  const isUsable = high - low > Math.max(size, (highest - lowest) / 2) / 4;
  return isUsable ? [low, high] : [lowest, highest];
}

const nothing = (): [number, number] => [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];

function widen(range: [number, number], values: readonly number[]): void {
  range[0] = Math.min(range[0], ...values);
  range[1] = Math.max(range[1], ...values);
}

/**
 * Returns a quadrilateral whose sides have moved outward.
 * @param part distance in heights of the quadrilateral
 * @param limit maximum distance in points
 */
export function grown([ulx, uly, urx, ury, llx, lly, lrx, lry]: Quad, part: number, limit: number): Quad {
  const [alongX, alongY] = [urx - ulx, ury - uly];
  const [upX, upY] = [ulx - llx, uly - lly];
  const [width, height] = [Math.hypot(alongX, alongY) || 1, Math.hypot(upX, upY) || 1];
  const distance = Math.min(height * part, limit);
  const [ax, ay] = [(alongX / width) * distance, (alongY / width) * distance];
  const [bx, by] = [(upX / height) * distance, (upY / height) * distance];
  const upper = [ulx - ax + bx, uly - ay + by, urx + ax + bx, ury + ay + by] as const;
  return [...upper, llx - ax - bx, lly - ay - by, lrx + ax - bx, lry + ay - by];
}

/**
 * Returns a quadrilateral from its corners in any order: ISO 32000 states one around the area, and most programs write
 * another. The first two corners stay the ends of a side if they are.
 */
export function ordered(corners: readonly number[]): Quad {
  const points = [0, 2, 4, 6].map((at) => [corners[at]!, corners[at + 1]!] as const);
  const [x, y] = [0, 1].map((part) => points.reduce((sum, point) => sum + point[part as 0 | 1] / 4, 0));
  const angle = ([px, py]: readonly [number, number]) => Math.atan2(py - y!, px - x!);
  const around = points.toSorted((a, b) => angle(a) - angle(b));
  const start = around.indexOf(points[0]!);
  const [first, next, opposite, last] = [0, 1, 2, 3].map((step) => around[(start + step) % 4]!);
  const [second, third] = last === points[1] ? [last!, next!] : [next!, last!];
  return [...first!, ...second, ...third, ...opposite!];
}

/**
 * Reports whether a point is inside a quadrilateral.
 * @param margin minimum distance from the sides in points; negative for points outside
 */
export function isInside(
  [ulx, uly, urx, ury, llx, lly, lrx, lry]: Quad,
  x: number,
  y: number,
  margin: number,
): boolean {
  const corners = [ulx, uly, urx, ury, lrx, lry, llx, lly];
  const turn = Math.sign((urx - ulx) * (lly - uly) - (ury - uly) * (llx - ulx));
  for (let at = 0; at < 8; at += 2) {
    const [fromX, fromY] = [corners[at]!, corners[at + 1]!];
    const [alongX, alongY] = [corners[(at + 2) % 8]! - fromX, corners[(at + 3) % 8]! - fromY];
    const distance = (alongX * (y - fromY) - alongY * (x - fromX)) / (Math.hypot(alongX, alongY) || 1);
    if (distance * turn < margin) return false;
  }
  return true;
}

export function boundsOfQuads(quads: readonly Quad[]): [number, number, number, number] {
  const [xs, ys] = [nothing(), nothing()];
  for (const quad of quads) {
    widen(xs, [quad[0], quad[2], quad[4], quad[6]]);
    widen(ys, [quad[1], quad[3], quad[5], quad[7]]);
  }
  return [xs[0], ys[0], xs[1], ys[1]];
}
