// Splits matches at boxes: texts that the removal of others brings together are no match.
import { apply } from "../../content/matrix.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { Glyphs } from "../../engines/mupdf/glyphs.ts";
import { isSpace } from "../glyph-centers.ts";
import type { ReadPage } from "../page-reader.ts";
import { type GlyphRange, isInside, type Quad } from "../quads.ts";
import { textOf } from "../readings.ts";

/** Distances from a glyph, in font sizes, at which a box can begin: a space can be between them. */
const DISTANCES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
const MAX_LOOKS = 20_000_000;

/** Splits the matches of one page. */
export class BrokenMatches {
  readonly #page: ReadPage;
  readonly #boxes: readonly Quad[];
  #looks = 0;

  constructor(page: ReadPage, boxes: readonly Quad[]) {
    this.#page = page;
    this.#boxes = boxes;
  }

  /** @returns the texts between boxes; only one if no box is between glyphs of the match */
  parts({ first, last }: GlyphRange): string[] {
    const { glyphs } = this.#page;
    const parts: GlyphRange[] = [];
    let before: number | undefined;
    let start = first;
    for (let glyph = first; glyph <= last; glyph++) {
      if (isSpace(glyphs, glyph)) continue;
      if (before !== undefined && this.#areApart(before, glyph)) {
        parts.push({ first: start, last: before });
        start = glyph;
      }
      before = glyph;
    }
    return [...parts, { first: start, last }].map((part) => textOf(glyphs, part));
  }

  /** Reports whether there is a box between two glyphs, or between one of them and its end of the line. */
  #areApart(one: number, next: number): boolean {
    const { glyphs } = this.#page;
    const [ends, starts] = [sidesOf(glyphs, one), sidesOf(glyphs, next)];
    const size = Math.max(glyphs.size(one), glyphs.size(next));
    return DISTANCES.some((distance) => {
      const [x, y] = [ends.alongX * distance * size, ends.alongY * distance * size];
      return (
        this.#isBoxed(ends.right[0] + x, ends.right[1] + y) || this.#isBoxed(starts.left[0] - x, starts.left[1] - y)
      );
    });
  }

  #isBoxed(x: number, y: number): boolean {
    this.#looks += this.#boxes.length;
    if (this.#looks > MAX_LOOKS) throw new EngineFailure("too-complex", "marks beside matches that stay");
    const point = apply(this.#page.toUser, x, y);
    return this.#boxes.some((box) => isInside(box, point[0], point[1], 0));
  }
}

/** Returns the middles of the left and the right side of a glyph, and the direction from one to the other. */
function sidesOf(glyphs: Glyphs, glyph: number) {
  const [ulx, uly, urx, ury, llx, lly, lrx, lry] = glyphs.corners(glyph) as unknown as Quad;
  const left = [(ulx + llx) / 2, (uly + lly) / 2] as const;
  const right = [(urx + lrx) / 2, (ury + lry) / 2] as const;
  const length = Math.hypot(right[0] - left[0], right[1] - left[1]) || 1;
  return { left, right, alongX: (right[0] - left[0]) / length, alongY: (right[1] - left[1]) / length };
}
