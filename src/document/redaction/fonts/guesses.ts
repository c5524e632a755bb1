// Guessed characters of codes that no font explains. Some readers take the code for a character, so a search must find
// it. Other readers take it for a glyph in the order of most TrueType fonts. Neither is certain.
import { macGlyphOrder, unicodeOfName } from "../../fonts/names/glyph-names.ts";

/** Private characters, each of which stands for a guessed character of the first plane (Unicode, plane 15). */
const GUESSES = 0xf0000;
const FIRST_SHOWN = 0x03;
const LAST = 0xfffd;

/** @returns undefined for a code that cannot be a character */
export const guessOf = (code: number): string | undefined =>
  code >= FIRST_SHOWN && code <= LAST ? String.fromCodePoint(GUESSES + code) : undefined;

const isGuess = (codePoint: number): boolean => codePoint >= GUESSES && codePoint <= GUESSES + LAST;

/** Returns the character that a guess stands for, and any other character as it is. */
export const resolvedGuess = (codePoint: number): number => (isGuess(codePoint) ? codePoint - GUESSES : codePoint);

/** Returns the character of a guess if its code is a glyph in the usual order, and any other character as it is. */
export function resolvedGlyph(codePoint: number): number {
  const name = isGuess(codePoint) ? macGlyphOrder()[codePoint - GUESSES] : undefined;
  return (name && unicodeOfName(name)?.codePointAt(0)) || resolvedGuess(codePoint);
}
