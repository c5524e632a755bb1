// Decides whether a hyphen at the end of a line belongs to the word, by the other words of the document.
import type { PageText } from "./page-text.ts";

/** Maximum number of words that are remembered. */
const MAX_WORDS = 200_000;
/** Minimum length of a word that is remembered. */
const MIN_LETTERS = 4;
/** Part of the lines that end with a hyphen in a document that divides words. */
const DIVIDED = 0.015;
const DIVIDING = /\p{L}[\u00ad\u2010-]$/u;
const SOFT = /\u00ad$/;
const LAST_WORD = /[\p{L}\p{M}\p{N}\u2019'-]+(?=[\u00ad\u2010-]$)/u;
/** Number of characters at the end of a line that can contain its last word. */
const LONGEST_WORD = 200;
const FIRST_WORD = /^[\p{L}\p{M}\p{N}\u2019'-]+/u;

export class Hyphens {
  readonly #words = new Set<string>();
  #lines = 0;
  #dividedLines = 0;

  /** Remembers the words of a page. */
  add({ lines }: PageText): void {
    for (const { words } of lines) {
      this.#lines++;
      if (DIVIDING.test(words.at(-1)!.text)) this.#dividedLines++;
      if (this.#words.size > MAX_WORDS) continue;
      for (const { text } of words) {
        if (text.length < MIN_LETTERS || this.#words.has(text)) continue;
        const [word] = /[\p{L}\p{M}\p{N}\u2019'-]+/u.exec(text) ?? [];
        if (word !== undefined && word.length >= MIN_LETTERS && !word.endsWith("-"))
          this.#words.add(word.toLowerCase());
      }
    }
  }

  /** Reports whether a line ends inside a word, at a hyphen that is not part of it. */
  divides(line: string, next: string): boolean {
    if (SOFT.test(line)) return true;
    if (!DIVIDING.test(line) || !/^\p{Ll}/u.test(next)) return false;
    const [before, after] = [LAST_WORD.exec(line.slice(-LONGEST_WORD))?.[0] ?? "", FIRST_WORD.exec(next)?.[0] ?? ""];
    if (this.#words.has(`${before}${after}`.toLowerCase())) return true;
    if (this.#words.has(`${before}-${after}`.toLowerCase())) return false;
    return this.#dividedLines > DIVIDED * this.#lines;
  }
}
