// What the container carries out: an operation, as frames of placement/remote.ts, with bounds. Knows no HTTP and no engine.

import { createReadStream, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { EngineFailure, OutOfRange } from "../../src/core/failure.ts";
import type { Input } from "../../src/core/operation.ts";
import type { Places } from "./pool.ts";

/** An input that lies in the job's scratch folder. */
export interface FileInput extends Input {
  /** Absolute. */
  readonly path: string;
}

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

/** A file up to this size is read and written sooner than a thread of the system's pool has been found for it. */
export const SMALL_BYTES = 2 ** 20;

/** An input that was written to a file. */
export function fileInput(name: string, size: number, path: string): FileInput {
  const bytes = async () => (size <= SMALL_BYTES ? readFileSync(path) : readFile(path));
  return { name, size, path, bytes, stream: () => createReadStream(path) };
}

/** For the log: what was not thrown on purpose with the place it came from. */
export function describeError(error: unknown): Record<string, unknown> {
  const isKnown = error instanceof EngineFailure || error instanceof OutOfRange;
  return { error: String(error), ...(isKnown ? {} : { stack: (error as Error).stack }) };
}
