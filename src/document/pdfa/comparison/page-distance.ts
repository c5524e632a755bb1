// Compares two pages: their coarse rasters tile by tile, and how often each character occurs. Tolerates that a font was
// replaced with another font of the same widths: shapes can differ, but ink must not appear or disappear.
import type { Character } from "../../engines/mupdf/text.ts";
import type { Box } from "./text-boxes.ts";

/** A page in RGB with 8 bits, top row first. */
export interface PagePixels {
  readonly width: number;
  readonly height: number;
  readonly samples: Uint8Array;
}

/** The difference of two rasters of a page; each distance is from 0 to 255. */
export interface Distance {
  /** Average distance of the tiles' mean colors. */
  readonly mean: number;
  /** Maximum distance of a tile. */
  readonly worst: number;
  /** Number of tiles with content in the first raster only. */
  readonly emptied: number;
  /** Number of tiles with content in the second raster only. */
  readonly filled: number;
  /** Maximum difference of a pixel in a line of text, after subtracting the difference of the tile's mean color. */
  readonly sharpest: number;
}

const SAME: Distance = { mean: 0, worst: 0, emptied: 0, filled: 0, sharpest: 0 };

/** Side of a tile in inches, about a word of small print. */
const TILE = 1 / 3;
/** Minimum side of a tile in pixels, for large pages, which are rendered very coarsely. */
const MIN_TILE = 8;
/** Standard deviation of brightness above which a tile has content. */
const SOMETHING = 12;
/** Fraction of the original deviation below which a tile counts as emptied. */
const NOTHING_LEFT = 0.25;
/**
 * A tile counts as emptied only if it is still empty when it is extended by this fraction of its side: glyphs of
 * another font can be slightly shifted.
 */
const ASIDE = 0.25;

/** Parameters for comparing two rasters of a page. */
export interface Compared {
  /** Resolution of both rasters. */
  readonly dpi: number;
  /** Areas of text whose glyphs must be the same. `otherText`: areas of text whose font was replaced. */
  readonly text: readonly Box[];
  readonly otherText: readonly Box[];
  /** Areas of the page to ignore. */
  readonly unseen: readonly Box[];
}

/** @throws RangeError if the sizes of the rasters differ */
export function pixelDistance(
  one: PagePixels,
  other: PagePixels,
  { dpi, text, otherText, unseen }: Compared,
): Distance {
  if (one.width !== other.width || one.height !== other.height) throw new RangeError("pictures of different sizes");
  // Most pages are unchanged, so this check saves time.
  if (Buffer.compare(one.samples, other.samples) === 0) return SAME;
  const side = Math.max(MIN_TILE, Math.round(dpi * TILE));
  const grid = { columns: Math.ceil(one.width / side), rows: Math.ceil(one.height / side), points: (side * 72) / dpi };
  const isUnseen = tilesOf(unseen, grid);
  const isText = tilesOf(text, grid);
  const isOther = tilesOf(otherText, grid);
  let [sum, worst, emptied, filled, sharpest] = [0, 0, 0, 0, 0];
  for (let tile = 0; tile < isUnseen.length; tile++) {
    if (isUnseen[tile]) continue;
    const [left, top] = [(tile % grid.columns) * side, Math.floor(tile / grid.columns) * side];
    const before = tileOf(one, left, top, side);
    const after = tileOf(other, left, top, side);
    const shift = before.mean.map((value, channel) => after.mean[channel]! - value);
    const distance = Math.max(...shift.map(Math.abs));
    sum += distance;
    worst = Math.max(worst, distance);
    const isGone = (something: Tile, nothing: Tile, picture: PagePixels) =>
      something.spread >= SOMETHING &&
      nothing.spread < something.spread * NOTHING_LEFT &&
      tileAround(picture, left, top, side).spread < something.spread * NOTHING_LEFT;
    if (isGone(before, after, other)) emptied++;
    if (isGone(after, before, one)) filled++;
    if (isText[tile] && !isOther[tile]) sharpest = Math.max(sharpest, sharpestOf(one, other, [left, top, side], shift));
  }
  return { mean: sum / isUnseen.length, worst, emptied, filled, sharpest };
}

interface Grid {
  readonly columns: number;
  readonly rows: number;
  /** Side of a tile in points. */
  readonly points: number;
}

/** Marks the tiles that overlap boxes. */
function tilesOf(boxes: readonly Box[], { columns, rows, points }: Grid): Uint8Array {
  const marked = new Uint8Array(columns * rows);
  const within = (position: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor(position / points)));
  for (const [left, top, right, bottom] of boxes) {
    for (let row = within(top, rows); row <= within(bottom, rows); row++)
      marked.fill(1, row * columns + within(left, columns), row * columns + within(right, columns) + 1);
  }
  return marked;
}

