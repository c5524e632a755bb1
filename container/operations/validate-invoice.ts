// Validates electronic invoices: PDFs with veraPDF, and the invoice in XML with Mustang.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import { detectMediaType } from "../../src/document/contract/media-type.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import { profileOf } from "../../src/document/invoices/profiles.ts";
import { levelName } from "../../src/document/pdfa/level.ts";
import type { RuleFailure } from "../../src/document/pdfa/rule-failure.ts";
import { readPdfInfo } from "../../src/operations/read-pdf-info.ts";
import { type InvoiceFinding, type InvoiceReport, validateInvoice } from "../../src/operations/validate-invoice.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import type { MustangResult } from "../engines/mustang/mustang.ts";
import type { ValidatedLevel } from "../engines/verapdf/validation.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { validated } from "../pdfa/convert.ts";
import { JobValidator } from "../pdfa/job-validator.ts";
import { drainOnReturn, readText } from "../pdfa/outputs.ts";
import { threadJob } from "../processes/thread-job.ts";
import type { FileInput } from "../scratch/file-input.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { type Engines, type NativeJob, nativeOperation } from "./native.ts";

/** The level whose rules apply to a PDF that declares none. */
const DEFAULT_LEVEL: ValidatedLevel = { part: 3, conformance: "b" };
const TOLD_PAGES = 20;
const START_BYTES = 1100;

export const nativeValidateInvoice = nativeOperation(
  validateInvoice,
  { engine: "verapdf", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, _, engines) {
    yield* encodeOutputs(validate(job, engines), job.log);
  },
);

async function* validate(job: NativeJob, engines: Engines): AsyncGenerator<Output> {
  const [input] = job.inputs;
  if (!input) throw new EngineFailure("unsupported", "no file");
  // The failure of one validator ends the other.
  const ending = new AbortController();
  const all = { ...job, signal: AbortSignal.any([job.signal, ending.signal]) };
  try {
    const isPdf = await startsLikePdf(input);
    const archive = isPdf ? await declaredLevel(all, engines) : undefined;
    const [pdfFindings, result] = await Promise.all([
      isPdf ? validatePdf(archive, all, engines) : undefined,
      engines.mustang.validate(input.path, isPdf ? "pdf" : "xml", all.signal),
    ]);
    const report = reportOf(result, pdfFindings, archive);
    yield { extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(report)) };
  } finally {
    ending.abort();
  }
}

async function startsLikePdf(input: FileInput): Promise<boolean> {
  for await (const chunk of input.stream()) {
    return detectMediaType(chunk.subarray(0, START_BYTES), input.name) === "application/pdf";
  }
  return false;
}

/**
 * @returns the level that the PDF declares, if any
 * @throws EngineFailure, for example `password-protected`
 */
async function declaredLevel(
  job: NativeJob,
  { threads, heapLimitBytes }: Engines,
): Promise<ValidatedLevel | undefined> {
  const { inputs, signal, log } = job;
  const frames = threads.run(threadJob(readPdfInfo, inputs, { queries: ["pdfa"] }, heapLimitBytes), signal, log);
  let declared: string | false | undefined;
  for await (const { body } of decodeResponse(drainOnReturn(frames), { signal })) {
    declared = (JSON.parse(await readText(body)) as { pdfa?: string | false }).pdfa;
  }
  if (declared === undefined) throw new EngineFailure("password-protected", "the PDF needs a password");
  return declared === false ? undefined : { part: Number(declared[0]), conformance: declared.slice(1) };
}

async function validatePdf(
  declared: ValidatedLevel | undefined,
  job: NativeJob,
  engines: Engines,
): Promise<readonly InvoiceFinding[]> {
  const level = declared ?? DEFAULT_LEVEL;
  const validator = await engines.verapdf.ready(job.signal);
  const validation = await validated(job.inputs[0]!, new JobValidator(level, { ...engines, validator }, job));
  if (!validation) throw new EngineFailure("damaged", "veraPDF cannot read the PDF");
  const error = { validator: "veraPDF", part: "pdf", severity: "error" } as const;
  const missing = declared ? [] : [{ ...error, message: "The PDF declares no level of PDF/A." }];
  return [...missing, ...validation.failures.map((failure) => ({ ...error, ...brokenRule(failure, level) }))];
}

function brokenRule({ clause, test, places }: RuleFailure, level: ValidatedLevel) {
  const pages = [...new Set(places.flatMap(({ pageNumber }) => pageNumber ?? []))].toSorted(
    (one, other) => one - other,
  );
  return {
    rule: `${clause}-${test}`,
    message: `Rule ${clause} (test ${test}) of ${levelName(level)} is broken.`,
    ...(pages.length > 0 ? { pages: pages.slice(0, TOLD_PAGES) } : {}),
  };
}

function reportOf(
  { valid, hasInvoice, guideline, syntax, findings: found }: MustangResult,
  pdfFindings: readonly InvoiceFinding[] | undefined,
  declared: ValidatedLevel | undefined,
): InvoiceReport {
  const part = pdfFindings ? "pdf" : "xml";
  const findings: InvoiceFinding[] = [
    ...(pdfFindings ?? []),
    ...(hasInvoice ? [] : [{ ...MISSING, part } as const]),
    ...found.map((finding) => ({ validator: "Mustang", ...finding }) as const),
  ];
  const hasErrors = (of: InvoiceFinding["part"]) =>
    findings.some((finding) => finding.part === of && finding.severity === "error");
  const profile = guideline === undefined ? undefined : profileOf(guideline);
  return {
    valid: valid && !hasErrors("pdf") && !hasErrors("xml"),
    ...(pdfFindings ? { pdf_valid: !hasErrors("pdf") } : {}),
    ...(declared ? { pdfa: levelName(declared) } : {}),
    xml_valid: hasInvoice && !hasErrors("xml"),
    ...(hasInvoice && syntax ? { syntax } : {}),
    ...(guideline === undefined ? {} : { guideline }),
    ...(profile ? { profile } : {}),
    findings,
  };
}

const MISSING = { validator: "Mustang", severity: "error", message: "The document contains no invoice." } as const;
