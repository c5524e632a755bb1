// Converts an HTML file, or the page at a URL, to PDF with Chromium.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { htmlToPdf } from "../../src/operations/to-pdf/html-to-pdf.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";
import { pageSource } from "./page-source.ts";

/**
 * @throws EngineFailure, OutOfRange for the reasons of {@link Chromium.printToPdf}; `unsupported` for an empty document
 */
export const nativeHtmlToPdf = nativeOperation(
  htmlToPdf,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, { url, isArchive = false, lossless, maxImageDpi, ...printing }, engines) {
    const chromium = await engines.chromium.ready(job.signal);
    const path = join(job.folder, "result.pdf");
    await chromium.printToPdf(await pageSource({ url, isArchive }, job), path, printing, job.signal);
    const images = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
    yield* limitedExport({ path, size: (await stat(path)).size }, images, job, engines);
  },
);
