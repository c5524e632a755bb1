// Guessed characters of codes that no font explains: readers differ in what they take for the character, so a search
// must look for two of them. Neither is certain.
import { macGlyphOrder, unicodeOfName } from "../../fonts/names/glyph-names.ts";

/** Planes of private characters, which stand for two guesses (Unicode, 2.8). */
const CODES = 0xf0000;
const NAMES = 0x100000;
const LAST = 0xfffd;
/** A glyph name that counts characters. */
const NUMBERED = /^[A-Za-z]{0,8}_?0*(\d{1,3})$/;

/** Stands for the CID itself, or the glyph with this number in the order of most TrueType fonts. */
export const guessOfCid = (cid: number): string | undefined =>
  cid > 0 && cid <= LAST ? String.fromCodePoint(CODES + cid) : undefined;

/** Stands for a code of one byte, or the number in the name of its glyph. */
export function guessOfNamed(code: number, name = ""): string {
  const number = Number(NUMBERED.exec(name)?.[1] ?? code);
  return String.fromCodePoint(NAMES + (number <= 0xff ? number : code) * 256 + code);
}

/** Returns both guesses for which a character stands: twice the same for any other character. */
export function guessesOf(codePoint: number): readonly [number, number] {
  const [plane, value] = [codePoint & 0x1f0000, codePoint & 0xffff];
  if (plane === NAMES) return [value & 0xff, value >> 8];
  if (plane !== CODES) return [codePoint, codePoint];
  const name = macGlyphOrder()[value];
  return [value, (name && unicodeOfName(name)?.codePointAt(0)) || value];
}