/** Returns the maximum difference of a pixel in a tile, after subtracting the difference of the tile's mean color. */
function sharpestOf(
  one: PagePixels,
  other: PagePixels,
  [left, top, side]: readonly [left: number, top: number, side: number],
  shift: readonly number[],
): number {
  let sharpest = 0;
  const [right, bottom] = [Math.min(one.width, left + side), Math.min(one.height, top + side)];
  for (let y = top; y < bottom; y++) {
    for (let x = left, at = (y * one.width + left) * 3; x < right; x++, at += 3) {
      for (let channel = 0; channel < 3; channel++) {
        const difference = other.samples[at + channel]! - one.samples[at + channel]! - shift[channel]!;
        sharpest = Math.max(sharpest, Math.abs(difference));
      }
    }
  }
  return sharpest;
}

function tileAround(picture: PagePixels, left: number, top: number, side: number): Tile {
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

function tileOf({ width, height, samples }: PagePixels, left: number, top: number, side: number): Tile {
  const right = Math.min(width, left + side);
  const bottom = Math.min(height, top + side);
  let red = 0;
  let green = 0;
  let blue = 0;
  let squares = 0;
  for (let y = top; y < bottom; y++) {
    for (let x = left, at = (y * width + left) * 3; x < right; x++, at += 3) {
      const [r, g, b] = [samples[at]!, samples[at + 1]!, samples[at + 2]!];
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

/**
 * Number of occurrences of each character, except white space and format characters. Characters without Unicode value
 * count as U+FFFD; characters of symbol fonts have a prefix.
 */
export type Characters = ReadonlyMap<string, number>;

const UNCOUNTED = /[\s\p{Cf}\p{Variation_Selector}]/u;
/**
 * Characters that share a glyph in CJK fonts: the tables of different engines map that glyph to different code points.
 */
const EQUAL = new Map([
  ["\u2212", "-"],
  ["\u301c", "~"],
  ["\u223c", "~"],
  ["\u2012", "\u2013"],
  ["\u2015", "\u2014"],
  ["\u203e", "\u00af"],
  ["\u22ef", "\u2026"],
]);
const MEANINGLESS = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/u;
/** The characters of symbols that are not in Unicode. */
const PRIVATE = /\p{Co}/u;
const UNKNOWN = "\ufffd";
/** Symbol fonts whose codes MuPDF reads as letters unless the font is embedded. */
const OF_SIGNS = /^(?:[A-Z]{6}\+)?(?:itc)?(?:zapfdingbats|dingbats|symbol(?!s)|wingdings|webdings)/i;
/** Prefix of a character in a symbol font. */
const SIGN_MARK = "\0";

export function countCharacters(all: Iterable<Pick<Character, "codePoint" | "fontName">>): Characters {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { codePoint, fontName } of all) {
    const shown = String.fromCodePoint(codePoint);
    const isSign = OF_SIGNS.test(fontName);
    // Ligatures and presentation forms count as their letters. A symbol can have the code of a letter with an accent.
    for (const character of isSign ? [shown] : (EQUAL.get(shown) ?? shown).normalize("NFKD")) {
      if (MEANINGLESS.test(character) && !(isSign && PRIVATE.test(character))) count(UNKNOWN);
      else if (!UNCOUNTED.test(character)) count(isSign ? SIGN_MARK + character : character);
    }
  }
  return counts;
}

/** Differences of the text of two pages. */
export interface TextDistance {
  /** Number of characters in the first page. */
  readonly count: number;
  /** Number of characters of the first page that are missing from the second page. */
  readonly lost: number;
  /**
   * Number of characters in the second page only; 0 if the first page has characters without Unicode values, which the
   * second page might have.
   */
  readonly added: number;
}

/**
 * Compares the characters of two pages. A character of a symbol font counts as lost only if no other character appears
 * for it.
 */
export function textDistance(before: Characters, after: Characters): TextDistance {
  const rest = new Map(after);
  const take = (character: string, most: number): number => {
    const taken = Math.min(most, rest.get(character) ?? 0);
    rest.set(character, (rest.get(character) ?? 0) - taken);
    return taken;
  };
  rest.delete(UNKNOWN);
  let count = 0;
  let lost = 0;
  const signs: [character: string, left: number][] = [];
  for (const [character, occurrences] of before) {
    if (character === UNKNOWN) continue;
    count += occurrences;
    const left = occurrences - take(character, occurrences);
    if (character.startsWith(SIGN_MARK)) signs.push([character.slice(SIGN_MARK.length), left]);
    else lost += left;
  }
  const replaced = signs.reduce((sum, [character, left]) => sum + left - take(character, left), 0);
  const added = [...rest.values()].reduce((sum, left) => sum + left, 0);
  lost += Math.max(0, replaced - added);
  return { count, lost, added: before.has(UNKNOWN) ? 0 : Math.max(0, added - replaced) };
}
