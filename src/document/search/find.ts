// Finds terms in the folded text of pages.

import { around, type Box } from "../content/matrix.ts";
import type { Term } from "./fold-word.ts";
import { type FoldedPage, type PageRecord, wordsOfFolded } from "./page-record.ts";

/** The words of a page that a term matches. */
export interface Match {
  /** Number of the first word on the page, from 0. */
  readonly first: number;
  readonly count: number;
}

/** The part of a folded page that a term matches. */
type Place = readonly [start: number, length: number];

/** @returns where the terms are, in the order of the text; an empty list if one of them is missing */
export function placesOf(terms: readonly Term[], { text }: FoldedPage): readonly Place[] {
  const places = new Map<number, number>();
  for (const term of terms) {
    let at = text.indexOf(term);
    if (at < 0) return [];
    for (; at >= 0; at = text.indexOf(term, at + 1)) places.set(at, Math.max(term.length, places.get(at) ?? 0));
  }
  return [...places].toSorted(([one], [other]) => one - other);
}

/** Returns the words at places of a page, which are in the order of the text. */
export function matchesAt(places: readonly Place[], page: FoldedPage): readonly Match[] {
  const matches: Match[] = [];
  let [counted, index] = [0, -1];
  for (const [at, length] of places) {
    const start = page.text[at] === " " ? at + 1 : at;
    for (; counted < start; counted++) if (page.text[counted] === " ") index++;
    const first = wordsOfFolded(page, index);
    const spaces =
      page.text
        .slice(start, at + length)
        .trimEnd()
        .split(" ").length - 1;
    const last = wordsOfFolded(page, index + spaces);
    matches.push({ first: first[0], count: last[0] + last[1] - first[0] });
  }
  return matches;
}

/** Returns the words that match the terms. */
export const matchesOn = (page: FoldedPage, terms: readonly Term[]): readonly Match[] =>
  matchesAt(placesOf(terms, page), page);

/** Returns a box for each line of the matched words. */
export function boxesOf({ words }: PageRecord, { first, count }: Match): readonly Box[] {
  const boxes = new Map<number, Box>();
  for (const [, left, bottom, right, top, line] of words.slice(first, first + count)) {
    const known = boxes.get(line) ?? [left, bottom, right, top];
    boxes.set(line, around(known, [left, bottom, right, top]));
  }
  return [...boxes.values()];
}

/** Number of words before and after a match in its snippet. */
const AROUND = 10;

export interface Snippet {
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export function snippetOf({ words }: PageRecord, { first, count }: Match): Snippet {
  const text = (from: number, to: number) =>
    words
      .slice(Math.max(0, from), to)
      .map(([word]) => word)
      .join(" ");
  const end = first + count;
  return { before: text(first - AROUND, first), match: text(first, end), after: text(end, end + AROUND) };
}
