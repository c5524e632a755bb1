// Defines the contract of the ladder's strategies: each knows one way to make a PDF conform, and none decides whether it
// does.

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
   * Yields candidates one after the other, and receives the judgment of each. Ends when it has no better candidate.
   * @throws EngineFailure, which ends this strategy
   */
  candidates(workshop: ConversionContext, known: EarlierResults): AsyncGenerator<GeneratedFile, void, Assessment>;
}

/** Documents to repair, see base.ts. */
export interface RepairInputs {
  /** @param validation of the original, or of a file made from it. @throws EngineFailure */
  for(validation: Validation | undefined): Promise<GeneratedFile>;
}

/** Results of earlier strategies. */
export interface EarlierResults {
  readonly original: FileInput;
  /** Bases to repair instead of the original. */
  readonly bases: RepairInputs;
  /** Validation of the original; undefined if the original does not claim conformance or could not be read. */
  readonly originalValidation: Validation | undefined;
  /** Nearest candidate so far, if any. */
  readonly best: AssessedCandidate | undefined;
}

/** Findings about a candidate. */
export interface Assessment {
  /** Undefined if the validator could not read the candidate. */
  readonly validation: Validation | undefined;
  readonly comparison: Comparison;
}

export interface AssessedCandidate extends Assessment {
  readonly candidate: GeneratedFile;
}

/** A file that an operation made, and the work of validating it, if known. */
export interface GeneratedFile extends FileInput {
  /** Losses between the original and this file. @default none */
  readonly notices?: readonly Notice[];
  /** True if parts of the pages have become pictures, or another engine has drawn them. @default false */
  readonly isRedrawn?: boolean;
  /** Work of a validation; undefined if it was not counted. */
  readonly work?: ContentWork;
}

/** A look at the original in progress, which ends when it is disposed of. */
export interface RenderTask extends AsyncDisposable {
  /** Result of the look, so that comparing need not look again; undefined if it has none. */
  readonly seen: Promise<FileInput | undefined>;
  /** True once `seen` has settled. */
  readonly isOver: boolean;
}

/** Tools that the ladder and its strategies work with. All files are in the job's folder and are removed with it. */
export interface ConversionContext {
  readonly level: PdfaLevel;
  /** Ends everything when aborted. */
  readonly signal: AbortSignal;
  /** Runs an operation that makes one PDF of the first input, in a thread. @throws EngineFailure */
  runOperation<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly GeneratedFile[],
    params: NoInfer<P>,
  ): Promise<GeneratedFile>;
  /** Runs an operation that makes any number of files. @throws EngineFailure */
  extract<P>(
    operation: OperationDeclaration<P>,
    inputs: readonly FileInput[],
    params: NoInfer<P>,
  ): Promise<readonly FileInput[]>;
  /**
   * Converts a document embedded in this one, with the same strategies.
   * @returns undefined if that fails, takes longer, or is nested too deep
   */
  convert(embedded: FileInput, timeoutMs: number): Promise<FileInput | undefined>;
  /** Rewrites the document with Ghostscript. @throws EngineFailure */
  rewrite(input: FileInput): Promise<FileInput>;
  /**
   * Validates a file, for the ladder.
   * @returns undefined if the validator cannot read the file
   * @throws EngineFailure if it fails in another way
   */
  validate(input: GeneratedFile): Promise<Validation | undefined>;
  /**
   * Counts the content of the original, for the ladder.
   * @returns the work of a validation; undefined if the file cannot be read
   * @throws EngineFailure `too-much-content`
   */
  count(original: FileInput): Promise<ContentWork | undefined>;
  /** Starts to look at the original, for the comparison. */
  render(original: FileInput): RenderTask;
  /** @param looking the look at the original, if any; while it continues, the candidate is looked at too */
  compare(original: FileInput, candidate: GeneratedFile, looking: RenderTask | undefined): Promise<Comparison>;
  log(message: string, details?: Record<string, unknown>): void;
}

/** @param failures the validator's findings, beyond those that are known without it. @default none */
export const repairOnce = (
  workshop: ConversionContext,
  input: GeneratedFile,
  failures: readonly RuleFailure[] = [],
): Promise<GeneratedFile> => workshop.runOperation(repairPdfa, [input], { level: workshop.level, failures });

/** Reports whether a candidate is acceptable. */
export const isAcceptable = ({ validation, comparison }: Assessment): boolean =>
  validation?.valid === true && comparison.differences.length === 0;
