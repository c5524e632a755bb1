// Parses page selections (docs/api.md#page-selections), and resolves them against a document. The workbench also uses
// this file, so it imports no library.
import { OutOfRange } from "./failure.ts";
import { LIMITS } from "./limits.ts";

type Position = number | "last";
interface Range {
  readonly first: Position;
  readonly last: Position;
  /** True if a last page beyond the document counts as the last one of the document. */
  readonly isCapped?: boolean | undefined;
}
type Item = Range | "even" | "odd";

/** A parsed expression; `text` is the client's spelling. */
export interface PageSelection {
  readonly text: string;
  readonly items: readonly Item[];
}

/** Maximum number of pages of one expression, including repeats. */
export const MAX_SELECTED_PAGES = LIMITS.selectedPages;

const ITEM = /^(\d{1,9}|last)(?:\s*-\s*(\d{1,9}|last))?$/;

/**
 * Parses a page selection.
 * @param expression e.g. `1-3, 7, last-2`; `last-2` is the descending range from the last page to page 2
 * @param words true to accept `even` and `odd`
 * @returns undefined if the text is invalid
 */
export function parsePages(expression: string, words = false): PageSelection | undefined {
  const items: Item[] = [];
  for (const part of expression.split(",")) {
    const text = part.trim().toLowerCase();
    if (words && (text === "even" || text === "odd")) {
      items.push(text);
      continue;
    }
    const match = ITEM.exec(text);
    if (!match) return undefined;
    const first = positionOf(match[1]!);
    items.push({ first, last: match[2] === undefined ? first : positionOf(match[2]) });
  }
  return { text: expression, items };
}

/** Parses one expression of a list. It can also be `all`, `even` or `odd` (docs/api.md#page-selections). */
export function parseListedPages(expression: string): PageSelection | undefined {
  if (expression.trim().toLowerCase() !== "all") return parsePages(expression, true);
  return { text: expression, items: [{ first: 1, last: "last" }] };
}

/** Describes the syntax of {@link parsePages} in error messages. */
export const HOW_PAGES_ARE_WRITTEN = 'Pages are written as numbers and ranges, such as "1-3,7".';

const positionOf = (text: string): Position => (text === "last" ? "last" : Number(text));

/**
 * Resolves a selection against a document.
 * @returns page numbers from 1, in the order of the expression, including repeats
 * @throws OutOfRange if a page does not exist, no page is selected, or the selection exceeds {@link MAX_SELECTED_PAGES}
 */
export function resolvePages(selection: PageSelection, pageCount: number, parameter = "pages"): number[] {
  const numbers = selectPages(selection, pageCount, { parameter });
  if (numbers.length === 0) throw new OutOfRange(parameter, selection.text, hasPages("The document", pageCount));
  return numbers;
}

/**
 * Returns an error message with the number of pages.
 * @param document subject of the message, for example `The document`
 */
export const hasPages = (document: string, pageCount: number): string =>
  `${document} has ${pageCount === 1 ? "1 page" : `${pageCount} pages`}.`;

interface Naming {
  readonly parameter?: string;
  /** Subject of the error message, for example `The second document`. */
  readonly document?: string;
}

/** Like {@link resolvePages}, but accepts an empty result, for example `even` for a document of one page. */
export function selectPages(
  selection: PageSelection,
  pageCount: number,
  { parameter = "pages", document = "The document" }: Naming = {},
): number[] {
  const numbers: number[] = [];
  const refuse = (why = hasPages(document, pageCount)): never => {
    throw new OutOfRange(parameter, selection.text, why);
  };
  const add = (page: number) => {
    if (numbers.length >= MAX_SELECTED_PAGES) refuse(`A selection has at most ${MAX_SELECTED_PAGES} pages.`);
    numbers.push(page);
  };
  const locate = (at: Position): number => {
    const page = at === "last" ? pageCount : at;
    return page >= 1 && page <= pageCount ? page : refuse();
  };
  for (const item of selection.items) {
    if (item === "even" || item === "odd") {
      for (let page = item === "odd" ? 1 : 2; page <= pageCount; page += 2) add(page);
    } else {
      const first = locate(item.first);
      const isBeyond = item.last !== "last" && item.last > pageCount;
      const last = item.isCapped && isBeyond ? pageCount : locate(item.last);
      const step = first <= last ? 1 : -1;
      for (let page = first; page !== last + step; page += step) add(page);
    }
  }
  return numbers;
}
