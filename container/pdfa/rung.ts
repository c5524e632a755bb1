// The contract of the ladder's rungs: each knows one way to make a PDF conform, and none decides whether it did.

import type { Comparison } from "../../src/operations/compare-pdfs.ts";
import type { Notice } from "../../src/operations/notice.ts";
import type { ContentWork } from "../../src/pdf/archival/content-count.ts";
import type { ArchivalLevel } from "../../src/pdf/archival/level.ts";
import type { RuleFailure } from "../../src/pdf/archival/rule-failure.ts";
import type { Validation } from "../engines/verapdf.ts";
import type { FileInput } from "../hosted.ts";
import type { Bases } from "./base.ts";

/** A way to make a document conform. */
export interface Rung {
  /** For the log. */
  readonly name: string;
  /**
   * Makes candidates, one after the other, and is told of each what was found; ends where it has no better idea.
   * @throws EngineFailure, which ends this rung
   */
  candidates(workshop: Workshop, known: Known): AsyncGenerator<MadeFile, void, Judgement>;
}

/** What earlier rungs came to. */
export interface Known {
  readonly original: FileInput;
  /** What is mended instead of it. */
  readonly bases: Bases;
  /** What the validator says of the original; undefined where that claims nothing, or could not be read. */
  readonly ofOriginal: Validation | undefined;
  /** The candidate that came nearest, if there was one. */
  readonly best: Judged | undefined;
}

/** What was found of a candidate. */
export interface Judgement {
  /** Undefined where the validator could not read it. */
  readonly validation: Validation | undefined;
  readonly comparison: Comparison;
}

export interface Judged extends Judgement {
  readonly candidate: MadeFile;
}

/** A file that an operation made; some tell what a validator will take for it. */
export interface MadeFile extends FileInput {
  /** What the original has lost on its way. @default nothing */
  readonly notices?: readonly Notice[];
  /** Undefined where nobody counted. */
  readonly work?: ContentWork;
}

/** What rungs work with. All files lie in the job's folder and go with it. */
export interface Workshop {
  readonly level: ArchivalLevel;
  /** Carries out an operation that gives one PDF, made of the first input, in a thread. @throws EngineFailure */
  make(operation: string, inputs: readonly MadeFile[], params: unknown): Promise<MadeFile>;
  /** Carries out an operation that gives any number of PDFs. @throws EngineFailure */
  extract(operation: string, inputs: readonly FileInput[], params: unknown): Promise<readonly FileInput[]>;
  /**
   * A document inside of this one, by the same rungs.
   * @returns undefined where that fails, or takes longer, or is too deep inside
   */
  convert(embedded: FileInput, timeoutMs: number): Promise<FileInput | undefined>;
  /** The document as Ghostscript writes it anew. @throws EngineFailure */
  rewrite(input: FileInput): Promise<FileInput>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** @param failures what the validator found, besides what is known without asking it. @default nothing */
export const repairOnce = (
  workshop: Workshop,
  input: MadeFile,
  failures: readonly RuleFailure[] = [],
): Promise<MadeFile> => workshop.make("repair-pdfa", [input], { level: workshop.level, failures });

/** Whether a candidate may leave. */
export const passes = ({ validation, comparison }: Judgement): boolean =>
  validation?.valid === true && comparison.differences.length === 0;
