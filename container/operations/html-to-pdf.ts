// Converts an HTML file, or the page at a URL, to PDF with Chromium.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { mergePdfs } from "../../src/operations/merge-pdfs.ts";
import { htmlToPdf } from "../../src/operations/to-pdf/html-to-pdf.ts";
import { fontsIn } from "../fonts/added-fonts.ts";
import { substitutionNotices } from "../fonts/substitutions.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { fileInput } from "../scratch/file-input.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";
import { pageSource } from "./page-source.ts";
import { threadStep } from "./thread-step.ts";

/**
 * @throws EngineFailure, OutOfRange for the reasons of {@link Chromium.printToPdf}; `unsupported` for an empty document
 */
export const nativeHtmlToPdf = nativeOperation(
  htmlToPdf,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, params, engines) {
    const { url, isArchive, isSealed, pages, lossless, maxImageDpi, ...printing } = params;
    const chromium = await engines.chromium.ready(job.signal);
    const path = join(job.folder, "result.pdf");
    const source = await pageSource({ url, isArchive, isSealed }, job);
    const fonts = await fontsIn(job.inputs);
    const replaced = await chromium.printToPdf(source, path, { ...printing, fonts }, job.signal);
    const images = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
    const printed = fileInput("The document", (await stat(path)).size, path);
    const kept = pages ? await threadStep(mergePdfs, printed, { pages: [pages] }, job, engines) : printed;
    const notices = substitutionNotices(replaced);
    yield* limitedExport({ path: kept.path, size: kept.size, notices }, images, job, engines);
  },
);
