// Chooses the resolution of the images that replace a page. Small pages get more than the default resolution, and each
// area gets at least the resolution of the page's images in it.
import { intersection } from "../content/boxes.ts";
import type { Box } from "../content/matrix.ts";
import type { PlacedImage } from "./placed-images.ts";

/** Minimum number of pixels per page. A tiny page is viewed enlarged, so it needs as many pixels as a larger page. */
const MIN_PAGE_PIXELS = 1_000_000;
const POINTS_PER_INCH = 72;
/** Maximum number of images per page. */
const MAX_PIECES = 64;
/** Two areas are merged if the merged area has at most this multiple of their pixels. */
const JOINED = 1.25;
/** An image gets a separate area if its resolution is more than this multiple of the page's resolution. */
const FINER = 1.01;
const STEPS = 30;

/** An area of the page, and its pixels per point along x and y. */
export interface Piece {
  readonly box: Box;
  readonly density: readonly [x: number, y: number];
}

/**
 * Returns the factor, 1 or more, for the resolution of a small page, so that it has enough pixels.
 * @param area in square points
 */
export const smallPageFactor = (area: number, dpi: number): number =>
  Math.max(1, Math.sqrt(MIN_PAGE_PIXELS / area) / (dpi / POINTS_PER_INCH));

export interface PieceLimits {
  /**
   * Maximum number of pixels of all areas. Areas with a higher resolution are reduced first, all by the same factor.
   */
  readonly pixels: number;
  /** Maximum number of pixels along a side of an area. @default unlimited */
  readonly side?: number;
}

/**
 * Returns the areas to draw. Where areas overlap, a later area covers an earlier one.
 * @param whole the area of the page to replace, and the default density (the same along x and y)
 * @param images in the space of the box
 */
export function piecesOf(whole: Piece, images: readonly PlacedImage[], limits: PieceLimits): Piece[] {
  const { pixels, side = Number.POSITIVE_INFINITY } = limits;
  const least = Math.min(whole.density[0], Math.sqrt(pixels / areaOf(whole.box)));
  const finer = images.flatMap(({ box, density: [x, y] }): Piece[] => {
    const shown = intersection(box, whole.box);
    const isFiner = Math.max(x, y) > least * FINER;
    return shown && isFiner ? [{ box: shown, density: [Math.max(x, least), Math.max(y, least)] }] : [];
  });
  const pieces: Piece[] = [{ box: whole.box, density: [least, least] }];
  for (const piece of finer.sort((one, other) => pixelsOf(other) - pixelsOf(one))) join(pieces, piece);
  const [first, ...others] = pieces;
  others.sort((one, other) => resolution(one) - resolution(other));
  return limitPixels([first!, ...others], least, pixels).map(({ box, density }) => ({
    box,
    density: [Math.min(density[0], side / (box[2] - box[0])), Math.min(density[1], side / (box[3] - box[1]))],
  }));
}

/** Returns the number of pixels that the areas have in excess of the whole area at its default density. */
export const finerPixels = (pieces: readonly Piece[], whole: Piece): number =>
  Math.max(0, pieces.reduce((sum, piece) => sum + pixelsOf(piece), 0) - pixelsOf(whole));

export const areaOf = ([left, top, right, bottom]: Box) => (right - left) * (bottom - top);
const resolution = ({ density: [x, y] }: Piece) => x * y;
export const pixelsOf = (piece: Piece) => areaOf(piece.box) * resolution(piece);

/** Adds an area: merges it with the area that needs the fewest additional pixels, or keeps it separate. */
function join(pieces: Piece[], piece: Piece): void {
  const joined = pieces.map((one) => both(one, piece));
  const more = joined.map((one, index) => pixelsOf(one) - pixelsOf(pieces[index]!));
  const index = more.indexOf(Math.min(...more));
  const isCheap = pixelsOf(joined[index]!) <= JOINED * (pixelsOf(pieces[index]!) + pixelsOf(piece));
  if (isCheap || pieces.length >= MAX_PIECES) pieces[index] = joined[index]!;
  else pieces.push(piece);
}

const both = (one: Piece, other: Piece): Piece => ({
  box: [
    Math.min(one.box[0], other.box[0]),
    Math.min(one.box[1], other.box[1]),
    Math.max(one.box[2], other.box[2]),
    Math.max(one.box[3], other.box[3]),
  ],
  density: [Math.max(one.density[0], other.density[0]), Math.max(one.density[1], other.density[1])],
});

/** Reduces the densities of finer areas, but never below the minimum density. */
function limitPixels(pieces: readonly Piece[], least: number, pixels: number): readonly Piece[] {
  const by = (factor: number) =>
    pieces.map(({ box, density }) => {
      const [x, y] = density.map((part) => Math.max(least, part * factor));
      return { box, density: [x!, y!] as const };
    });
  const fits = (some: readonly Piece[]) => some.reduce((sum, piece) => sum + pixelsOf(piece), 0) <= pixels;
  if (fits(pieces)) return pieces;
  let [low, high] = [0, 1];
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (fits(by(middle))) low = middle;
    else high = middle;
  }
  const reduced = by(low);
  return fits(reduced) ? reduced : reduced.slice(0, 1);
}
