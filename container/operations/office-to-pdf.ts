// Converts an Office document to PDF with LibreOffice.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { countedNotices } from "../../src/document/contract/notice.ts";
import { officeToPdf } from "../../src/operations/to-pdf/office-to-pdf.ts";
import { fontsIn } from "../fonts/added-fonts.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { limitedExport } from "./limited-export.ts";
import { nativeOperation } from "./native.ts";

/** @throws EngineFailure for the reasons of {@link LibreOffice.convertToPdf}; `unsupported` for an empty document */
export const nativeOfficeToPdf = nativeOperation(
  officeToPdf,
  { engine: "office", timeoutMs: CONTAINER_LIMITS.longJobMs, onlyInputs: true },
  async function* (job, { tagged, options = {}, ...images }, engines) {
    const office = await engines.office.ready(job.signal);
    const [input] = job.inputs;
    if (!input || input.size === 0) throw new EngineFailure("unsupported", "an empty file");
    // The operation limit-images limits the images. LibreOffice would do it slowly, and sometimes make the file larger.
    await using exported = await office.convertToPdf(
      input.path,
      { name: input.name, tagged, lossless: true, fonts: await fontsIn(job.inputs), options },
      job.signal,
    );
    // A table with fewer cells is printed by Chromium, which makes rows as high as their text.
    const cut = countedNotices("columns-cut", /\.csv$/i.test(input.name) ? 1 : 0);
    const { path, size, notices = [] } = exported;
    yield* limitedExport({ path, size, notices: [...notices, ...cut] }, images, job, engines);
  },
);
