// Applies the transfer functions of a PDF to its colors. Yields one PDF without transfer functions, visually equal to
// the input.

import * as z from "zod";
import { countedNotices } from "../../document/contract/notice.ts";
import { defineOperation } from "../../document/contract/operation.ts";
import { pdfToPdf } from "../../document/pages/open-pdf.ts";
import { applyTransfers } from "../../document/pdfa/apply-transfers.ts";

/** @throws EngineFailure the failure that the document or the engine caused */
const run = pdfToPdf<Record<string, never>>(async ({ file, source, notices }, _params, { signal }) => {
  notices.push(...countedNotices("transfers-applied", await applyTransfers(file, source, signal)));
});

export const applyTransferFunctions = defineOperation({
  name: "apply-transfer-functions",
  params: z.object({}),
  run,
});
