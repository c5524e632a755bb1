// Applies the transfer functions of a PDF to its colors. Yields one PDF without transfer functions, visually equal to
// the input.

import * as z from "zod";
import { countedNotices } from "../../document/contract/notice.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { Budget } from "../../document/objects/budget.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { PdfFile } from "../../document/objects/pdf-file.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { unprotect } from "../../document/pages/unprotect.ts";
import { applyTransfers } from "../../document/pdfa/apply-transfers.ts";

/** @throws EngineFailure the failure of document or engine */
const run: Run<Record<string, never>> = async function* ([input], _params, context) {
  const { engineBytes, objectBytes } = memoryLimitsOf(context.heapLimitBytes);
  const budget = new Budget(objectBytes);
  const bytes = await input!.bytes();
  const source = await MupdfSource.open(bytes, engineBytes, budget);
  try {
    const file = PdfFile.of(source, budget);
    const lost = unprotect(file, source, bytes);
    const pages = await applyTransfers(file, source, context.signal);
    const notices = [...lost, ...countedNotices("transfers-applied", pages)];
    yield { extension: "pdf", type: "application/pdf", body: writeFile(file), notices: () => notices };
  } finally {
    source.close();
  }
};

export const applyTransferFunctions = defineOperation({
  name: "apply-transfer-functions",
  params: z.object({}),
  run,
});
