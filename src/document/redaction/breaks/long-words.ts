// Recognizes words that are longer than their line: programs break them at its end without a hyphen.
import type { Glyphs } from "../../engines/mupdf/glyphs.ts";
import { isSpace } from "../glyph-centers.ts";
import type { GlyphRange } from "../quads.ts";

/** Number of characters beside a line end that are searched for a space. */
const MAX_WORD = 200;
/** Maximum distance of the left sides of two lines, and range of the distance of their baselines, in font sizes. */
const ALIGNED = 0.5;
const [MIN_LEADING, MAX_LEADING] = [0.7, 2];

/**
 * Reports whether a line can break a word.
 * @param ends matches without such breaks, by their last glyphs. One that ends with the line goes on only if it fills the
 *   line, and only with a next line of one word.
 * @param starts the first glyphs of these matches. One that starts with the next line can only end an e-mail address.
 */
export function breaksWord(
  glyphs: Glyphs,
  line: number,
  ends: ReadonlyMap<number, GlyphRange>,
  starts: ReadonlySet<number>,
): boolean {
  const [start, next, end] = [line, line + 1, line + 2].map((one) => glyphs.lineStarts[one] ?? glyphs.count);
  if (next === glyphs.count || isSpace(glyphs, next! - 1) || !isBelow(glyphs, line)) return false;
  const size = glyphs.size(start!);
  if (widthOf(glyphs, start!, next! - 1) < widthOf(glyphs, next!, end! - 1) - size) return false;
  const match = ends.get(next! - 1);
  const rest = charactersOf(glyphs, next!, Math.min(end!, next! + MAX_WORD));
  const before = charactersOf(glyphs, Math.max(start!, next! - MAX_WORD), next!);
  if (starts.has(next!) && !/@\S*$/.test(before)) return false;
  return !match || (match.first === start && /^(?!www)[a-z\d]\S*\s*$/.test(rest));
}

const charactersOf = (glyphs: Glyphs, from: number, to: number): string =>
  String.fromCharCode(...glyphs.codePoints.slice(from, to));

/** Reports whether a line is aligned with the next one, which is directly below. */
function isBelow(glyphs: Glyphs, line: number): boolean {
  const [dx, dy] = glyphs.directions[line]!;
  const [one, next] = [glyphs.lineStarts[line]!, glyphs.lineStarts[line + 1]!];
  const [[x, y], [nextX, nextY]] = [glyphs.origin(one), glyphs.origin(next)];
  const size = glyphs.size(one);
  const along = (nextX - x) * dx + (nextY - y) * dy;
  const down = (nextY - y) * dx - (nextX - x) * dy;
  return Math.abs(along) < ALIGNED * size && down > MIN_LEADING * size && down < MAX_LEADING * size;
}

function widthOf(glyphs: Glyphs, first: number, last: number): number {
  const [left, right] = [glyphs.corners(first), glyphs.corners(last)];
  return Math.hypot(right[2]! - left[0]!, right[3]! - left[1]!);
}
