// The contract of strategies: each strategy makes candidates in one way, and convert.ts assesses them.

import type { Notice } from "../../src/document/contract/notice.ts";
import type { OperationDeclaration } from "../../src/document/contract/operation.ts";
import type { ContentWork } from "../../src/document/pdfa/content/content-count.ts";
import type { PdfaLevel } from "../../src/document/pdfa/level.ts";
import type { RuleFailure } from "../../src/document/pdfa/rule-failure.ts";
import type { Comparison } from "../../src/operations/pdfa-steps/compare-pdfs.ts";
import { repairPdfa } from "../../src/operations/pdfa-steps/repair-pdfa.ts";
import type { Validation } from "../engines/verapdf/validation.ts";
import type { FileInput } from "../scratch/file-input.ts";

/** A way to make a document conform. */
export interface Strategy {
  /** Name for the log. */
  readonly name: string;
  /**
   * Yields candidates one by one, and receives the assessment of each. Ends when it has no better candidate.
   * @throws EngineFailure, which ends this strategy
   */
  candidates(workshop: ConversionContext, known: EarlierResults): AsyncGenerator<GeneratedFile, void, Assessment>;
}

/** Provides the files that strategies repair (repair-inputs.ts). */
export interface RepairInputs {
  /** @param validation of the original, or of a file made from the original. @throws EngineFailure */
  for(validation: Validation | undefined): Promise<GeneratedFile>;
}

/** Results of earlier strategies. */
export interface EarlierResults {
  readonly original: FileInput;
  /** Provides the files to repair, instead of the original. */
  readonly bases: RepairInputs;
  /** Validation of the original. Undefined if the original does not declare conformance, or could not be read. */
  readonly originalValidation: Validation | undefined;
  /** Best candidate so far, if any. */
  readonly best: AssessedCandidate | undefined;
}

/** Result of assessing a candidate. */
export interface Assessment {
  /** Undefined if the validator could not read the candidate. */
  readonly validation: Validation | undefined;
  readonly comparison: Comparison;
}

export interface AssessedCandidate extends Assessment {
  readonly candidate: GeneratedFile;
}

/** An operation's output, with the estimated work of its validation if known. */
export interface GeneratedFile extends FileInput {
  /** Notices about losses between the original and this file. @default none */
  readonly notices?: readonly Notice[];
  /** True if parts of pages were rasterized, or if another engine regenerated the pages. @default false */
  readonly isRedrawn?: boolean;
  /** Estimated work of validating this file. Undefined if its content was not counted. */
  readonly work?: ContentWork;
}

/** A running analysis of the original. Disposal aborts it. */
export interface RenderTask extends AsyncDisposable {
  /** The result of the analysis, which comparisons use. Undefined after a failure. */
  readonly seen: Promise<FileInput | undefined>;
  /** True once `seen` has settled. */
  readonly isOver: boolean;
}

/** Tools for the strategies. All files are in the job's folder and are deleted with it. */
export interface ConversionContext {
  readonly level: PdfaLevel;
  /** When aborted, all work of the job ends. */
  readonly signal: AbortSignal;
  /** Runs an operation in a thread that makes one PDF of the first input. @throws EngineFailure */
  runOperation<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly GeneratedFile[],
    params: NoInfer<P>,
  ): Promise<GeneratedFile>;
  /** Runs an operation in a thread that makes any number of files. @throws EngineFailure */
  extract<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly FileInput[],
    params: NoInfer<P>,
  ): Promise<readonly FileInput[]>;
  /**
   * Converts a document that is embedded in this one, with the same strategies.
   * @returns undefined if the conversion fails or takes longer, or if the document is nested too deep
   */
  convert(embedded: FileInput, timeoutMs: number): Promise<FileInput | undefined>;
  /** Rewrites the document with Ghostscript. @throws EngineFailure */
  rewrite(input: FileInput): Promise<FileInput>;
  /**
   * Validates a file.
   * @returns undefined if the validator cannot read the file
   * @throws EngineFailure if the validation fails for another reason
   */
  validate(input: GeneratedFile): Promise<Validation | undefined>;
  /**
   * Counts the content of the original.
   * @returns the estimated work of a validation; undefined if the file cannot be read
   * @throws EngineFailure `too-much-content`
   */
  count(original: FileInput): Promise<ContentWork | undefined>;
  /** Starts to analyze the original, for comparisons. */
  render(original: FileInput): RenderTask;
  /** @param looking the running analysis of the original, if any. The candidate is analyzed at the same time */
  compare(original: FileInput, candidate: GeneratedFile, looking: RenderTask | undefined): Promise<Comparison>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** @param failures the validator's findings. @default only violations that are detectable without the validator */
export const repairOnce = (
  workshop: ConversionContext,
  input: GeneratedFile,
  failures: readonly RuleFailure[] = [],
): Promise<GeneratedFile> => workshop.runOperation(repairPdfa, [input], { level: workshop.level, failures });

/** Reports whether a candidate is acceptable. */
export const isAcceptable = ({ validation, comparison }: Assessment): boolean =>
  validation?.valid === true && comparison.differences.length === 0;
