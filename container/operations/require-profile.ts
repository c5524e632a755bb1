// Validates a PDF with veraPDF, and returns it unchanged.

import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { Output } from "../../src/document/contract/operation.ts";
import { levelNamed } from "../../src/document/pdfa/level.ts";
import { requireProfile } from "../../src/operations/require-profile.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { failsAsNonconforming, validated } from "../pdfa/convert.ts";
import { JobValidator } from "../pdfa/job-validator.ts";
import { SMALL_BYTES } from "../scratch/file-input.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { type Engines, type NativeJob, nativeOperation } from "./native.ts";

export const nativeRequireProfile = nativeOperation(
  requireProfile,
  { engine: "verapdf", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, { profile }, engines) {
    yield* encodeOutputs(conforming(job, profile, engines), job.log);
  },
);

/** @throws EngineFailure `nonconforming` */
async function* conforming(job: NativeJob, profile: string, engines: Engines): AsyncGenerator<Output> {
  const [input] = job.inputs;
  if (!input) throw new EngineFailure("unsupported", "no file");
  const level = levelNamed(profile);
  const validator = new JobValidator(level, { ...engines, validator: await engines.verapdf.ready(job.signal) }, job);
  const validation = await validated(input, validator);
  if (!validation?.valid) throw failsAsNonconforming(validation, level);
  const body = input.size <= SMALL_BYTES ? await input.bytes() : input.stream();
  yield { extension: "pdf", type: "application/pdf", body };
}
