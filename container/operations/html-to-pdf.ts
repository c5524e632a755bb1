// Converts an HTML file, or the page at a URL, to PDF with Chromium. Detects the file's type.

import { createReadStream } from "node:fs";
import { open, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { htmlToPdf } from "../../src/operations/to-pdf/html-to-pdf.ts";
import type { PageSource } from "../engines/chromium/chromium.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { charsetOf } from "./html-encoding.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";

/**
 * @throws EngineFailure, OutOfRange for the reasons of {@link Chromium.printToPdf}; `unsupported` for an empty document
 */
export const nativeHtmlToPdf = nativeOperation(
  htmlToPdf,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, { url, lossless, maxImageDpi, isSealed = false, ...printing }, engines) {
    const chromium = await engines.chromium.ready(job.signal);
    const path = join(job.folder, "result.pdf");
    const source = await sourceOf(url, job.inputs[0], isSealed);
    await chromium.printToPdf(source, path, printing, job.signal);
    const images = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
    yield* limitedExport({ path, size: (await stat(path)).size }, images, job, engines);
  },
);

async function sourceOf(url: string | undefined, input: FileInput | undefined, isSealed: boolean): Promise<PageSource> {
  if (url !== undefined) return { url };
  if (!input || input.size === 0) throw new EngineFailure("unsupported", "an empty file");
  const isXml = [".xhtml", ".xht"].includes(extname(input.name).toLowerCase());
  const start = await startOf(input);
  const charset = isXml ? undefined : charsetOf(start);
  const type = `${isXml ? "application/xhtml+xml" : "text/html"}${charset ? `; charset=${charset}` : ""}`;
  const isStill = !isXml && start.length === input.size && !LIVELY.test(start.toString("latin1"));
  return { document: { type, isSealed, stream: () => createReadStream(input.path) }, isStill: isStill || isSealed };
}

const LOOKED_AT_BYTES = 2 ** 20;

/**
 * Matches a page that might have a script, navigate away, or have content that moves or loads when visible. Inexact
 * matches are harmless, because the loaded page is checked again. Matches UTF-16 by its zero bytes.
 */
const LIVELY =
  /\0|<(?:script|i?frame|object|embed|applet|video|audio|template|animate|set\b)|[\s"'/]on[a-z]+\s*=|loading\s*=|http-equiv/i;

async function startOf({ path, size }: FileInput): Promise<Buffer> {
  const length = Math.min(size, LOOKED_AT_BYTES);
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
  return buffer.subarray(0, bytesRead);
}
