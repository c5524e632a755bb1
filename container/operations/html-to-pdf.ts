// Converts an HTML file, or the page at a URL, to PDF with Chromium.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { mergeNotices, type Notice } from "../../src/document/contract/notice.ts";
import { parsePages } from "../../src/document/contract/pages.ts";
import { mergePdfs } from "../../src/operations/merge-pdfs.ts";
import { htmlToPdf, PART } from "../../src/operations/to-pdf/html-to-pdf.ts";
import type { PageSource } from "../engines/chromium/chromium.ts";
import type { PrintOptions } from "../engines/chromium/page.ts";
import { fontsIn } from "../fonts/added-fonts.ts";
import { substitutionNotices } from "../fonts/substitutions.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";
import { pageSource } from "./page-source.ts";
import { threadStep } from "./thread-step.ts";

const ALL = parsePages("1-last")!;

/** Reports whether a page is printed without anything that outlasts it in a renderer, or runs in it. */
const isPlain = ({
  visit,
  header,
  footer,
  contents,
  isOneSheet,
  fonts = [],
  layout = "desktop",
}: PrintOptions): boolean =>
  [...Object.values(visit ?? {}), header, footer, contents, isOneSheet, ...fonts].every(
    (value) => value === undefined,
  ) && layout === "desktop";

/**
 * @throws EngineFailure, OutOfRange for the reasons of {@link Chromium.printToPdf}; `unsupported` for an empty document
 */
export const nativeHtmlToPdf = nativeOperation(
  htmlToPdf,
  { engine: "chromium", timeoutMs: CONTAINER_LIMITS.documentJobMs },
  async function* (job, params, engines) {
    const { url, kept, isArchive, isSealed, lossless, maxImageDpi, ...printing } = params;
    const chromium = await engines.chromium.ready(job.signal);
    const settings = { ...printing, fonts: await fontsIn(job.inputs) };
    const oneClient = isPlain(settings) ? job.oneClient : undefined;
    const printed: FileInput[] = [];
    const notices: Notice[] = [];
    const print = async (source: PageSource) => {
      const path = join(job.folder, `result-${printed.length}.pdf`);
      notices.push(...substitutionNotices(await chromium.printToPdf(source, path, settings, job.signal)));
      printed.push(fileInput("result.pdf", (await stat(path)).size, path));
    };
    await print(await pageSource({ ...params, oneClient }, job, engines.web));
    for (const part of job.inputs.filter(({ role }) => role === PART)) {
      await print(await pageSource({ isSealed, oneClient }, { inputs: [part], folder: job.folder }, engines.web));
    }
    const all = { pages: printed.map(() => ALL) };
    const whole = printed.length === 1 ? printed[0]! : await threadStep(mergePdfs, printed, all, job, engines);
    const images = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
    yield* limitedExport({ path: whole.path, size: whole.size, notices: mergeNotices(notices) }, images, job, engines);
  },
);
