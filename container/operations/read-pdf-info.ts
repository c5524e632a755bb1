// Reads properties of a PDF. One of them needs the validator: whether the PDF conforms to the PDF/A level that it
// declares.

import type { Output } from "../../src/document/contract/operation.ts";
import { type PdfInfoParams, readPdfInfo, readValidatedPdfInfo } from "../../src/operations/read-pdf-info.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { validated } from "../pdfa/convert.ts";
import { JobValidator } from "../pdfa/job-validator.ts";
import { drainOnReturn, readText } from "../pdfa/outputs.ts";
import { threadJob } from "../processes/thread-job.ts";
import { encodeOutputs } from "./encode-outputs.ts";
import { type Engines, type NativeJob, nativeOperation } from "./native.ts";

export const nativeReadPdfInfo = nativeOperation(
  readValidatedPdfInfo,
  { engine: "verapdf", timeoutMs: CONTAINER_LIMITS.longJobMs },
  async function* (job, params, engines) {
    yield* encodeOutputs(readInfo(job, params, engines), job.log);
  },
);

async function* readInfo(job: NativeJob, params: PdfInfoParams, engines: Engines): AsyncGenerator<Output> {
  const { inputs, signal, log } = job;
  const { threads, heapLimitBytes } = engines;
  const frames = threads.run(threadJob(readPdfInfo, inputs, params, heapLimitBytes), signal, log);
  for await (const output of decodeResponse(drainOnReturn(frames), { signal })) {
    const answers = JSON.parse(await readText(output.body)) as { pdfa?: string | false };
    const pdfa = answers.pdfa ? { pdfa: await conforms(answers.pdfa, job, engines) } : {};
    yield { ...output, body: new TextEncoder().encode(JSON.stringify({ ...answers, ...pdfa })) };
  }
}

/** @param declared a level, such as `2b` */
async function conforms(declared: string, job: NativeJob, engines: Engines): Promise<boolean> {
  const level = { part: Number(declared[0]), conformance: declared.slice(1) };
  const validator = await engines.verapdf.ready(job.signal);
  const validation = await validated(job.inputs[0]!, new JobValidator(level, { ...engines, validator }, job));
  return validation?.valid ?? false;
}
