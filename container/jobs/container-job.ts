// A job of the container: one or more operations, run one after the other with limits. Returns frames
// (placement/frames.ts).

import { open } from "node:fs/promises";
import { extname, join } from "node:path";
import type { Notice } from "../../src/document/contract/notice.ts";
import type { Beginning, Output } from "../../src/document/contract/operation.ts";
import { isStaged, runStages } from "../../src/operations/stages.ts";
import { lastOutputs, spoolOutputs } from "../../src/operations/steps.ts";
import { decodeResponse, encodeFailure, encodeNotices, encodeResponse } from "../../src/service/placement/remote.ts";
import type { NativeJob } from "../operations/native.ts";
import { writeToFile } from "../pdfa/outputs.ts";
import { type FileInput, fileInput } from "../scratch/file-input.ts";
import type { JobPool } from "./job-pool.ts";

export interface ContainerJob extends NativeJob {
  /** Parameters as received. The operation validates them. */
  readonly params: unknown;
}

export interface ContainerOperation {
  readonly pool: JobPool;
  /**
   * True if an operation writes only its inputs to the job's folder. The folder can then be in memory. @default false
   */
  readonly onlyInputs?: boolean;
  /** Time limit of a job, without its time in the queue. */
  readonly timeoutMs: number;
  /** Name of the engine that does the work, for traces. */
  readonly engine?: string;
  /** Called when a job has succeeded. */
  onSuccess?(): void;
  /** @returns complete frames. Failures are frames too; only the signal's reason is thrown */
  run(job: ContainerJob): AsyncIterable<Uint8Array>;
}

/** An operation, with its parameters as received. */
export interface ContainerStep {
  readonly operation: ContainerOperation;
  readonly params: unknown;
  readonly begins?: Beginning;
}

/**
 * Runs each step on the outputs of the previous step, which are files in the job's folder. The first output of the last
 * step reports the notices of all steps.
 * @returns the frames of the last step, or those of the step that failed @throws the signal's reason
 */
export async function* runSteps(
  steps: readonly ContainerStep[],
  job: Omit<ContainerJob, "params">,
): AsyncGenerator<Uint8Array> {
  if (isStaged(steps)) return yield* runStaged(steps, job);
  let { inputs } = job;
  const notices: Notice[] = [];
  try {
    for (const [index, step] of steps.slice(0, -1).entries()) {
      inputs = await spool(step, { ...job, inputs }, notices, index);
    }
  } catch (error) {
    job.signal.throwIfAborted();
    return yield encodeFailure(error);
  }
  if (notices.length > 0) yield encodeNotices(notices);
  const { operation, params } = steps.at(-1)!;
  yield* operation.run({ ...job, inputs, params });
}

/** @returns the frames of the last stage @throws the signal's reason */
async function* runStaged(
  steps: readonly ContainerStep[],
  job: Omit<ContainerJob, "params">,
): AsyncGenerator<Uint8Array> {
  const earlier: Notice[] = [];
  let count = 0;
  const outputs = runStages<ContainerStep, FileInput, Output>(steps, job.inputs, {
    spool: (step, inputs) => spool(step, { ...job, inputs }, earlier, count++),
    finish: ({ operation, params }, inputs, runs) =>
      lastOutputs(decodeResponse(operation.run({ ...job, inputs, params }), job), earlier, runs),
  });
  for await (const frame of encodeResponse(outputs)) {
    job.signal.throwIfAborted();
    yield frame;
  }
}

/** @param number distinguishes the files of this run from those of other runs in the same job */
function spool(
  { operation, params }: ContainerStep,
  job: Omit<ContainerJob, "params">,
  notices: Notice[],
  number: number,
): Promise<FileInput[]> {
  const outputs = decodeResponse(operation.run({ ...job, params }), job);
  return spoolOutputs(outputs, job.inputs, notices, async ({ name, role, body, headerPatch }, output) => {
    const path = spoolPath(job.folder, `step-${number}-${output}`, name);
    const { size } = await writeToFile(path, body, job.signal);
    if (headerPatch) await patch(path, headerPatch());
    return { ...fileInput(name, size, path), ...(role === undefined ? {} : { role }) };
  });
}

async function patch(path: string, header: Uint8Array): Promise<void> {
  await using file = await open(path, "r+");
  await file.write(header, 0, header.length, 0);
}

/** Returns the path of a new file in a job's folder. The file has the extension of the document's name. */
export function spoolPath(folder: string, base: string, name: string): string {
  return join(folder, base + (/^\.[a-z0-9]{1,8}$/.exec(extname(name).toLowerCase())?.[0] ?? ""));
}
