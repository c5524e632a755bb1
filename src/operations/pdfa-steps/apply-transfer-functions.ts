// Applies the transfer functions of a PDF to its colors. Yields one PDF, which looks without transfer functions as the
// input looks with them.

import * as z from "zod";
import { countedNotices } from "../../core/notice.ts";
import { defineOperation, type Run } from "../../core/operation.ts";
import { Budget } from "../../pdf/objects/budget.ts";
import { MupdfSource } from "../../pdf/objects/mupdf-source.ts";
import { PdfFile } from "../../pdf/objects/pdf-file.ts";
import { memoryLimitsOf } from "../../pdf/objects/room.ts";
import { writeFile } from "../../pdf/objects/writer.ts";
import { applyTransfers } from "../../pdf/pdfa/apply-transfers.ts";
import { unprotect } from "../unprotect.ts";

/** @throws EngineFailure the failure that the document or the engine caused */
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
