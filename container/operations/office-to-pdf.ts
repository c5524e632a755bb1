// Office documents to PDF with LibreOffice: parameters in, the PDF out. Knows nothing of how LibreOffice is run.

import { z } from "zod";
import { EngineFailure } from "../../src/core/failure.ts";
import type { Context } from "../../src/core/operation.ts";
import type { OfficeToPdfParams } from "../../src/operations/office-to-pdf.ts";
import type { ConvertedPdf, LibreOffice } from "../engines/libreoffice/libreoffice.ts";
import type { FileInput } from "../scratch/file-input.ts";

/** What arrives from the Worker, which may be of another version. */
export const officeToPdfParams: z.ZodType<OfficeToPdfParams> = z.object({
  tagged: z.boolean(),
  lossless: z.boolean(),
  maxImageDpi: z.int().min(1).exactOptional(),
});

/**
 * Pictures are left to the operation limit-images: LibreOffice brings them down slowly, and can make files larger by it.
 * @throws EngineFailure as {@link LibreOffice.convertToPdf} does; `unsupported` for an empty document
 */
export async function officeToPdf(
  office: LibreOffice,
  [input]: readonly FileInput[],
  { tagged }: Pick<OfficeToPdfParams, "tagged">,
  { signal }: Pick<Context, "signal">,
): Promise<ConvertedPdf> {
  if (!input || input.size === 0) throw new EngineFailure("unsupported", "an empty file");
  return office.convertToPdf(input.path, { tagged, lossless: true }, signal);
}
