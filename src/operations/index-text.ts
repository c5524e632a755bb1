// Reads the text of a document for its pages as text and for its search: pages in groups, and an index of all pages.
import * as z from "zod";
import { defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { DocumentLayout } from "../document/layout/document-layout.ts";
import { startedPages } from "../document/layout/read-pages.ts";
import { type FoldedPage, foldPage, type PageRecord, recordOf } from "../document/search/page-record.ts";
import { encodePart, encodeTexts, TEXT_PAGES_PER_GROUP, textGroupOf } from "../document/search/stored-text.ts";

const paramsSchema = z.object({
  first: z.int().min(1),
  last: z.int().min(1),
  /** True to yield parts of the index, too. */
  index: z.boolean(),
});
export type IndexTextParams = z.infer<typeof paramsSchema>;

/** Characters of a part, unless one page has more. */
const PART_LENGTH = 2 ** 19;

/**
 * Yields groups (`text`) and parts of the index (`index`), with their numbers as names, as soon as their pages are read.
 * @throws EngineFailure the failure of the document or the engine
 */
const run: Run<IndexTextParams> = async function* ([input], { first, last, index }, context) {
  const selection = { text: `${first}-${last}`, items: [{ first, last }] };
  let pages: PageRecord[] = [];
  let folded: FoldedPage[] = [];
  let [length, part] = [0, 0];
  const layout = new DocumentLayout();
  for await (const page of layout.read(await startedPages(input!, selection, context))) {
    const record = recordOf(page, layout.hyphens);
    const isLast = record.page === last;
    pages.push(record);
    if (isLast || record.page % TEXT_PAGES_PER_GROUP === 0) {
      yield output("text", textGroupOf(record.page), encodeTexts(pages));
      pages = [];
    }
    if (!index) continue;
    const one = foldPage(record);
    folded.push(one);
    length += one.text.length;
    if (length < PART_LENGTH && !isLast) continue;
    yield output("index", part++, encodePart({ first: record.page - folded.length + 1, pages: folded }));
    [folded, length] = [[], 0];
  }
};

const output = (extension: string, number: number, body: Uint8Array): Output => ({
  ...{ extension, name: String(number), type: "application/json", body },
});

export const indexText = defineOperation({ name: "index-text", params: paramsSchema, run });
