// Converts a PostScript or EPS file to PDF with Ghostscript. Knows nothing about how Ghostscript is run.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { EngineFailure } from "../../src/core/failure.ts";
import { type Notice, noticesAbout } from "../../src/core/notice.ts";
import type { Context } from "../../src/core/operation.ts";
import type { PostscriptToPdfParams } from "../../src/operations/postscript-to-pdf.ts";
import type { Ghostscript } from "../engines/ghostscript/ghostscript.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";

/** Parameters from the Worker, which may be of another version. */
export const postscriptToPdfParams: z.ZodType<PostscriptToPdfParams> = z.object({
  lossless: z.boolean(),
  maxImageDpi: z.int().min(1).exactOptional(),
});

/**
 * Converts a file to PDF. Leaves pictures of one bit to the operation limit-images.
 * @param folder where the PDF is made
 * @throws EngineFailure as {@link Ghostscript.convertToPdf} does
 */
export async function postscriptToPdf(
  ghostscript: Ghostscript,
  folder: string,
  [input]: readonly FileInput[],
  params: PostscriptToPdfParams,
  { signal }: Pick<Context, "signal">,
): Promise<FileInput & { readonly notices: readonly Notice[] }> {
  if (!input) throw new EngineFailure("unsupported", "no file");
  const path = join(folder, "result.pdf");
  const { count, fonts } = await ghostscript.convertToPdf(input, path, params, signal);
  const notices = noticesAbout("fonts-substituted", fonts).map((notice) => ({ ...notice, count }));
  return { ...fileInput("result.pdf", (await stat(path)).size, path), notices };
}
