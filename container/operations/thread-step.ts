// Runs a further step on PDFs that an engine made: an operation in a thread, whose only output is the next file.

import { join } from "node:path";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import type { OperationDeclaration } from "../../src/document/contract/operation.ts";
import { decodeResponse } from "../../src/service/placement/remote.ts";
import { drainOnReturn, writeToFile } from "../pdfa/outputs.ts";
import { threadJob } from "../processes/thread-job.ts";
import type { FileInput } from "../scratch/file-input.ts";
import type { Engines, NativeJob } from "./native.ts";

/** Writes the output to another file of the job. @throws EngineFailure, OutOfRange of the operation */
export async function threadStep<P>(
  operation: OperationDeclaration<P>,
  files: readonly FileInput[],
  params: NoInfer<P>,
  { signal, log, folder }: NativeJob,
  { threads, heapLimitBytes }: Engines,
): Promise<FileInput> {
  const step = threadJob(operation, files, params, heapLimitBytes);
  for await (const { body } of decodeResponse(drainOnReturn(threads.run(step, signal, log)), { signal })) {
    return await writeToFile(join(folder, `${operation.name}.pdf`), body, signal);
  }
  throw new EngineFailure("crashed", `no output of ${operation.name}`);
}
