// The contract of the ladder's rungs: each knows one way to make a PDF conform, and none decides whether it does.

import type { Notice } from "../../src/core/notice.ts";
import type { Comparison } from "../../src/operations/pdfa-steps/compare-pdfs.ts";
import type { ContentWork } from "../../src/pdf/pdfa/content/content-count.ts";
import type { ArchivalLevel } from "../../src/pdf/pdfa/level.ts";
import type { RuleFailure } from "../../src/pdf/pdfa/rule-failure.ts";
import type { Validation } from "../engines/verapdf/verapdf.ts";
import type { FileInput } from "../scratch/file-input.ts";
import type { Bases } from "./base.ts";

/** A way to make a document conform. */
export interface Rung {
  /** Name for the log. */
  readonly name: string;
  /**
   * Yields candidates one after the other, and receives the judgment of each. Ends when it has no better candidate.
   * @throws EngineFailure, which ends this rung
   */
  candidates(workshop: Workshop, known: Known): AsyncGenerator<MadeFile, void, Judgement>;
}

/** Results of earlier rungs. */
export interface Known {
  readonly original: FileInput;
  /** Bases to repair instead of the original. */
  readonly bases: Bases;
  /** Validation of the original; undefined if it claims no conformance, or could not be read. */
  readonly ofOriginal: Validation | undefined;
  /** Nearest candidate so far, if any. */
  readonly best: Judged | undefined;
}

/** Findings about a candidate. */
export interface Judgement {
  /** Undefined if the validator could not read the candidate. */
  readonly validation: Validation | undefined;
  readonly comparison: Comparison;
}

export interface Judged extends Judgement {
  readonly candidate: MadeFile;
}

/** A file that an operation made, sometimes with the work that a validation of it takes. */
export interface MadeFile extends FileInput {
  /** Losses of the original up to this file. @default none */
  readonly notices?: readonly Notice[];
  /** Work of a validation; undefined if nobody counted it. */
  readonly work?: ContentWork;
}

/** Tools that rungs work with. All files are in the job's folder and are removed with it. */
export interface Workshop {
  readonly level: ArchivalLevel;
  /** Runs an operation that makes one PDF of the first input, in a thread. @throws EngineFailure */
  make(operation: string, inputs: readonly MadeFile[], params: unknown): Promise<MadeFile>;
  /** Runs an operation that makes any number of PDFs. @throws EngineFailure */
  extract(operation: string, inputs: readonly FileInput[], params: unknown): Promise<readonly FileInput[]>;
  /**
   * Converts a document embedded in this one, with the same rungs.
   * @returns undefined if that fails, takes longer, or is nested too deep
   */
  convert(embedded: FileInput, timeoutMs: number): Promise<FileInput | undefined>;
  /** Rewrites the document with Ghostscript. @throws EngineFailure */
  rewrite(input: FileInput): Promise<FileInput>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** @param failures the validator's findings, beyond those that are known without it. @default none */
export const repairOnce = (
  workshop: Workshop,
  input: MadeFile,
  failures: readonly RuleFailure[] = [],
): Promise<MadeFile> => workshop.make("repair-pdfa", [input], { level: workshop.level, failures });

/** Reports whether a candidate is acceptable. */
export const passes = ({ validation, comparison }: Judgement): boolean =>
  validation?.valid === true && comparison.differences.length === 0;
