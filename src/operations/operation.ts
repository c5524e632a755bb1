// Defines the contract of every operation: documents in, documents out. Has no knowledge of HTTP, storage or the
// platform.
import type { Notice } from "./notice.ts";

/** A document that can be read more than once, independent of where it is stored. */
export interface Input {
  /** The client's file name, without directories but with its extension. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** Time of storage. @default unknown */
  readonly modified?: Date;
  bytes(): Promise<Uint8Array>;
  stream(): AsyncIterable<Uint8Array>;
}

/**
 * Chunks of a document. Each is valid only until the next one is requested, so that an encoder may reuse its buffer.
 */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Output {
  /** Extension without the dot, for example `png`. */
  readonly extension: string;
  /** Media type, for example `image/png`. */
  readonly type: string;
  readonly body: Uint8Array | Chunks;
  /**
   * Returns bytes that replace as many at the start of the output, at most 4096. Called once after `body` ended, for
   * formats whose first bytes depend on the end (TIFF).
   */
  head?(): Uint8Array;
  /**
   * Returns the losses of the document. Called once after `body` ended. Losses of the whole input are reported with the
   * first output only, because the counts of several outputs are added.
   * @default nothing was lost
   */
  notices?(): readonly Notice[];
}

/** The services that an operation can use. */
export interface Context {
  /** Aborted when the client disconnects or the job times out. Operations check it between pages and bands. */
  readonly signal: AbortSignal;
  /** Limits the size of a Wasm engine's heap, in bytes. */
  readonly heapLimitBytes: number;
  /** Runs work after the response has been sent, to make the next job faster. */
  defer(work: () => Promise<void>): void;
  /** Writes a line to the service's log with the request id. The client never sees it. */
  log(message: string, details?: Record<string, unknown>): void;
  /** The container for remote operations (remote.ts), if there is one. */
  readonly container?: Container;
}

/** The other end of remote.ts, whatever the connection. */
export interface Container {
  /**
   * Sends the frames of a request and returns those of the response. Aborting ends the job in the container.
   * @param operation name of the operation
   * @throws EngineFailure `lost` if the container is unreachable or the connection breaks, `busy` if it accepts no job
   */
  post(operation: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** Converts documents to documents. Yields one output at a time, so that only one is in memory. */
export type Operation<P> = (inputs: readonly Input[], params: P, context: Context) => AsyncIterable<Output>;

/** Reasons why an engine could not do its work. `errors.ts` maps each to a response. */
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
  // The connection to the place of the work broke, through no fault of the job.
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
  constructor(reason: FailureReason, detail: string, options?: FailureOptions) {
    super(`${reason}: ${detail}`, options);
    this.reason = reason;
    this.detail = detail;
    this.nonconformity = options?.nonconformity;
    this.feature = options?.feature;
  }
}

/** A parameter whose value proved impossible once the document was known: a page beyond the last, too many pixels. */
export class OutOfRange extends Error {
  override readonly name = "OutOfRange";
  /** The spec's name of the parameter, for example `pages`. */
  readonly parameter: string;
  readonly value: string;
  constructor(parameter: string, value: string) {
    super(`${value} is out of range for ${parameter}`);
    this.parameter = parameter;
    this.value = value;
  }
}
