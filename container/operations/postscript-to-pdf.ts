// PostScript and EPS to PDF with Ghostscript: the file in and out. Knows nothing of how Ghostscript is run.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Notice, noticesAbout } from "../../src/operations/notice.ts";
import { type Context, EngineFailure } from "../../src/operations/operation.ts";
import type { PostscriptToPdfParams } from "../../src/operations/postscript-to-pdf.ts";
import type { Ghostscript } from "../engines/ghostscript.ts";
import { type FileInput, fileInput } from "../hosted.ts";

/** What arrives from the Worker, which may be of another version. */
export const postscriptToPdfParams: z.ZodType<PostscriptToPdfParams> = z.object({
  lossless: z.boolean(),
  maxImageDpi: z.int().min(1).exactOptional(),
});

/**
 * Pictures of one bit are left to the operation limit-images.
 * @param folder where it is made
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
