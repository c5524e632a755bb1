// Defines the errors that operations and engines throw on purpose. `src/service/http/contract/errors.ts` maps them to responses.

/** Reasons why an engine could not do its work. Each has a response in `src/service/http/contract/errors.ts`. */
export const FAILURE_REASONS = [
  "password-protected",
  "not-a-pdf",
  "damaged",
  "unsupported",
  "too-large",
  "too-complex",
  "too-much-content",
  "unreachable",
  "not-a-web-page",
  "nonconforming",
  "timed-out",
  "crashed",
  "busy",
  // The connection to the engine or the container broke, through no fault of the job.
  "lost",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * The reasons why a document does not conform to a standard, which the client learns from the failure `nonconforming`.
 */
export interface Nonconformity {
  /** Name of the standard, for example `PDF/A-2b`. */
  readonly standard: string;
  /** The first broken rules. */
  readonly rules: readonly BrokenRule[];
  /** Pages, from 1, whose look or text would change. */
  readonly changedPages: readonly number[];
}

export interface BrokenRule {
  /** Clause of the standard, for example `6.2.11.4.1`. */
  readonly clause: string;
  /** The validator's number of the test within the clause. */
  readonly test: number;
  /** Page numbers, from 1; empty if the fault is not on a page. */
  readonly pageNumbers: readonly number[];
}

interface FailureOptions extends ErrorOptions {
  readonly nonconformity?: Nonconformity;
  readonly feature?: string;
  readonly limitBytes?: number;
  readonly why?: string;
}

/** The only error, apart from {@link OutOfRange}, that operations and engines throw on purpose. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  readonly reason: FailureReason;
  /** Explanation for the log, never for the client. */
  readonly detail: string;
  /** Set with the reason `nonconforming`. */
  readonly nonconformity: Nonconformity | undefined;
  /**
   * Set with the reason `unsupported`: the name of the feature, if the client may know it. For example `lossless JPEG`.
   */
  readonly feature: string | undefined;
  /** Set with the reason `too-large` if the size of a file alone is the reason: the largest size, in bytes. */
  readonly limitBytes: number | undefined;
  /**
   * A sentence for the client: which of several documents is meant, or, with the reason `too-complex`, what the document
   * has, and the limit.
   */
  readonly why: string | undefined;
  constructor(reason: FailureReason, detail: string, options?: FailureOptions) {
    super(`${reason}: ${detail}`, options);
    this.reason = reason;
    this.detail = detail;
    this.nonconformity = options?.nonconformity;
    this.feature = options?.feature;
    this.limitBytes = options?.limitBytes;
    this.why = options?.why;
  }
}

/** A parameter whose value proved impossible once the document was known: a page beyond the last, too many pixels. */
export class OutOfRange extends Error {
  override readonly name = "OutOfRange";
  /** The spec's name of the parameter, for example `pages`. */
  readonly parameter: string;
  readonly value: string;
  /** A sentence for the client, if the document or the address explains the refusal. */
  readonly why: string | undefined;
  constructor(parameter: string, value: string, why?: string) {
    super(`${value} is out of range for ${parameter}`);
    this.parameter = parameter;
    this.value = value;
    this.why = why;
  }
}

/** The storage has no room for what was to be written. Nothing of it remains, and what was stored before is intact. */
export class StorageFull extends Error {
  override readonly name = "StorageFull";
}
