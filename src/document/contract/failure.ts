// Errors that operations and engines throw deliberately. `src/service/http/contract/errors.ts` maps them to responses.

/** Reasons of failures. Each has a response in `src/service/http/contract/errors.ts`. */
export const FAILURE_REASONS = [
  "password-protected",
  "password-required",
  "permissions-required",
  "not-a-pdf",
  "damaged",
  "unreadable-image",
  "attachments-forbidden",
  "signature-forbidden",
  "not-an-invoice",
  "unsupported",
  "too-large",
  "too-complex",
  "too-much-content",
  "unreachable",
  "not-a-web-page",
  "unmet-condition",
  "faulty-page",
  "nonconforming",
  "no-document",
  "target-missed",
  // Pages only show images. The service tries again: with recognized text, or without refusing them.
  "scanned",
  "time-stamp-failed",
  "model-failed",
  "model-unavailable",
  "timed-out",
  "crashed",
  "busy",
  // The connection to the engine or container broke; the job is not the cause.
  "lost",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/**
 * Defects that prevent a document from conforming to a standard; sent to the client with the failure `nonconforming`.
 */
export interface Nonconformity {
  /** Name of the standard, for example `PDF/A-2b`. */
  readonly standard: string;
  /** The first broken rules. */
  readonly rules: readonly BrokenRule[];
  /** Pages, from 1, whose rendering or text would change. */
  readonly changedPages: readonly number[];
}

export interface BrokenRule {
  /** Clause of the standard, for example `6.2.11.4.1`. */
  readonly clause: string;
  /** Number of the validator's test within the clause. */
  readonly test: number;
  /** Page numbers, from 1; empty if the defect is not on a page. */
  readonly pageNumbers: readonly number[];
}

interface FailureOptions extends ErrorOptions {
  readonly nonconformity?: Nonconformity;
  readonly feature?: string;
  readonly limitBytes?: number;
  readonly why?: string;
  readonly step?: number | undefined;
}

/** Reasons whose details say nothing about the document. */
const OF_THE_SERVICE: ReadonlySet<FailureReason> = new Set([
  ...(["timed-out", "busy", "lost", "time-stamp-failed", "model-failed", "model-unavailable"] as const),
]);

/** The feature of a failure `busy` that another attempt would not change. */
export const NO_ENGINE = "engine";

/** The only error, apart from {@link OutOfRange}, that operations and engines throw deliberately. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  readonly reason: FailureReason;
  /** Explanation for developers; never sent to the client. It can quote the document. */
  readonly detail: string;
  /** Present with the reason `nonconforming`. */
  readonly nonconformity: Nonconformity | undefined;
  /**
   * With the reason `unsupported`: the name of the feature for the client, for example `lossless JPEG`. With
   * `attachments-forbidden`: the standard that forbids them. With `faulty-page`: the first fault. With `target-missed`: the number of bytes that was reached.
   * With `scanned`: the selection of these pages. With `busy`: {@link NO_ENGINE}, if no one here has the engine.
   */
  readonly feature: string | undefined;
  /** With the reason `too-large`, if the file size is the cause: the maximum size in bytes. */
  readonly limitBytes: number | undefined;
  /**
   * Message for the client. It names the document that failed, if there are several, or, with the reason `too-complex`,
   * the exceeded limit.
   */
  readonly why: string | undefined;
  /** Index of the request's step that failed, if the request has steps. */
  step: number | undefined;
  constructor(reason: FailureReason, detail: string, options?: FailureOptions) {
    super(`${reason}: ${detail}`, options);
    this.reason = reason;
    this.detail = detail;
    this.nonconformity = options?.nonconformity;
    this.feature = options?.feature;
    this.limitBytes = options?.limitBytes;
    this.why = options?.why;
    this.step = options?.step;
  }

  /** Returns the text for the log, which never quotes a document. */
  override toString(): string {
    return OF_THE_SERVICE.has(this.reason) ? `${this.name}: ${this.message}` : `${this.name}: ${this.reason}`;
  }
}

/**
 * A parameter value that is impossible for this document, for example a page after the last one, or too many pixels.
 */
export class OutOfRange extends Error {
  override readonly name = "OutOfRange";
  /** Name of the parameter in the API, for example `pages`. */
  readonly parameter: string;
  readonly value: string;
  /** Message for the client that explains the rejection, for example `The document has 3 pages.` */
  readonly why: string | undefined;
  /** See {@link EngineFailure.step}. */
  step: number | undefined;
  constructor(parameter: string, value: string, why?: string, step?: number) {
    super(`${value} is out of range for ${parameter}`);
    this.parameter = parameter;
    this.value = value;
    this.why = why;
    this.step = step;
  }

  /** Returns the text for the log, which never quotes the request. */
  override toString(): string {
    return `${this.name}: ${this.parameter}`;
  }
}

/** The storage is full. No part of the new file remains, and earlier files are intact. */
export class StorageFull extends Error {
  override readonly name = "StorageFull";
}
