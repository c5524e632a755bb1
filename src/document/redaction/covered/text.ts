// Finds the glyphs under marks, and the narrow areas that touch these glyphs but not the lines above and below.
import { apply, type Matrix } from "../../content/matrix.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { Glyphs } from "../../engines/mupdf/glyphs.ts";
import { GlyphCenters, isSpace } from "../glyph-centers.ts";
import type { ReadPage } from "../page-reader.ts";
import type { Quad } from "../quads.ts";

/** Minimum distance in points of the center of a covered glyph from the sides of a mark. */
const MARGIN = -0.1;
/** Part of the height of a mark that stays of it, in its middle. */
const NARROW = 0.06;
/** Part of the width of a glyph that stays of its area on each side. */
const BESIDE = 0.2;
/** A lower mark, in heights of its glyphs, covers one line that is printed twice, and not several lines. */
const OVERPRINTED = 1.8;

/** Number of pairs of a glyph and an area that the engine can compare on one page. */
const MAX_PAIRS = 600_000_000;

/** The glyphs of a page that marks cover. */
export class CoveredText {
  readonly #centers: GlyphCenters | undefined;
  readonly #glyphs: Glyphs;
  readonly #quads: readonly Quad[];
  readonly #covered: Uint8Array;
  /** Areas with glyphs of several lines, by index, and the areas to remove in place of each. */
  readonly #tall = new Map<number, readonly Quad[]>();
  readonly #toUser: Matrix;

  constructor(page: ReadPage, quads: readonly Quad[]) {
    const { glyphs, toUser } = page;
    this.#glyphs = glyphs;
    this.#quads = quads;
    this.#toUser = toUser;
    this.#covered = new Uint8Array(glyphs.count);
    this.#centers = quads.length === 0 ? undefined : new GlyphCenters(page, glyphs.count);
    for (const [index, quad] of quads.entries()) this.#look(index, quad);
  }

  /** Reports whether a mark covers a glyph. A space is covered in any case. */
  covers(glyph: number): boolean {
    return this.#covered[glyph] === 1 || isSpace(this.#glyphs, glyph);
  }

  /**
   * Returns the areas of text to remove.
   * @throws EngineFailure `too-complex` if there are too many for the glyphs of the page
   */
  get areas(): readonly Quad[] {
    const areas = this.#quads.flatMap((quad, index) => this.#tall.get(index) ?? [narrow(quad, 0)]);
    const pairs = areas.length * this.#glyphs.contentCount;
    if (pairs > MAX_PAIRS) throw new EngineFailure("too-complex", `${areas.length} areas of text on a page`);
    return areas;
  }

  #look(index: number, quad: Quad): void {
    const inside = this.#centers!.inside(quad, MARGIN);
    const heights = inside.map((glyph) => heightOf(quad, ...this.#centers!.place(glyph)));
    for (const glyph of inside) this.#covered[glyph] = 1;
    // Glyphs of one line have their centers near the middle of their mark.
    if (!heights.some((height) => Math.abs(height - 0.5) > 0.2)) return;
    const isOverprinted = inside.some((glyph) => tallness(quad) < OVERPRINTED * this.#tallnessOf(glyph));
    this.#tall.set(index, isOverprinted ? inside.map((glyph) => narrow(this.#quadOf(glyph), BESIDE)) : [quad]);
  }

  #tallnessOf(glyph: number): number {
    const [ulx, uly, , , llx, lly] = this.#glyphs.corners(glyph) as unknown as Quad;
    const [a, b, c, d] = this.#toUser;
    const [x, y] = [ulx - llx, uly - lly];
    return Math.hypot(a * x + c * y, b * x + d * y);
  }

  #quadOf(glyph: number): Quad {
    const corners = this.#glyphs.corners(glyph);
    return [0, 2, 4, 6].flatMap((at) => apply(this.#toUser, corners[at]!, corners[at + 1]!)) as unknown as Quad;
  }
}

/** Returns the height of a point in a mark, from 0 at its lower to 1 at its upper side. */
function heightOf([ulx, uly, , , llx, lly]: Quad, x: number, y: number): number {
  const [upX, upY] = [ulx - llx, uly - lly];
  return ((x - llx) * upX + (y - lly) * upY) / (upX * upX + upY * upY || 1);
}

const tallness = ([ulx, uly, , , llx, lly]: Quad): number => Math.hypot(ulx - llx, uly - lly);

/**
 * Returns the middle of a mark, without the points in which it touches the lines above and below.
 * @param beside part of the width to leave out on the left and on the right
 */
function narrow([ulx, uly, urx, ury, llx, lly, lrx, lry]: Quad, beside: number): Quad {
  const at = (across: number, up: number): [number, number] => [
    (llx + (ulx - llx) * up) * (1 - across) + (lrx + (urx - lrx) * up) * across,
    (lly + (uly - lly) * up) * (1 - across) + (lry + (ury - lry) * up) * across,
  ];
  const [low, high] = [0.5 - NARROW / 2, 0.5 + NARROW / 2];
  return [...at(beside, high), ...at(1 - beside, high), ...at(beside, low), ...at(1 - beside, low)];
}
