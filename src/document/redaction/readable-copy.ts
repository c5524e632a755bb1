// Copies of a document in which MuPDF finds all text that other readers find.
import { type Context, yieldBetweenPages } from "../contract/operation.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { writeFile } from "../objects/writer.ts";
import { openPdf } from "../pages/open-pdf.ts";
import { placesOf } from "../pages/page-tree.ts";
import type { SourcePage } from "../pages/pages.ts";
import { findFonts } from "../pdfa/fonts/find-fonts.ts";
import { addUnicode } from "./fonts/added-unicode.ts";
import { addDescriptors } from "./fonts/descriptors.ts";
import { repairTextArrays } from "./repairs/text-arrays.ts";

/** Options of a copy, and of the fonts in it. */
type CopyContext = Pick<Context, "heapLimitBytes" | "signal">;

export interface Repaired {
  /** Object numbers of the fonts. */
  readonly fonts: ReadonlySet<number>;
  readonly isChanged: boolean;
}

/** Repairs what keeps MuPDF from finding text, and leaves what pages look like. */
export async function repairText(file: PdfFile, pages: readonly SourcePage[], signal: AbortSignal): Promise<Repaired> {
  const fonts = await findFonts(file, signal);
  let isChanged = addDescriptors(file, fonts);
  const done = new Set<number>();
  for (const page of pages) {
    await yieldBetweenPages(page, signal);
    isChanged = repairTextArrays(file, page, done) || isChanged;
  }
  return { fonts, isChanged };
}

/** @returns a copy with repaired text and the characters of all fonts; the same bytes if nothing changes */
export async function readableCopy(bytes: Uint8Array, { heapLimitBytes, signal }: CopyContext): Promise<Uint8Array> {
  using pdf = await openPdf(bytes, { heapLimitBytes });
  const { file } = pdf;
  const { fonts, isChanged } = await repairText(file, placesOf(file), signal);
  const hasAdded = addUnicode(file, fonts, signal);
  return isChanged || hasAdded ? await written(file) : bytes;
}

/** @returns a copy of a repaired document with the characters of all fonts; the same bytes if nothing changes */
export async function withAddedUnicode(
  bytes: Uint8Array,
  { heapLimitBytes, signal }: CopyContext,
): Promise<Uint8Array> {
  using pdf = await openPdf(bytes, { heapLimitBytes });
  const { file } = pdf;
  return addUnicode(file, await findFonts(file, signal), signal) ? await written(file) : bytes;
}

export async function written(file: PdfFile): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeFile(file)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
