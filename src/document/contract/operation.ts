// Defines the contract of every operation: documents in, documents out. Knows nothing about HTTP, storage or the
// platform.
import type { z } from "zod";
import type { FontProvider } from "./font-provider.ts";
import type { Notice } from "./notice.ts";
import { type Parameters, type Params, schemaOf } from "./parameter.ts";
import type { Span } from "./trace.ts";

/** A document that can be read more than once, independent of where it is stored. */
export interface Input {
  /** The client's file name, without directories but with its extension. */
  readonly name: string;
  /** Size in bytes. */
  readonly size: number;
  /** Time of storage. @default unknown */
  readonly modified?: Date;
  /** Purpose of a file beside the document, such as `image`. @default it is the document */
  readonly role?: string;
  bytes(): Promise<Uint8Array>;
  stream(): AsyncIterable<Uint8Array>;
}

/** Returns what is known of an input without reading it, as a message to another process has it. */
export const factsOf = ({ name, size, role }: InputFacts): InputFacts => ({
  ...{ name, size },
  ...(role === undefined ? {} : { role }),
});
export type InputFacts = Pick<Input, "name" | "size" | "role">;

/**
 * Chunks of a document. Each is valid only until the next one is requested, so that an encoder may reuse its buffer.
 */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Output {
  /** Extension without the dot, for example `png`. */
  readonly extension: string;
  /** Name with extension, of an output that has one of its own. @default the request's */
  readonly name?: string;
  /** Media type, for example `image/png`. */
  readonly type: string;
  readonly body: Uint8Array | Chunks;
  /**
   * Returns at most 4096 bytes, which replace the same number of bytes at the start of the output. Called once after
   * `body` ended, for formats whose first bytes depend on the end (TIFF).
   */
  headerPatch?(): Uint8Array;
  /**
   * Returns the losses of the document. Called once after `body` ended. Losses of the whole input are reported with the
   * first output only, because the counts of several outputs are added.
   * @default nothing was lost
   */
  notices?(): readonly Notice[];
  /** Number of outputs of the whole job, the same for each of them. @default 1 */
  readonly total?: number;
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
  readonly container?: ContainerClient;
  /** Fonts of the host. @default there are none */
  readonly fonts?: FontProvider;
  /** Returns the processor time that the job's thread has used, in milliseconds. @default not known */
  usedMs?(): number;
}

/** The other end of remote.ts, whatever the connection. */
export interface ContainerClient {
  /**
   * Sends the frames of a request and returns those of the response. Aborting ends the job in the container.
   * @throws EngineFailure `lost` if the container is unreachable or the connection breaks, `busy` if it accepts no job
   */
  post(
    operation: Pick<OperationDeclaration<unknown>, "name" | "internet">,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** Called with what the container reports for a trace. @default none is wanted */
  onSpans?(spans: readonly Span[]): void;
  /** Called when a job that was posted has ended, with its error if it failed. */
  onJobEnd?(error?: unknown): void;
}

/** Converts documents to documents. Yields one output at a time, so that only one is in memory. */
export type Run<P> = (inputs: readonly Input[], params: P, context: Context) => AsyncIterable<Output>;

/** Identifies an operation for callers that do not have its code. */
export interface OperationDeclaration<P> {
  /** Name of the operation, unique among all operations. */
  readonly name: string;
  /** Schema of the parameters, which checks those that come from another process. */
  readonly params: z.ZodType<P>;
  /** True if the operation loads what it shows from the internet. @default false */
  readonly internet?: boolean;
}

/** One of several equal shares of a job: the outputs with the places `share`, `share + shares`, …, from 0. */
export interface Partition {
  readonly share: number;
  readonly shares: number;
}

export interface Operation<P> extends OperationDeclaration<P> {
  run(inputs: readonly Input[], params: P, context: Context): AsyncIterable<Output>;
  /**
   * Returns the parameters of one share of the job, for an operation whose outputs do not depend on each other. Each
   * output then tells the total of the whole job.
   */
  partition?(params: P, share: Partition): P;
}

/** The parameters of an operation that endpoints expose. */
interface Exposed<Q extends Parameters> {
  readonly parameters: Q;
}
type WithoutSchema<D> = Omit<D, "params">;

/**
 * Declares an operation whose code runs elsewhere, by its parameters, or by the schema of what only the service sends.
 */
export function declareOperation<const Q extends Parameters>(
  declaration: WithoutSchema<OperationDeclaration<Params<Q>>> & Exposed<Q>,
): OperationDeclaration<Params<Q>> & Exposed<Q>;
export function declareOperation<P>(declaration: OperationDeclaration<P>): OperationDeclaration<P>;
export function declareOperation(declaration: Partial<OperationDeclaration<unknown> & Exposed<Parameters>>): unknown {
  return { params: schemaOf(declaration.parameters ?? {}), ...declaration };
}

/** Declares an operation with its code, in the same ways. With both, the schema has more than the parameters. */
export function defineOperation<const Q extends Parameters>(
  declaration: WithoutSchema<Operation<Params<Q>>> & Exposed<Q>,
): Operation<Params<Q>> & Exposed<Q>;
export function defineOperation<P, const Q extends Parameters>(
  declaration: Operation<P> & Exposed<Q>,
): Operation<P> & Exposed<Q>;
export function defineOperation<P>(declaration: Operation<P>): Operation<P>;
export function defineOperation(declaration: Partial<Operation<unknown> & Exposed<Parameters>>): unknown {
  return { params: schemaOf(declaration.parameters ?? {}), ...declaration };
}
