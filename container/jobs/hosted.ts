// Defines a job as the container runs it: an operation with limits, answered in frames of placement/remote.ts. Knows no
// HTTP and no engine.

import { EngineFailure, OutOfRange } from "../../src/core/failure.ts";
import type { FileInput } from "../scratch/file-input.ts";
import type { Places } from "./pool.ts";

/** A place to work in, left for a while: others work there meanwhile. */
export type Aside = <T>(work: () => Promise<T>) => Promise<T>;

export interface HostedJob {
  readonly inputs: readonly FileInput[];
  /** As they came; whoever carries the job out checks them. */
  readonly params: unknown;
  /** The job's own folder, gone when it has ended. */
  readonly folder: string;
  /** Aborted when the client has gone, the time is up, or the service ends. */
  readonly signal: AbortSignal;
  /** Does what takes long and needs nothing that its place stands for. */
  readonly aside: Aside;
  log(message: string, details?: Record<string, unknown>): void;
}

export interface Hosted {
  readonly places: Places;
  /** That nothing but its inputs goes into its folder, which may then lie in memory. @default false */
  readonly onlyInputs?: boolean;
  /** Wall clock, from when the job's turn comes. */
  readonly timeoutMs: number;
  /** @returns whole frames; failures are frames, nothing is thrown but the signal's reason */
  run(job: HostedJob): AsyncIterable<Uint8Array>;
}

/** For the log: what was not thrown on purpose with the place it came from. */
export function describeError(error: unknown): Record<string, unknown> {
  const isKnown = error instanceof EngineFailure || error instanceof OutOfRange;
  return { error: String(error), ...(isKnown ? {} : { stack: (error as Error).stack }) };
}
