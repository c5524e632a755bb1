// Validates PDFs against PDF/A and PDF/UA with veraPDF.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import { levelNamed } from "../../src/document/pdfa/level.ts";
import { readClaims } from "../../src/operations/pdfa-steps/read-claims.ts";
import { reportFailures } from "../../src/operations/pdfa-steps/report-failures.ts";
import { VALIDATED_PROFILES, type ValidatePdfParams, validatePdf } from "../../src/operations/validate-pdf.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { validated } from "../pdfa/convert.ts";
import { JobValidator } from "../pdfa/job-validator.ts";
import { readText } from "../pdfa/outputs.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { type Engines, type NativeJob, nativeOperation } from "./native.ts";

const DEFAULT_PROFILE = "PDF/A-2b";

export const nativeValidatePdf = nativeOperation(
  validatePdf,
  { engine: "verapdf", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, params, engines) {
    yield* encodeOutputs(validate(job, params, engines), job.log);
  },
);

/** @throws EngineFailure `password-protected`, `not-a-pdf`, `damaged` and others that the document causes */
async function* validate(job: NativeJob, params: ValidatePdfParams, engines: Engines): AsyncGenerator<Output> {
  const [input] = job.inputs;
  if (!input) throw new EngineFailure("unsupported", "no file");
  const validator = await engines.verapdf.ready(job.signal);
  const threads = { ...engines, validator };
  let claims: string[] = [];
  const reader = new JobValidator(levelNamed(DEFAULT_PROFILE), threads, job);
  for await (const { body } of reader.start(readClaims, [input], {})) claims = JSON.parse(await readText(body));
  const claimed = claims.flatMap((claim) => VALIDATED_PROFILES.find((profile) => profile === claim) ?? [])[0];
  const profile = params.profile ?? claimed ?? DEFAULT_PROFILE;
  const validation = await validated(input, new JobValidator(levelNamed(profile), threads, job));
  if (!validation) throw new EngineFailure("damaged", "veraPDF cannot read the PDF");
  const { valid: compliant, failures } = validation;
  const isMarked = params.outputType === "pdf";
  yield* reader.start(reportFailures, [input], { profile, claims, compliant, failures: [...failures], isMarked });
}
