// Types of validation results, and settings of veraPDF.

import type { ReportedFailure } from "../../../src/document/pdfa/rule-failure.ts";
import type { Scratch } from "../../scratch/scratch.ts";

/** A level of PDF/A that veraPDF supports, such as 2b or 4, or a part of PDF/UA. Clients can convert to only some of these levels. */
export interface ValidatedLevel {
  readonly part: number;
  /** Empty for PDF/A-4 and PDF/UA. */
  readonly conformance: string;
  /** @default "A" */
  readonly family?: "A" | "UA";
}

export interface Validation {
  readonly valid: boolean;
  /** One entry per violated rule. */
  readonly failures: readonly ReportedFailure[];
}

export interface VeraPdfSettings {
  readonly scratch: Scratch;
  /**
   * Maximum number of files that are validated at a time, each in a separate process; further files wait. @default 1
   */
  readonly processes?: number;
  /** Time limit for one file. @default veraPdfMs of container/limits.ts */
  readonly timeoutMs?: number;
  /** Maximum heap of each process. @default veraPdfHeapBytes of container/limits.ts */
  readonly heapBytes?: number;
  /** Number of files after which a process is replaced. @default 2000 */
  readonly filesPerProcess?: number;
  /** Folder with the build output. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}
