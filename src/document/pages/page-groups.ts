// Storage format of a document's pages: properties of the document, and groups of single-page PDFs.

import * as z from "zod";
import { EngineFailure } from "../contract/failure.ts";

/** Number of pages per group. The first group contains pages 1 to 32. */
export const PAGES_PER_GROUP = 32;
export const groupOf = (page: number): number => Math.floor((page - 1) / PAGES_PER_GROUP);

const factsSchema = z.object({
  pageCount: z.int().min(1),
  /** Width and height of the first pages, in points. */
  sizes: z.array(z.tuple([z.number(), z.number()]).readonly()).readonly(),
  /** Labels of the same pages. @default the document has no page labels */
  labels: z.array(z.string()).readonly().exactOptional(),
  /** Title, page index (-1 for none), index of the parent bookmark (-1 for none). */
  bookmarks: z.array(z.tuple([z.string(), z.int(), z.int()]).readonly()).readonly(),
});
/** Properties of a document. */
export type DocumentProperties = z.infer<typeof factsSchema>;

/** @throws EngineFailure `crashed` if the bytes are invalid */
export function parseProperties(bytes: Uint8Array): DocumentProperties {
  const result = factsSchema.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
  if (!result.success) throw new EngineFailure("crashed", "the stored properties of a document are invalid");
  return result.data;
}

export interface PageOfGroup {
  /** Size in points. */
  readonly width: number;
  readonly height: number;
  /** @default the page is too large for its group */
  readonly pdf?: Uint8Array;
}

/** The position of a page's PDF in its group. */
export interface PageEntry {
  readonly width: number;
  readonly height: number;
  /** Offset of the PDF. */
  readonly offset: number;
  /** Length of the PDF in bytes; 0 if the group does not contain it. */
  readonly length: number;
}

const LENGTH_BYTES = 4;

/** Encodes a group: the length of the index in four bytes, the index as JSON, the PDFs. */
export function encodeGroup(pages: readonly PageOfGroup[]): Uint8Array {
  const rows = pages.map(({ width, height, pdf }) => [width, height, pdf?.length ?? 0]);
  const index = new TextEncoder().encode(JSON.stringify(rows));
  const length = new Uint8Array(LENGTH_BYTES);
  new DataView(length.buffer).setUint32(0, index.length);
  return new Uint8Array(Buffer.concat([length, index, ...pages.flatMap(({ pdf }) => (pdf ? [pdf] : []))]));
}

/**
 * Finds a page in its group.
 * @param start the first bytes of the group, including its whole index (at most 4 KiB)
 * @returns undefined if the document has no such page
 */
export function findInGroup(start: Uint8Array, page: number): PageEntry | undefined {
  const indexLength = new DataView(start.buffer, start.byteOffset).getUint32(0);
  const index = start.subarray(LENGTH_BYTES, LENGTH_BYTES + indexLength);
  const rows = JSON.parse(new TextDecoder().decode(index)) as readonly (readonly [number, number, number])[];
  const at = (page - 1) % PAGES_PER_GROUP;
  const row = rows[at];
  if (!row) return undefined;
  const before = rows.slice(0, at).reduce((sum, [, , length]) => sum + length, 0);
  return { width: row[0], height: row[1], offset: LENGTH_BYTES + indexLength + before, length: row[2] };
}
