// Makes lines of words.
import type { Line, PlacedWord } from "./blocks.ts";
import type { Links } from "./links.ts";
import type { Word } from "./page-text.ts";
import { boxOfWords, type Frame, inFrame, type Segment } from "./segments.ts";

export const isBold = ({ isBold, fontName }: Word["style"]): boolean =>
  isBold || /bold|black|heavy|semibold|demi|medi\b|-medi/i.test(fontName);

export interface LineContext {
  readonly links: Links;
  readonly direction: Frame["direction"];
}

/** Returns a line with the links on its words, and the words that are above or below the others. */
export function lineOf(
  words: readonly Word[],
  { baseline, size }: Pick<Segment, "baseline" | "size">,
  { links, direction }: LineContext,
): Line {
  const placed = words.map((word): PlacedWord => {
    const [x, y] = [(word.corners[0]! + word.corners[6]!) / 2, (word.corners[1]! + word.corners[7]!) / 2];
    const link = links.addressAt(x, y);
    const rise = (baseline - inFrame(...word.origin, direction)[1]) / size;
    const isSmall = word.size < 0.85 * size;
    const position = isSmall && rise > 0.15 ? "superscript" : isSmall && rise < -0.08 ? "subscript" : undefined;
    if (link === undefined && position === undefined) return word;
    return { ...word, ...(link === undefined ? {} : { link }), ...(position === undefined ? {} : { position }) };
  });
  return { words: placed, box: boxOfWords(words) };
}
