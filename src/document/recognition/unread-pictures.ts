// Finds the pictures on a page with text that can show more text, and hides the rest of the page from the recognition.
import { apply, around, type Box, type Matrix } from "../content/matrix.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import type { Size } from "../engines/mupdf/page.ts";
import type { PlacedImage } from "../images/placed-images.ts";
import type { GrayPicture } from "./ink.ts";

type Point = readonly [x: number, y: number];
type Quad = readonly [Point, Point, Point, Point];

/** All places are in points of the displayed page, from its upper left corner. */
export interface UnreadPictures {
  readonly pictures: readonly Quad[];
  /** The characters on the pictures, which are known. */
  readonly characters: readonly Quad[];
}

/** Minimum side of a picture in points, and part of the page that it covers. */
const MIN_SIDE = 36;
const MIN_AREA = 0.01;
/** Minimum number of pixels per point. */
const MIN_DENSITY = 1;
/** Distance in points of strips that are one picture. */
const APART = 1;
const MAX_PICTURES = 100;
/** Maximum number of characters on a picture, such as a stamp on a scan. One with more has been read. */
const MAX_CHARACTERS = 100;
const WHITE = 255;
const SPACE = 0x20;

/**
 * @param images of the page, in points from its upper left corner
 * @param readGlyphs reads the glyphs of the page, if it has pictures that are large enough
 * @param origin upper left corner of the page in the space of the glyphs
 */
export function unreadPictures(
  images: readonly PlacedImage[],
  readGlyphs: () => Glyphs,
  origin: Point,
  { width, height }: Size,
): UnreadPictures {
  const joined = joinStrips(images.filter(({ density }) => Math.min(...density) >= MIN_DENSITY).map(({ box }) => box));
  const large = joined.filter(
    ([left, top, right, bottom]) =>
      Math.min(right - left, bottom - top) >= MIN_SIDE && (right - left) * (bottom - top) >= MIN_AREA * width * height,
  );
  if (large.length === 0) return { pictures: [], characters: [] };
  const quads = shownQuads(readGlyphs(), origin);
  const found = large.slice(0, MAX_PICTURES).flatMap((box) => {
    const characters = quads.filter((quad) => isIn(box, quad));
    return characters.length > MAX_CHARACTERS ? [] : [{ box, characters }];
  });
  return {
    pictures: found.map(({ box: [left, top, right, bottom] }) => [
      [left, top],
      [right, top],
      [right, bottom],
      [left, bottom],
    ]),
    characters: found.flatMap(({ characters }) => characters),
  };
}

/** Joins boxes that touch to the box around them. */
function joinStrips(boxes: readonly Box[]): readonly Box[] {
  const joined: Box[] = [];
  for (const box of boxes.toSorted((one, other) => one[1] - other[1])) {
    const at = joined.findLastIndex((one) => touch(one, box));
    if (at < 0) joined.push(box);
    else joined[at] = around(joined[at]!, box);
  }
  return joined;
}

const touch = (one: Box, other: Box): boolean =>
  one[0] - APART < other[2] && other[0] - APART < one[2] && one[1] - APART < other[3] && other[1] - APART < one[3];

function shownQuads(glyphs: Glyphs, [left, top]: Point): readonly Quad[] {
  const quads: Quad[] = [];
  for (let glyph = 0; glyph < glyphs.count; glyph++) {
    if (glyphs.codePoints[glyph]! <= SPACE) continue;
    const [ulx, uly, urx, ury, llx, lly, lrx, lry] = glyphs.corners(glyph);
    const point = (x: number | undefined, y: number | undefined): Point => [x! - left, y! - top];
    quads.push([point(ulx, uly), point(urx, ury), point(lrx, lry), point(llx, lly)]);
  }
  return quads;
}

/** Reports whether the middle of a quadrilateral is in a box. */
function isIn([left, top, right, bottom]: Box, [[ux, uy], , [lx, ly]]: Quad): boolean {
  const [x, y] = [(ux + lx) / 2, (uy + ly) / 2];
  return x > left && x < right && y > top && y < bottom;
}

/**
 * Returns the pixels of a page with everything in white that is not part of unread pictures, or is a known character.
 * @param matrix maps points of the displayed page, from its upper left corner, to pixels
 */
export function onlyPictures(page: GrayPicture, matrix: Matrix, { pictures, characters }: UnreadPictures): Uint8Array {
  const shown = new Uint8Array(page.samples.length).fill(WHITE);
  const rangesOf = (quad: Quad) =>
    ranges(
      quad.map(([x, y]) => apply(matrix, x, y)),
      page,
    );
  for (const quad of pictures) {
    for (const [from, to] of rangesOf(quad)) shown.set(page.samples.subarray(from, to), from);
  }
  for (const quad of characters) for (const [from, to] of rangesOf(quad)) shown.fill(WHITE, from, to);
  return shown;
}

/** Yields the ranges of pixels in a convex polygon, row by row. */
function* ranges(corners: readonly Point[], { width, height }: Size): Generator<readonly [from: number, to: number]> {
  const ys = corners.map(([, y]) => y);
  const [first, end] = [Math.max(0, Math.floor(Math.min(...ys))), Math.min(height, Math.ceil(Math.max(...ys)))];
  for (let row = first; row < end; row++) {
    let [left, right] = [Infinity, -Infinity];
    for (const [index, [x, y]] of corners.entries()) {
      const [toX, toY] = corners[(index + 1) % corners.length]!;
      // The edge within the row: a pixel that the polygon touches belongs to it.
      const [low, high] = [Math.max(row, Math.min(y, toY)), Math.min(row + 1, Math.max(y, toY))];
      if (low > high) continue;
      const at = (place: number) => (y === toY ? x : x + ((toX - x) * (place - y)) / (toY - y));
      const places = y === toY ? [x, toX] : [at(low), at(high)];
      [left, right] = [Math.min(left, ...places), Math.max(right, ...places)];
    }
    const [from, to] = [Math.max(0, Math.floor(left)), Math.min(width, Math.ceil(right))];
    if (from < to) yield [row * width + from, row * width + to];
  }
}
