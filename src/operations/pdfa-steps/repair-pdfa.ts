// Repairs a PDF in place so that it conforms to a PDF/A level (ISO 19005-1, -2, -3). Changes only what breaks a rule.
// The validator's findings on the previous attempt select additional repairs.

import * as z from "zod";
import { EngineFailure } from "../../document/contract/failure.ts";
import type { Notice } from "../../document/contract/notice.ts";
import { type Context, defineOperation, type Run } from "../../document/contract/operation.ts";
import { acquireMupdf } from "../../document/engines/mupdf/instance/spare.ts";
import type { Family } from "../../document/formats/xmp/claims.ts";
import { MupdfSource } from "../../document/objects/engine/mupdf-source.ts";
import { memoryLimitsOf } from "../../document/objects/memory-limits.ts";
import { FileWriter } from "../../document/objects/writer.ts";
import { withdrawClaims } from "../../document/pages/claims.ts";
import { openPdf } from "../../document/pages/open-pdf.ts";
import { xfaNotices } from "../../document/pages/unprotect.ts";
import type { ContentWork } from "../../document/pdfa/content/content-count.ts";
import { NO_FONTS } from "../../document/pdfa/fonts/font-provider.ts";
import { pdfaLevelSchema } from "../../document/pdfa/level.ts";
import type { Task } from "../../document/pdfa/pdfa-document.ts";
import { repairFile } from "../../document/pdfa/repair.ts";
import { ruleFailure } from "../../document/pdfa/rule-failure.ts";
import { prewarmPdfaEngines } from "./compare-pdfs.ts";
import { workOutput } from "./count-content.ts";

const paramsSchema = z.object({
  level: pdfaLevelSchema,
  /** Broken rules in the result of the previous attempt on the same input; empty for the first attempt. */
  failures: z.array(ruleFailure).readonly(),
});
export type RepairPdfaParams = z.infer<typeof paramsSchema>;

/** The latest PDF version that each part allows. */
const VERSIONS = { 1: "1.4", 2: "1.7", 3: "1.7" } as const;

/**
 * Yields two outputs: the PDF, and the cost of validating it, {@link ContentWork}, as JSON.
 * @throws EngineFailure the failure of the document or the engine
 */
const run: Run<RepairPdfaParams> = async function* ([input], params, context) {
  const found: Found = { work: undefined, notices: [] };
  const body = repair(await input!.bytes(), params, context, found);
  yield { extension: "pdf", type: "application/pdf", body, notices: () => found.notices };
  yield workOutput(found.work!);
};

export const repairPdfa = defineOperation({ name: "repair-pdfa", params: paramsSchema, run });

interface Found {
  /** Estimated cost of validating the file. */
  work: ContentWork | undefined;
  readonly notices: Notice[];
}

/**
 * @param found filled in while the output is read; undefined for an attachment, whose own attachments are not converted
 */
async function* repair(
  bytes: Uint8Array,
  { level, failures }: RepairPdfaParams,
  context: Context,
  found?: Found,
): AsyncGenerator<Uint8Array> {
  const { engineBytes } = memoryLimitsOf(context.heapLimitBytes);
  const engine = await acquireMupdf({ heapLimitBytes: engineBytes });
  context.defer(() => prewarmPdfaEngines({ heapLimitBytes: engineBytes }, 1));
  using pdf = await openPdf(bytes, context, { engine });
  const { source, file, budget } = pdf;
  const lost = [...pdf.notices, ...xfaNotices(file), ...withdrawClaims(file, isOtherwise)];
  found?.notices.push(...lost);
  const work = await repairFile(file, {
    level,
    failures,
    signal: context.signal,
    source,
    fonts: context.fonts ?? NO_FONTS,
    reopen: () => MupdfSource.open(bytes, engineBytes, budget),
    ...(found ? reportingTo(found, (pdf) => convertAttached(pdf, context)) : {}),
  });
  if (found) found.work = work;
  // Part 1 allows neither object streams nor cross-reference streams (6.1.4).
  const writer = new FileWriter(VERSIONS[level.part], "new", { classic: level.part === 1 });
  yield* writer.finish(file);
}

/** Reports whether the family is another standard, such as PDF/X, with its own output intent or document parts. */
const isOtherwise = (family: Family): boolean => family !== "PDF/A" && family !== "PDF/UA";

const reportingTo = ({ notices }: Found, convert: NonNullable<Task["convert"]>): Pick<Task, "convert" | "report"> => ({
  convert,
  report: (...lost) => notices.push(...lost),
});

/** @returns undefined if the attachment cannot be opened */
async function convertAttached(pdf: Uint8Array, context: Context): Promise<Uint8Array | undefined> {
  const params = { level: { part: 2, conformance: "b" }, failures: [] } as const;
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of repair(pdf, params, context)) chunks.push(Uint8Array.from(chunk));
    return Buffer.concat(chunks);
  } catch (error) {
    if (!(error instanceof EngineFailure)) throw error;
    context.log("attachment left out", { error: String(error) });
    return undefined;
  }
}
