// Storage format of the text of a document: groups of pages, and an index of folded words in parts.
import type { FoldedPage, PageRecord } from "./page-record.ts";

/** Increment it when the same document has a different text, or its format changes. */
export const TEXT_VERSION = 2;
export const TEXT_PAGES_PER_GROUP = 16;
export const textGroupOf = (page: number): number => Math.floor((page - 1) / TEXT_PAGES_PER_GROUP);

/** One line in JSON for each page. */
export const encodeTexts = (pages: readonly PageRecord[]): Uint8Array =>
  new TextEncoder().encode(pages.map((page) => JSON.stringify(page)).join("\n"));

/** @returns undefined if the group lacks the page */
export function pageInGroup(group: Uint8Array, page: number): PageRecord | undefined {
  let start = 0;
  for (let skipped = (page - 1) % TEXT_PAGES_PER_GROUP; skipped > 0; skipped--) {
    start = group.indexOf(LINE_END, start) + 1;
    if (start === 0) return undefined;
  }
  const end = group.indexOf(LINE_END, start);
  return JSON.parse(new TextDecoder().decode(group.subarray(start, end < 0 ? undefined : end))) as PageRecord;
}
const LINE_END = 0x0a;

/** Folded pages that follow each other. */
export interface IndexPart {
  /** Number of the first page, from 1. */
  readonly first: number;
  readonly pages: readonly FoldedPage[];
}

export const encodePart = (part: IndexPart): Uint8Array => new TextEncoder().encode(JSON.stringify(part));
export const parsePart = (bytes: Uint8Array): IndexPart => JSON.parse(new TextDecoder().decode(bytes)) as IndexPart;
