// Extracts the data for a document's page images: its properties, and its pages as small PDFs, alone or in groups.

import * as z from "zod";
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { defineOperation, type Output, type Run } from "../document/contract/operation.ts";
import { Budget } from "../document/objects/budget.ts";
import { assemble } from "../document/pages/assemble.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import {
  type DocumentProperties,
  encodeGroup,
  PAGES_PER_GROUP,
  type PageOfGroup,
} from "../document/pages/page-groups.ts";
import { pageSize } from "../document/pages/page-size.ts";
import { documentParts } from "../document/pages/parts/index.ts";
import { bookmarksOf } from "../document/pages/parts/outline.ts";
import { labelText } from "../document/pages/parts/page-labels.ts";
import { SourceDocument } from "../document/pages/source-document.ts";

const paramsSchema = z.object({
  /** True to yield the properties first. */
  facts: z.boolean(),
  /** Number of a page, from 1, to yield next. @default none */
  page: z.int().min(1).exactOptional(),
  /** Groups of pages to yield last: index of the first group, and maximum number of groups. @default none */
  groups: z.object({ first: z.int().min(0), count: z.int().min(1) }).exactOptional(),
});
export type ExtractPagesParams = z.infer<typeof paramsSchema>;

/** Fraction of the memory for the source; the rest is for the current output. */
const SOURCE_PART = 0.4;
/**
 * Maximum size of a page in a group. Larger pages are omitted, and so is every page that would make the group larger
 * than `GROUP_BYTES`.
 */
const GROUPED_PAGE_BYTES = 2 ** 17;
const GROUP_BYTES = 2 ** 21;
const LISTED_BOOKMARKS = 10_000;

/**
 * Yields the properties (`json`), the page (`pdf`) and the groups (`pages`), as requested.
 * @throws OutOfRange `pages` if the page does not exist
 * @throws EngineFailure the failure of the document or the engine
 */
const run: Run<ExtractPagesParams> = async function* ([input], { facts, page, groups }, context) {
  using pdf = await openPdf(await input!.bytes(), context, { objectShare: SOURCE_PART });
  const { file, memory, budget } = pdf;
  try {
    const source = new SourceDocument(file);
    const extract = (number: number) => onePage(source, number, memory.objectBytes - budget.limitBytes, context.signal);
    const count = source.pages.length;
    if (facts) yield jsonOutput(factsOf(source));
    if (page !== undefined) {
      if (page > count) throw new OutOfRange("pages", String(page));
      yield pdfOutput(extract(page));
    }
    const first = groups?.first ?? 0;
    for (let group = first; group < first + (groups?.count ?? 0); group++) {
      if (group * PAGES_PER_GROUP >= count) break;
      yield { extension: "pages", name: String(group), type: "application/octet-stream", body: await grouped(group) };
    }

    async function grouped(group: number): Promise<Uint8Array> {
      const pages: PageOfGroup[] = [];
      let remainingBytes = GROUP_BYTES;
      for (const one of source.pages.slice(group * PAGES_PER_GROUP, (group + 1) * PAGES_PER_GROUP)) {
        const pdf = await whole(extract(one.index + 1), Math.min(remainingBytes, GROUPED_PAGE_BYTES));
        remainingBytes -= pdf?.length ?? 0;
        pages.push({ ...rounded(pageSize(file, one)), ...(pdf ? { pdf } : {}) });
      }
      return encodeGroup(pages);
    }
  } finally {
    context.log("pages extracted", pdf.usage);
  }
};

export const extractPages = defineOperation({ name: "extract-pages", params: paramsSchema, run });

function onePage(source: SourceDocument, number: number, roomBytes: number, signal: AbortSignal) {
  const taken = { open: async () => source, select: () => [number], close: () => {} };
  return assemble([taken], documentParts, new Budget(roomBytes), signal);
}

/**
 * @returns undefined if the page exceeds the limit or cannot be extracted; a request for that page reports the failure
 */
async function whole(chunks: AsyncIterable<Uint8Array>, limitBytes: number): Promise<Uint8Array | undefined> {
  const kept: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunks) {
      size += chunk.length;
      if (size > limitBytes) return undefined;
      kept.push(chunk.slice());
    }
  } catch (error) {
    if (error instanceof EngineFailure) return undefined;
    throw error;
  }
  return new Uint8Array(Buffer.concat(kept));
}

function factsOf(source: SourceDocument): DocumentProperties {
  const listed = source.pages.slice(0, LIMITS.selectedPages);
  const labels = listed.map(({ index }) => labelText(source, index) ?? "");
  return {
    pageCount: source.pages.length,
    sizes: listed.map((page) => {
      const { width, height } = rounded(pageSize(source.file, page));
      return [width, height] as const;
    }),
    ...(labels.some((label) => label !== "") ? { labels } : {}),
    bookmarks: bookmarksOf(source, LISTED_BOOKMARKS).map(({ title, page, parent }) => [title, page, parent] as const),
  };
}

/** Rounds to four digits. Most engines compute coordinates as 32-bit floats, whose further digits are noise. */
const rounded = ({ width, height }: { readonly width: number; readonly height: number }) => ({
  width: Number(width.toFixed(4)),
  height: Number(height.toFixed(4)),
});

const jsonOutput = (value: unknown): Output => ({
  extension: "json",
  type: "application/json",
  body: new TextEncoder().encode(JSON.stringify(value)),
});
