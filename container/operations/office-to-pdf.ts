// Office documents to PDF with LibreOffice: which import filter a document needs whose content does not tell, and the file in
// and out. Knows nothing of how LibreOffice is run.

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { extname, join } from "node:path";
import { z } from "zod";
import type { OfficeToPdfParams } from "../../src/operations/office-to-pdf.ts";
import { type Context, EngineFailure, type Output } from "../../src/operations/operation.ts";
import type { LibreOffice, OfficeToPdfOptions } from "../engines/libreoffice.ts";
import type { FileInput } from "../hosted.ts";

/** What arrives from the Worker, which may be of another version. */
export const officeToPdfParams: z.ZodType<OfficeToPdfParams> = z.object({
  tagged: z.boolean(),
  lossless: z.boolean(),
  maxImageDpi: z.int().min(1).exactOptional(),
});

const SNIFFED_BYTES = 4096;

/**
 * One output, the PDF.
 * @param folder where it is made
 * @throws EngineFailure as {@link LibreOffice.convertToPdf} does; `unsupported` for an empty document
 */
export async function* officeToPdf(
  office: LibreOffice,
  folder: string,
  [input]: readonly FileInput[],
  { tagged, lossless, maxImageDpi = 0 }: OfficeToPdfParams,
  { signal }: Pick<Context, "signal">,
): AsyncGenerator<Output> {
  if (!input || input.size === 0) throw new EngineFailure("unsupported", "an empty file");
  const path = join(folder, "result.pdf");
  const options = { tagged, lossless, maxImageDpi, ...(await importOptions(input.path)) };
  await office.convertToPdf(input.path, path, options, signal);
  yield { extension: "pdf", type: "application/pdf", body: createReadStream(path) };
}

/**
 * Excel opens text and HTML that is named as its own as a spreadsheet; LibreOffice has to be told.
 * @param path of the document, with the extension that the client gave
 */
async function importOptions(path: string): Promise<Pick<OfficeToPdfOptions, "importFilter" | "importOptions">> {
  if (![".xls", ".xlsx", ".csv"].includes(extname(path).toLowerCase())) return {};
  const start = await startOf(path);
  if (isBinary(start)) return {};
  const text = start.toString("latin1").replace(/^\xef\xbb\xbf/, "");
  // Spreadsheet XML (Excel 2003) is found by its content.
  if (/^\s*<\?xml/i.test(text)) return {};
  if (/^\s*</.test(text)) return { importFilter: "calc_HTML_WebQuery", importOptions: HTML_OPTIONS };
  return { importFilter: "Text - txt - csv (StarCalc)", importOptions: `${separatorOf(text)},34,${encodingOf(start)}` };
}

async function startOf(path: string): Promise<Buffer> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(SNIFFED_BYTES), 0, SNIFFED_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}

/** Text of 16 bits a character has zeros too, but says so first. */
const isBinary = (start: Buffer) => start.includes(0) && encodingOf(start) !== UTF_16;

/** Language as in the document; numbers and dates are recognised, as Excel does. */
const HTML_OPTIONS = "0 true";

/** LibreOffice's numbers of encodings: what is not UTF-8 is taken for Windows-1252, as Excel's own exports are. */
const UTF_8 = 76;
const UTF_16 = 65535;
const WINDOWS_1252 = 1;

function encodingOf(start: Buffer): number {
  if ((start[0] === 0xff && start[1] === 0xfe) || (start[0] === 0xfe && start[1] === 0xff)) return UTF_16;
  try {
    // The last character may have been cut in two.
    new TextDecoder("utf-8", { fatal: true }).decode(start, { stream: true });
    return UTF_8;
  } catch {
    return WINDOWS_1252;
  }
}

/** The code of the one that the first line has most of. */
function separatorOf(text: string): number {
  const line = text.split(/\r?\n/, 1)[0]!;
  const counted = [",", ";", "\t", "|"].map((separator) => ({ separator, count: line.split(separator).length }));
  return counted.reduce((best, next) => (next.count > best.count ? next : best)).separator.charCodeAt(0);
}
