// Folds spellings of the same word: case, diacritics, ligatures, widths, hyphens, apostrophes and outer punctuation.

const MARKS = /[\p{M}\u00ad\u200b-\u200f\u2060\ufeff]/gu;
const JOINERS = /[-'\u2010-\u2015\u2018\u2019\u02bc\u30fb]/gu;
const OUTER = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
/** Letters that no decomposition relates to plain ones. */
const LETTERS: Readonly<Record<string, string>> = {
  ...{ ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", ł: "l", ı: "i", þ: "th" },
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join("")}]`, "gu");
const PLAIN = /^[a-z0-9]+$/;
/** Scripts that are written without spaces. */
const WITHOUT_SPACES =
  /^[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\u{20000}-\u{3ffff}]+$/u;

/** @returns a text without spaces, empty if the word has neither letters nor digits */
export function foldWord(word: string): string {
  if (PLAIN.test(word)) return word;
  const letters = word.normalize("NFKD").toLowerCase().replace(MARKS, "").replace(JOINERS, "");
  return letters
    .replace(LETTER, (letter) => LETTERS[letter]!)
    .replace(OUTER, "")
    .replace(/\s+/gu, "");
}

/** Reports whether a hyphen at the end of a line divides the word. */
export const isDivided = (word: string): boolean => /\p{L}[-\u00ad\u2010]$/u.test(word);

/** A word or a phrase to find, as a part of the text of an index. */
export type Term = string;

/**
 * Returns the terms of a query: phrases in quotation marks, and words. A word that ends with `*` is the start of a word;
 * a word of a script without spaces can be anywhere.
 */
export function termsOf(query: string): readonly Term[] {
  const terms: Term[] = [];
  for (const [, phrase, word] of query.matchAll(
    /["\u201c\u201d]([^"\u201c\u201d]*)["\u201c\u201d]?|([^\s"\u201c\u201d]+)/gu,
  )) {
    const given = (phrase ?? word!).trim();
    const folded = given
      .split(/\s+/u)
      .map(foldWord)
      .filter((one) => one !== "");
    if (folded.length === 0) continue;
    const joined = folded.join(" ");
    if (WITHOUT_SPACES.test(joined)) terms.push(joined);
    else terms.push(given.endsWith("*") ? ` ${joined}` : ` ${joined} `);
  }
  return [...new Set(terms)];
}
