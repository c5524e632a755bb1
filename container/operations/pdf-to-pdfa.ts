// Converts a PDF to PDF/A: tries the strategies on the input, and returns the accepted candidate.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import type { TargetLevel } from "../../src/document/pdfa/level.ts";
import { ATTACHMENT, type PdfToPdfaParams, pdfToPdfa } from "../../src/operations/pdf-to-pdfa.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { conforming } from "../pdfa/conforming.ts";
import { type ConversionEngines, JobConversionContext } from "../pdfa/conversion-context.ts";
import { convertToLevel, failsAsNonconforming, validated } from "../pdfa/convert.ts";
import { prepareEmbedding } from "../pdfa/embed.ts";
import { ghostscript } from "../pdfa/ghostscript.ts";
import { JobValidator } from "../pdfa/job-validator.ts";
import { rasterize as rasterizePages } from "../pdfa/rasterize.ts";
import { repair } from "../pdfa/repair.ts";
import { BASIS, convertToPart4 } from "../pdfa/upgrade.ts";
import { type FileInput, SMALL_BYTES } from "../scratch/file-input.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { type NativeJob, nativeOperation } from "./native.ts";

const STRATEGIES = [conforming, repair, ghostscript];
/** The other strategies draw pages anew, which takes the content of their tags. */
const TAGGED_STRATEGIES = [conforming, repair];

export const nativePdfToPdfa = nativeOperation(
  pdfToPdfa,
  { engine: "verapdf", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, params, engines) {
    const validator = await engines.verapdf.ready(job.signal);
    yield* encodeOutputs(convertToPdfa({ ...engines, validator }, params, job), job.log);
  },
);

/** Clauses that require MarkInfo and a structure tree. */
const TAGS = /^6\.(?:8\.2\.2|8\.3\.3|7\.2\.2|7\.3\.3)$/;

/** @throws EngineFailure `nonconforming` if the document is not tagged, which the conversion cannot change */
async function requireTags(input: FileInput, validator: JobValidator<TargetLevel>): Promise<void> {
  const validation = await validated(input, validator);
  const failures = validation?.failures.filter(({ clause }) => TAGS.test(clause)) ?? [];
  if (failures.length > 0) throw failsAsNonconforming({ valid: false, failures }, validator.level);
}

/**
 * Yields one output. If the input already conforms, the output is the input.
 * @throws EngineFailure `nonconforming`, or a failure caused by the document or an engine
 * @throws OutOfRange if the level does not allow the attached file, or the invoice has another profile
 */
export async function* convertToPdfa(
  engines: ConversionEngines,
  { level, rasterize, invoiceProfile }: PdfToPdfaParams,
  job: NativeJob,
): AsyncGenerator<Output> {
  const attached = job.inputs.find(({ role }) => role === ATTACHMENT);
  const input = job.inputs.find((file) => file !== attached);
  if (!input) throw new EngineFailure("unsupported", "no file");
  const validator = new JobValidator(level, engines, job);
  if (level.conformance === "a") await requireTags(input, validator);
  const untagged = rasterize ? [...STRATEGIES, rasterizePages] : STRATEGIES;
  const strategies = level.conformance === "a" ? TAGGED_STRATEGIES : untagged;
  const isPart4 = level.part === 4;
  const workshop = new JobConversionContext(isPart4 ? BASIS : level, strategies, engines, job);
  const embed = attached && (await prepareEmbedding(attached, invoiceProfile, level, workshop));
  const { document: converted, strategy } = await (isPart4
    ? convertToPart4(input, strategies, workshop, validator)
    : convertToLevel(input, strategies, workshop));
  const document = (await embed?.(converted)) ?? converted;
  job.log("document converted to pdfa", { strategy, bytes: document.size });
  yield {
    extension: "pdf",
    type: "application/pdf",
    body: document.size <= SMALL_BYTES ? await document.bytes() : document.stream(),
    notices: () => document.notices ?? [],
  };
}
