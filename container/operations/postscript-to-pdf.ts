// Converts a PostScript or EPS file to PDF with Ghostscript.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { namedNotices } from "../../src/document/contract/notice.ts";
import { postscriptToPdf } from "../../src/operations/to-pdf/postscript-to-pdf.ts";
import { fontsIn } from "../fonts/added-fonts.ts";
import { substitutionNotices } from "../fonts/substitutions.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure for the reasons of {@link Ghostscript.convertToPdf} */
export const nativePostscriptToPdf = nativeOperation(
  postscriptToPdf,
  { engine: "ghostscript", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, params, engines) {
    const ghostscript = await engines.ghostscript.ready(job.signal);
    const [input] = job.inputs;
    if (!input) throw new EngineFailure("unsupported", "no file");
    const path = join(job.folder, "result.pdf");
    const { lossless, maxImageDpi, jobOptions } = params;
    const options = { ...params, fonts: await fontsIn(job.inputs) };
    const substitutions = await ghostscript.convertToPdf(input, path, options, job.signal);
    const ignored = (jobOptions?.ignored ?? []).map((name) => ({ name }));
    const notices = [...substitutionNotices(substitutions), ...namedNotices("settings-ignored", ignored)];
    const exported = { path, size: (await stat(path)).size, notices };
    // Ghostscript has already limited all images except bilevel ones.
    const dpi = jobOptions ? jobOptions.bilevelDpi : maxImageDpi;
    const images = { lossless, onlyBilevel: true, ...(dpi === undefined ? {} : { maxImageDpi: dpi }) };
    yield* limitedExport(exported, images, job, engines);
  },
);
