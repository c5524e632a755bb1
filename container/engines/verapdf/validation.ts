// Types of validation results, and settings of veraPDF.

import type { RuleFailure } from "../../../src/document/pdfa/rule-failure.ts";
import type { Scratch } from "../../scratch/scratch.ts";

/** A level that veraPDF knows, such as 2b or 4: it validates more levels than clients can convert to. */
export interface ValidatedLevel {
  readonly part: number;
  /** Empty for PDF/A-4. */
  readonly conformance: string;
}

export interface Validation {
  readonly valid: boolean;
  /** One entry per violated rule. */
  readonly failures: readonly RuleFailure[];
}

export interface VeraPdfSettings {
  readonly scratch: Scratch;
  /** Maximum number of files at a time, each in its own process; more wait. @default 1 */
  readonly processes?: number;
  /** Time limit of one file. @default veraPdfMs of container/limits.ts */
  readonly timeoutMs?: number;
  /** Maximum heap of each process. @default veraPdfHeapBytes of container/limits.ts */
  readonly heapBytes?: number;
  /** Files after which a process is replaced. @default 2000 */
  readonly filesPerProcess?: number;
  /** Folder with the build output. @default container/dist */
  readonly dist?: string;
  log(message: string, details?: Record<string, unknown>): void;
}
