// Measures how likely it is that somebody wrote a text, to compare the readings of bytes in several encodings.

import type { LegacyEncoding } from "./languages.ts";

/** Costs of characters in bits: the less likely, the more. */
const COST = {
  ascii: 5,
  /** The most frequent letter of a language; the others cost the logarithm of their rank in addition. */
  letter: 3,
  /** One of the frequent characters of a script with thousands of them, another one, and one that is rare in addition. */
  frequent: 8,
  usual: 13,
  rare: 5,
  halfWidth: 9,
  punctuation: 6,
  symbol: 14,
  /** A letter of another language. */
  foreign: 14,
  /** A byte that the encoding does not assign. */
  invalid: 40,
  accentsTogether: 4,
  /** Of a word in a script that is not Latin, which can begin with a capital or a small letter. */
  caseOfWord: 1,
  capitalWithinWord: 2,
  capitalAfterSmall: 6,
  mixedScripts: 6,
  symbolWithinWord: 5,
  finalWithinWord: 6,
  /** Of a letter of ASCII in a text of another script, up to a sum for the text. */
  asciiLetter: 0.5,
  asciiLetters: 10,
};

const INVALID = /[\ufffd\p{Cc}\p{Co}\p{Cn}]/u;
const LETTER = /(?![ªº])[\p{L}\p{M}]/u;
const ASCII_LETTER = /[a-z]/i;
const LATIN = /\p{Script=Latin}/u;
const HALF_WIDTH = /[\uff61-\uff9f]/;
const PUNCTUATION = /[\u00a0«»‘’‚“”„–—…•€§°ªº№¿¡・、。「」（）：，！？；《》【】￥～\u3000]/u;
/** Letters that are only at the ends of words. */
const FINAL = /[ςךםןףץةى]/; // cspell:disable-line

interface Kind {
  readonly isLetter: boolean;
  readonly isCapital: boolean;
  readonly isSmall: boolean;
  readonly script: "latin" | "wide" | "other";
  readonly isFinal: boolean;
  readonly isSymbol: boolean;
  readonly isAccented: boolean;
}

/** Returns how unlikely bytes are in an encoding, in bits. */
export function costOf(bytes: Uint8Array, encoding: LegacyEncoding): number {
  const text = new TextDecoder(encoding.name).decode(bytes);
  const counts = new Map<string, number>();
  const kinds = new Map<string, Kind>();
  let cost = encoding.rarity ?? 0;
  if (encoding.wide) cost += COST.rare * rarePairs(bytes, encoding.wide, encoding.name === "shift_jis");
  let before = kindOf(" ", encoding);
  for (const character of text) {
    counts.set(character, (counts.get(character) ?? 0) + 1);
    const kind = kinds.get(character) ?? kindOf(character, encoding);
    kinds.set(character, kind);
    cost += costOfPair(before, kind);
    before = kind;
  }
  return cost + Math.min(...encoding.letters.map((letters) => costOfLetters(counts, letters, encoding)));
}

function kindOf(character: string, { wide }: LegacyEncoding): Kind {
  const isLetter = LETTER.test(character);
  const isLatin = LATIN.test(character);
  return {
    isLetter,
    isAccented: isLatin && character > "\u007f",
    isCapital: character !== character.toLowerCase(),
    isSmall: character !== character.toUpperCase(),
    script: isLatin ? "latin" : wide?.script.test(character) ? "wide" : "other",
    isFinal: FINAL.test(character),
    isSymbol: character > "\u007f" && !isLetter && !"’\u00a0".includes(character),
  };
}

function costOfPair(before: Kind, kind: Kind): number {
  if (!before.isLetter) {
    const isCased = kind.script === "other" && (kind.isCapital || kind.isSmall);
    return isCased ? COST.caseOfWord : before.isSymbol && kind.isSymbol ? COST.symbolWithinWord : 0;
  }
  if (!kind.isLetter) return kind.isSymbol && kind.script !== "wide" ? COST.symbolWithinWord : 0;
  const mixed = before.script === kind.script ? 0 : COST.mixedScripts;
  const accents = before.isAccented && kind.isAccented ? COST.accentsTogether : 0;
  const capital = kind.isCapital ? (before.isSmall ? COST.capitalAfterSmall : COST.capitalWithinWord) : 0;
  return mixed + accents + capital + (before.isFinal ? COST.finalWithinWord : 0);
}

function costOfLetters(counts: ReadonlyMap<string, number>, letters: string, { wide }: LegacyEncoding): number {
  let cost = 0;
  let asciiLetters = 0;
  for (const [character, count] of counts) {
    if (ASCII_LETTER.test(character)) asciiLetters += count;
    cost += count * costOfCharacter(character, letters, wide?.script);
  }
  const isLatin = LATIN.test(letters.charAt(0));
  return isLatin ? cost : cost + Math.min(COST.asciiLetter * asciiLetters, COST.asciiLetters);
}

function costOfCharacter(character: string, letters: string, script: RegExp | undefined): number {
  if (character <= "\u007f") return COST.ascii;
  if (INVALID.test(character)) return COST.invalid;
  if (HALF_WIDTH.test(character)) return COST.halfWidth;
  const rank = letters.indexOf(character === "İ" ? character : character.toLowerCase());
  if (rank >= 0) return script ? COST.frequent : COST.letter + Math.log2(rank + 1);
  if (script?.test(character)) return COST.usual;
  if (PUNCTUATION.test(character)) return COST.punctuation;
  return LETTER.test(character) ? COST.foreign : COST.symbol;
}

/** Counts pairs of bytes whose first one is not in a range. In Shift_JIS, half-width letters have one byte. */
function rarePairs(bytes: Uint8Array, { first, last }: NonNullable<LegacyEncoding["wide"]>, hasHalves: boolean) {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte < 0x80 || (hasHalves && byte > 0xa0 && byte < 0xe0)) continue;
    if (byte < first || byte > last) count++;
    at++;
  }
  return count;
}
