// The contract of every operation: documents in, documents out. It knows no HTTP, no storage and no platform.
import type { Notice } from "./notice.ts";

/** A document that can be read more than once; where it lies is not the operation's business. */
export interface Input {
  /** The name the client gave, base name only, with its extension. */
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** When it was stored. @default not known */
  readonly modified?: Date;
  bytes(): Promise<Uint8Array>;
  stream(): AsyncIterable<Uint8Array>;
}

/** Chunks of a document; each is valid only until the next one is asked for, so that an encoder may reuse its buffer. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Output {
  /** Without the dot, for example `png`. */
  readonly extension: string;
  /** Media type, for example `image/png`. */
  readonly type: string;
  readonly body: Uint8Array | Chunks;
  /**
   * For formats whose first bytes tell what only the end knows (TIFF): called once after `body` ended, gives the bytes
   * that replace as many at its beginning (at most 4096).
   */
  head?(): Uint8Array;
  /**
   * What the document lost on its way: called once after `body` ended. Losses of the whole input are reported with the first
   * output only, since counts of several outputs are added.
   * @default nothing was lost
   */
  notices?(): readonly Notice[];
}

/** What an operation may ask of the place it runs in. */
export interface Context {
  /** Aborted when the client went away or the job's time is up; operations look at it between pages and bands. */
  readonly signal: AbortSignal;
  /** The most bytes a Wasm engine's heap may grow to here. */
  readonly heapLimitBytes: number;
  /** Does something once the client has its answer: what makes the next job quicker. */
  defer(work: () => Promise<void>): void;
  /** A line for the log of the service, with the request's id; never shown to the client. */
  log(message: string, details?: Record<string, unknown>): void;
  /** Where remote operations (remote.ts) are carried out, if there is such a place. */
  readonly container?: Container;
}

/** The other end of remote.ts, reached by whatever way. */
export interface Container {
  /**
   * Sends a request's frames and gives the answer's. Aborting ends the job there.
   * @param operation its name
   * @throws EngineFailure `lost` where the container is away or its connection breaks, `busy` where it takes no job
   */
  post(operation: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
}

/** Bytes in, bytes out. Yields outputs one at a time, so that one is in memory. */
export type Operation<P> = (inputs: readonly Input[], params: P, context: Context) => AsyncIterable<Output>;

/** Why an engine could not do what was asked. `errors.ts` maps each to an answer. */
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
  // The connection to where the work was done broke, through no fault of the work's.
  "lost",
] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** What keeps a document from conforming to a standard: what the failure `nonconforming` tells the client. */
export interface Nonconformity {
  /** For example `PDF/A-2b`. */
  readonly standard: string;
  /** The first of them. */
  readonly rules: readonly BrokenRule[];
  /** Pages, from 1, that would not look or read as they do. */
  readonly changedPages: readonly number[];
}

export interface BrokenRule {
  /** For example `6.2.11.4.1`. */
  readonly clause: string;
  /** The validator's number of the test within the clause. */
  readonly test: number;
  /** From 1; empty where it is on no page. */
  readonly pageNumbers: readonly number[];
}

interface FailureOptions extends ErrorOptions {
  readonly nonconformity?: Nonconformity;
  readonly feature?: string;
}

/** The only error an operation or engine throws on purpose, apart from {@link OutOfRange}. */
export class EngineFailure extends Error {
  override readonly name = "EngineFailure";
  readonly reason: FailureReason;
  /** For the log, never for the client. */
  readonly detail: string;
  /** With the reason `nonconforming`. */
  readonly nonconformity: Nonconformity | undefined;
  /** With the reason `unsupported`: the feature's name, where the client is to know it. For example `lossless JPEG`. */
  readonly feature: string | undefined;
  constructor(reason: FailureReason, detail: string, options?: FailureOptions) {
    super(`${reason}: ${detail}`, options);
    this.reason = reason;
    this.detail = detail;
    this.nonconformity = options?.nonconformity;
    this.feature = options?.feature;
  }
}

/** A parameter whose value turned out to be impossible once the document was known: a page beyond the last, too many pixels. */
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
