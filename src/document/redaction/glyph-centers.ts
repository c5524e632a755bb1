// Finds the glyphs of a page inside a quadrilateral, by a grid: a page can have as many marks as glyphs.
import { apply } from "../content/matrix.ts";
import { EngineFailure } from "../contract/failure.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import type { ReadPage } from "./page-reader.ts";
import { boundsOfQuads, heightsOf, isInside, type Quad } from "./quads.ts";

/** Mean number of glyphs per cell of the grid. */
const GLYPHS_PER_CELL = 4;
/** Distance from the origin of a glyph in font sizes that is on the glyph: half the width of most glyphs is more. */
const NEAR = 0.2;
/** Maximum number of glyphs and cells that the marks of a page lie over: those of large marks are counted for each. */
const MAX_VISITS = 5_000_000;

/** The centers of the glyphs of a page, except spaces, in user space. */
export class GlyphCenters {
  readonly #places: Float64Array;
  readonly #left: number;
  readonly #bottom: number;
  readonly #cellWidth: number;
  readonly #cellHeight: number;
  readonly #side: number;
  /** The glyphs of each cell follow those of the cell before. */
  readonly #sorted: Int32Array;
  /** The index of the first glyph of each cell, and the total number of glyphs. */
  readonly #starts: Int32Array;
  #visits = 0;

  /** @param count number of glyphs from the first one on */
  constructor({ glyphs, toUser }: ReadPage, count: number) {
    this.#places = new Float64Array(count * 2);
    const box = [
      Number.POSITIVE_INFINITY,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ];
    const found: number[] = [];
    for (let glyph = 0, line = 0; glyph < count; glyph++) {
      while (glyphs.lineStarts[line + 1]! <= glyph) line++;
      if (isSpace(glyphs, glyph)) continue;
      const [x, y] = apply(toUser, ...centerOf(glyphs, glyph, glyphs.directions[line]!));
      if (!Number.isFinite(x + y)) continue;
      this.#places[glyph * 2] = x;
      this.#places[glyph * 2 + 1] = y;
      box[0] = Math.min(box[0]!, x);
      box[1] = Math.min(box[1]!, y);
      box[2] = Math.max(box[2]!, x);
      box[3] = Math.max(box[3]!, y);
      found.push(glyph);
    }
    const [left, bottom, right, top] = box as [number, number, number, number];
    this.#left = left;
    this.#bottom = bottom;
    this.#side = Math.max(1, Math.ceil(Math.sqrt(found.length / GLYPHS_PER_CELL)));
    this.#cellWidth = (right - left) / this.#side || 1;
    this.#cellHeight = (top - bottom) / this.#side || 1;
    this.#starts = new Int32Array(this.#side ** 2 + 1);
    this.#sorted = this.#sort(found);
  }

  place(glyph: number): readonly [x: number, y: number] {
    return [this.#places[glyph * 2]!, this.#places[glyph * 2 + 1]!];
  }

  /**
   * Returns the glyphs inside a quadrilateral.
   * @param margin minimum distance of the centers from the sides in points; negative for points outside
   * @throws EngineFailure `too-complex` if marks lie over too many glyphs
   */
  inside(quad: Quad, margin: number): number[] {
    const bounds = boundsOfQuads([quad]);
    const [minX, minY, maxX, maxY] = [bounds[0] + margin, bounds[1] + margin, bounds[2] - margin, bounds[3] - margin];
    const [left, right] = [this.#column(minX), this.#column(maxX)];
    const [bottom, top] = [this.#row(minY), this.#row(maxY)];
    const found: number[] = [];
    for (let row = bottom; row <= top; row++) {
      const from = this.#starts[row * this.#side + left]!;
      const to = this.#starts[row * this.#side + right + 1]!;
      this.#visits += 1 + to - from;
      if (this.#visits > MAX_VISITS) throw new EngineFailure("too-complex", "marks that lie over each other");
      for (let at = from; at < to; at++) {
        const glyph = this.#sorted[at]!;
        const [x, y] = this.place(glyph);
        const isInBounds = x >= minX && x <= maxX && y >= minY && y <= maxY;
        if (isInBounds && isInside(quad, x, y, margin)) found.push(glyph);
      }
    }
    return found;
  }

  #sort(found: readonly number[]): Int32Array {
    const cellOf = (glyph: number) => {
      const [x, y] = this.place(glyph);
      return this.#row(y) * this.#side + this.#column(x);
    };
    for (const glyph of found) this.#starts[cellOf(glyph) + 1]!++;
    for (let cell = 1; cell < this.#starts.length; cell++) this.#starts[cell]! += this.#starts[cell - 1]!;
    const next = this.#starts.slice();
    const sorted = new Int32Array(found.length);
    for (const glyph of found) sorted[next[cellOf(glyph)]!++] = glyph;
    return sorted;
  }

  #column(x: number): number {
    return this.#clamp((x - this.#left) / this.#cellWidth);
  }

  #row(y: number): number {
    return this.#clamp((y - this.#bottom) / this.#cellHeight);
  }

  #clamp(index: number): number {
    return Math.min(Math.max(Math.floor(index), 0), this.#side - 1) || 0;
  }
}

/** Returns a point on the shape of a glyph in user space: its center, or a point nearer to its origin if its box is wide. */
export function pointNearOrigin({ glyphs, toUser }: ReadPage, glyph: number): [number, number] {
  const corners = glyphs.corners(glyph);
  const [x, y] = [corners[2]! - corners[0]!, corners[3]! - corners[1]!];
  const part = Math.min(0.5, (NEAR * glyphs.size(glyph)) / Math.hypot(x, y));
  return apply(toUser, (corners[0]! + corners[4]!) / 2 + x * part, (corners[1]! + corners[5]!) / 2 + y * part);
}

/** Returns the center of a glyph: x and y. That of a box far above its line is in the middle of the line. */
function centerOf(glyphs: Glyphs, glyph: number, direction: readonly [number, number]): [number, number] {
  const corners = glyphs.corners(glyph);
  const x = (corners[0]! + corners[2]! + corners[4]! + corners[6]!) / 4;
  const y = (corners[1]! + corners[3]! + corners[5]! + corners[7]!) / 4;
  const [low, high] = heightsOf(glyphs, glyph, direction);
  const [dx, dy] = direction;
  const height = x * dy - y * dx;
  if (height >= low && height <= high) return [x, y];
  const missing = (low + high) / 2 - height;
  return [x + dy * missing, y - dx * missing];
}

export function isSpace({ codePoints }: Glyphs, glyph: number): boolean {
  const code = codePoints[glyph]!;
  if (code < 0x80) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code <= 0xffff && /\s/.test(String.fromCharCode(code));
}
