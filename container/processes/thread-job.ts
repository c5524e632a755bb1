// Defines the job of a thread: an operation and its input files.
import { factsOf, type InputFacts, type OperationDeclaration } from "../../src/document/contract/operation.ts";

/** A job as a message to a thread. */
export interface ThreadJob {
  /** Name of the operation. */
  readonly operation: string;
  readonly inputs: readonly ThreadFile[];
  readonly params: unknown;
  readonly heapLimitBytes: number;
}

interface ThreadFile extends InputFacts {
  readonly path: string;
}

/** Runs jobs, each in a separate thread. */
export interface JobThreads {
  /**
   * Runs a job, and returns the frames of its response.
   * @throws the signal's reason when aborted
   */
  run(
    job: ThreadJob,
    signal: AbortSignal,
    log: (message: string, details?: Record<string, unknown>) => void,
  ): AsyncGenerator<Uint8Array>;
}

/** @param heapLimitBytes maximum heap of an engine */
export function threadJob<P>(
  operation: OperationDeclaration<P>,
  inputs: readonly ThreadFile[],
  params: NoInfer<P>,
  heapLimitBytes: number,
): ThreadJob {
  // Functions are omitted, because a message between threads cannot contain any.
  const files = inputs.map((file) => ({ ...factsOf(file), path: file.path }));
  return { operation: operation.name, inputs: files, params, heapLimitBytes };
}
