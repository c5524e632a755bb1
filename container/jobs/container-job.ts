// Defines a job as the container runs it: an operation with limits, answered in frames of placement/remote.ts. Knows
// nothing about HTTP or engines.

import type { NativeJob } from "../operations/native.ts";
import type { JobPool } from "./job-pool.ts";

export interface ContainerJob extends NativeJob {
  /** Parameters as received; the operation checks them. */
  readonly params: unknown;
}

export interface ContainerOperation {
  readonly pool: JobPool;
  /** True if only the inputs are written to the job's folder, which may then be in memory. @default false */
  readonly onlyInputs?: boolean;
  /** Time limit of a job, from the moment when its turn comes. */
  readonly timeoutMs: number;
  /** Name of the engine that does the work, for traces. */
  readonly engine?: string;
  /** Called when a job was answered. */
  onSuccess?(): void;
  /** @returns whole frames; failures are frames, nothing is thrown but the signal's reason */
  run(job: ContainerJob): AsyncIterable<Uint8Array>;
}
