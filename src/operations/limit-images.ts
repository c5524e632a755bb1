// Limits the resolution of a PDF's images on the page, and converts photographs to JPEG unless the result must be
// lossless. Used for PDFs that were exported from Office documents and web pages. Replaces only images, so tags, links,
// outlines and forms stay.

import * as z from "zod";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { limitImages as limitImagesOf } from "../document/images/limit-images.ts";
import { writeFile } from "../document/objects/writer.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";

const paramsSchema = z.object({
  /** Maximum resolution in dots per inch. @default unlimited */
  maxImageDpi: z.int().min(1).exactOptional(),
  /** True to keep photographs unchanged, false to convert them to JPEG if that is smaller. */
  lossless: z.boolean(),
  /** True to change only bilevel images. @default false */
  onlyBilevel: z.boolean().exactOptional(),
});
export type LimitImagesParams = z.infer<typeof paramsSchema>;

/**
 * Yields one output, which is the input itself if nothing changed.
 * @throws EngineFailure the failure of the document or the engine
 */
const run: Run<LimitImagesParams> = async function* ([input], params, context) {
  const bytes = await input!.bytes();
  if (!mayChange(bytes, params)) {
    return yield pdfOutput(bytes);
  }
  using pdf = await openPdf(bytes, context, { asIs: true });
  const { objectBytes } = pdf.memory;
  const memory = { decodedBytes: objectBytes / 2, kernelBytes: objectBytes };
  const { lossless, maxImageDpi, onlyBilevel = false } = params;
  const limits = { lossless, onlyBilevel, memory, ...(maxImageDpi === undefined ? {} : { maxDpi: maxImageDpi }) };
  const limited = await limitImagesOf(pdf.file, limits, context.signal);
  context.log("images limited", { ...limited });
  yield pdfOutput(limited.replaced > 0 ? writeFile(pdf.file) : bytes);
};

export const limitImages = defineOperation({ name: "limit-images", params: paramsSchema, run });

/** Reports, after a quick scan of all or part of the file, whether images might have to change. */
export function mayChange(pdf: Uint8Array, { lossless, maxImageDpi, onlyBilevel }: LimitImagesParams): boolean {
  if (maxImageDpi === undefined && (lossless || onlyBilevel)) return false;
  return onlyBilevel ? hasBilevelImages(pdf) : hasImages(pdf);
}

/**
 * Reports whether a file has bilevel images, by searching image dictionaries as {@link hasImages} does. The values
 * could be references, but no engine of this service writes such references.
 */
function hasBilevelImages(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return /\/BitsPerComponent\s+1\b|\/ImageMask\s+true/.test(file.toString("latin1"));
}

/**
 * Reports whether a file has images, by searching the bytes: stream dictionaries are never compressed (ISO 32000-1,
 * 7.5.7), and names are not encrypted.
 */
function hasImages(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = file.indexOf("/Image", 0, "latin1"); at >= 0; at = file.indexOf("/Image", at + 1, "latin1")) {
    // Ignores the procedure sets ImageB, ImageC and ImageI.
    if (!/[A-Za-z]/.test(String.fromCharCode(file[at + 6] ?? 0))) return true;
  }
  return false;
}
