// Compares the look and the text of two pages: coarse pictures tile by tile, and the number of each character. Made for
// pages whose fonts may have been replaced by others of the same widths: shapes may differ, but ink must not appear or
// disappear. Knows nothing about PDF.

/** A page's picture in RGB with 8 bits, the upper row first. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** The difference of two pictures of a page; each distance is from 0 to 255. */
export interface Distance {
  /** Average distance of the tiles' mean colors. */
  readonly mean: number;
  /** Distance of the tile that differs most. */
  readonly worst: number;
  /** Number of tiles with content in the first picture and none in the second. */
  readonly emptied: number;
  /** Number of tiles with content in the second picture and none in the first. */
  readonly filled: number;
}

/** Side of a tile in inches: a word of small print. */
const TILE = 1 / 3;
/** Minimum side of a tile in pixels, for pages that are so large that they are drawn very coarsely. */
const LEAST_TILE = 8;
/** Standard deviation of brightness from which on a tile has content. */
const SOMETHING = 12;
/** Part of the original deviation below which a tile counts as emptied. */
const NOTHING_LEFT = 0.25;
/**
 * Part of its side by which a tile is widened before it counts as emptied, because another font's glyphs are slightly
 * shifted.
 */
const ASIDE = 0.25;

/**
 * @param dpi resolution of both pictures
 * @throws RangeError if the pictures have different sizes
 */
export function distanceOf(one: Picture, other: Picture, dpi: number): Distance {
  if (one.width !== other.width || one.height !== other.height) throw new RangeError("pictures of different sizes");
  // Most pages are unchanged.
  if (Buffer.compare(one.samples, other.samples) === 0) return { mean: 0, worst: 0, emptied: 0, filled: 0 };
  const side = Math.max(LEAST_TILE, Math.round(dpi * TILE));
  const columns = Math.ceil(one.width / side);
  const rows = Math.ceil(one.height / side);
  let sum = 0;
  let worst = 0;
  let emptied = 0;
  let filled = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const before = tileOf(one, column * side, row * side, side);
      const after = tileOf(other, column * side, row * side, side);
      const distance = Math.max(...before.mean.map((value, channel) => Math.abs(value - after.mean[channel])));
      sum += distance;
      worst = Math.max(worst, distance);
      const isGone = (something: Tile, nothing: Tile, picture: Picture) =>
        something.spread >= SOMETHING &&
        nothing.spread < something.spread * NOTHING_LEFT &&
        around(picture, column * side, row * side, side).spread < something.spread * NOTHING_LEFT;
      if (isGone(before, after, other)) emptied++;
      if (isGone(after, before, one)) filled++;
    }
  }
  return { mean: sum / (columns * rows), worst, emptied, filled };
}

function around(picture: Picture, left: number, top: number, side: number): Tile {
  const aside = Math.ceil(side * ASIDE);
  const [x, y] = [Math.max(0, left - aside), Math.max(0, top - aside)];
  return tileOf(picture, x, y, side + 2 * aside);
}

interface Tile {
  /** Mean red, green and blue. */
  readonly mean: readonly number[];
  /** Standard deviation of brightness. */
  readonly spread: number;
}

function tileOf({ width, height, samples }: Picture, left: number, top: number, side: number): Tile {
  const right = Math.min(width, left + side);
  const bottom = Math.min(height, top + side);
  let red = 0;
  let green = 0;
  let blue = 0;
  let squares = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left, at = (y * width + left) * 3; x < right; x++, at += 3) {
      const [r, g, b] = [samples[at], samples[at + 1], samples[at + 2]];
      red += r;
      green += g;
      blue += b;
      const brightness = (r + g + b) / 3;
      squares += brightness * brightness;
    }
  }
  const count = (right - left) * (bottom - top);
  const brightness = (red + green + blue) / (3 * count);
  const variance = Math.max(0, squares / count - brightness * brightness);
  return { mean: [red / count, green / count, blue / count], spread: Math.sqrt(variance) };
}

/** Number of each character, without spaces and characters without meaning. */
export type Characters = ReadonlyMap<string, number>;

const MEANINGLESS = /[\s\p{Cc}\p{Cf}\p{Co}\p{Cn}\u00ad\ufffd]/u;

export function charactersOf(codePoints: Iterable<number>): Characters {
  const counts = new Map<string, number>();
  for (const codePoint of codePoints) {
    // Ligatures and presentation forms count as their letters.
    for (const character of String.fromCodePoint(codePoint).normalize("NFKD")) {
      if (!MEANINGLESS.test(character)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
  }
  return counts;
}

const SIGN = /\p{S}/u;

/**
 * Counts the characters that were lost. A new sign compensates for one lost character, because an engine reads a font
 * of signs that is not embedded as letters.
 * @returns the number of characters in the first page, and how many of these the second one lacks
 */
export function lostCharacters(
  before: Characters,
  after: Characters,
): { readonly count: number; readonly lost: number } {
  let count = 0;
  let lost = 0;
  for (const [character, occurrences] of before) {
    count += occurrences;
    lost += Math.max(0, occurrences - (after.get(character) ?? 0));
  }
  for (const [character, occurrences] of after) {
    if (SIGN.test(character)) lost -= Math.max(0, occurrences - (before.get(character) ?? 0));
  }
  return { count, lost: Math.max(0, lost) };
}
