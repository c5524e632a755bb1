// Replaces the outline of a PDF, or adds bookmarks to it. Yields one output.
import * as z from "zod";
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { hasPages } from "../document/contract/pages.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { json } from "../document/contract/parameters/json.ts";
import type { Family } from "../document/formats/xmp/claims.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";
import { placesOf } from "../document/pages/page-tree.ts";
import { extendOutline, type NewBookmark, replaceOutline } from "../document/pages/parts/written-outline.ts";

const visibleText = (title: string): string => title.replace(/\p{Cc}+/gu, " ").trim();
const own = {
  title: z.string().overwrite(visibleText).min(1).max(LIMITS.bookmarkTitleLength),
  page: z.int().min(1),
  ...{ open: z.boolean().exactOptional(), bold: z.boolean().exactOptional(), italic: z.boolean().exactOptional() },
  color: z.array(z.int().min(0).max(255)).length(3).exactOptional(),
};

/** Returns the schema of a list of bookmarks. Each level is written out, because clients need schemas without cycles. */
function bookmarksOf(levels: number): z.ZodType<readonly NewBookmark[]> {
  const children = levels > 1 ? { children: bookmarksOf(levels - 1).exactOptional() } : {};
  return z.array(z.strictObject({ ...own, ...children })) as unknown as z.ZodType<readonly NewBookmark[]>;
}

const parameters = {
  bookmarks: parameter(
    "JSON with the bookmarks: their titles, page numbers and children.",
    json(bookmarksOf(LIMITS.bookmarkLevels), { name: "Bookmarks" }),
  ),
  mode: parameter("What happens to the bookmarks of the PDF.", choice(["replace", "merge"]), "replace"),
};
export type SetBookmarksParams = Params<typeof parameters>;

const TOO_MANY = `A request sets at most ${LIMITS.bookmarks} bookmarks.`;

/** @throws OutOfRange if a page does not exist, or if there are too many bookmarks */
const run = pdfToPdf<SetBookmarksParams>(async ({ file, notices }, { bookmarks, mode }) => {
  const pages = placesOf(file);
  check(bookmarks, pages.length);
  const write = mode === "merge" ? extendOutline : replaceOutline;
  write(file, pages, bookmarks);
  if (bookmarks.length === 0) return;
  // Titles need a language (ISO 14289-1, 7.2), and in part 2, bookmarks lead to structure elements (8.8).
  const hasLanguage = file.catalog.has("Lang");
  const isFalse = (family: Family, name: string) => family === "PDF/UA" && (!hasLanguage || name !== "PDF/UA-1");
  notices.push(...withdrawClaims(file, isFalse));
});

function check(bookmarks: readonly NewBookmark[], pageCount: number): void {
  let count = 0;
  const checkLevel = (level: readonly NewBookmark[], path: string) => {
    for (const [index, { page, children = [] }] of level.entries()) {
      const name = `${path}.${index}`;
      if (++count > LIMITS.bookmarks) throw new OutOfRange("bookmarks", String(count), TOO_MANY);
      if (page > pageCount) throw new OutOfRange(`${name}.page`, String(page), hasPages("The document", pageCount));
      checkLevel(children, `${name}.children`);
    }
  };
  checkLevel(bookmarks, "bookmarks");
}

export const setBookmarks = defineOperation({ name: "set-bookmarks", parameters, run });
