// Compares text with the outline of a document, whose titles can lack numbers, spaces and case.
import { linesIn, type TextBlock } from "./lines/blocks.ts";
import type { PageText } from "./lines/page-text.ts";
import { lineText } from "./lines/plain-text.ts";

export const textOf = (block: TextBlock): string => linesIn(block).map(lineText).join(" ");

/** Returns the letters and digits of a title, without a number before it. */
export function titleKey(title: string): string {
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");
  const text = title.normalize("NFKC").toLowerCase();
  return letters(text.replace(/^(?:(?:[\d.()\s-]+|[a-z][.)]|[ivxlc]+\.)\s*)+(?=.*\p{L})/u, "")) || letters(text);
}

/** Returns the levels in the outline of the titles that lead to a page. */
export const titleLevels = (bookmarks: PageText["bookmarks"] = []): ReadonlyMap<string, number> =>
  new Map(bookmarks.map(({ title, level }) => [titleKey(title), level]));
