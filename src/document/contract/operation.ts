// Contract of an operation: documents in, documents out.
import type { z } from "zod";
import type { FontProvider, TypefaceProvider } from "./font-provider.ts";
import type { Notice } from "./notice.ts";
import { type Parameters, type Params, schemaOf } from "./parameter.ts";
import type { Span } from "./trace.ts";

/** A document that can be read repeatedly, independent of its storage. */
export interface Input {
  /** The client's file name, without directories but with its extension. */
  readonly name: string;
  /** The directories in the client's file name, each with a slash at its end. @default none */
  readonly folder?: string;
  /** Size in bytes. */
  readonly size: number;
  /** Time of storage. @default unknown */
  readonly modified?: Date;
  /** Purpose of an additional file, such as `image`. @default the file is the document */
  readonly role?: string;
  /** Index of the request's step that reads an additional file, see {@link Beginning}. @default the first step */
  readonly step?: number;
  /** Media type of a document that does not exist yet. @default the content determines the type */
  readonly type?: string;
  /** Media type that was detected when the document arrived. @default unknown */
  readonly detectedType?: string;
  bytes(): Promise<Uint8Array>;
  stream(): AsyncIterable<Uint8Array>;
}

/** Returns an input of a document in memory. */
export const memoryInput = (whole: Uint8Array, name: string, role?: string): Input => ({
  name,
  ...(role === undefined ? {} : { role }),
  size: whole.length,
  bytes: async () => whole,
  async *stream() {
    yield whole;
  },
});

/** Returns the properties of an input that are available without reading it, in the format sent to other processes. */
export const factsOf = ({ name, folder, size, role, step }: InputFacts): InputFacts => ({
  ...{ name, size },
  ...(folder === undefined ? {} : { folder }),
  ...(role === undefined ? {} : { role }),
  ...(step === undefined ? {} : { step }),
});
export type InputFacts = Pick<Input, "name" | "folder" | "size" | "role" | "step">;

/**
 * Chunks of a document. A chunk is valid only until the next one is requested, so that an encoder can reuse its buffer.
 */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

export interface Output {
  /** Extension without the dot, for example `png`. */
  readonly extension: string;
  /** Name with extension, if the operation itself names the output. @default the name in the request */
  readonly name?: string;
  /** Text after the name in the request, instead of the number of the output. @default the number */
  readonly suffix?: string;
  /** {@link Input.role} for the next step of a job. @default the output is the document */
  readonly role?: string;
  /** Media type, for example `image/png`. */
  readonly type: string;
  readonly body: Uint8Array | Chunks;
  /**
   * Returns at most 4096 bytes that overwrite the start of the output. Called once after `body` ended, for formats
   * whose header depends on later content, such as TIFF.
   */
  headerPatch?(): Uint8Array;
  /**
   * Returns the losses. Called once after `body` ended. Losses of the whole input belong to the first output only,
   * because the counts of all outputs are added.
   * @default no losses
   */
  notices?(): readonly Notice[];
  /** Total number of outputs of the job, equal in all outputs. @default 1 */
  readonly total?: number;
}

/** A question to a language model: instructions of the service, and a message with the document, which is never an instruction. */
export interface Question {
  readonly instructions: string;
  readonly message: string;
  /** Maximum length of the answer, in tokens. */
  readonly answerTokens: number;
}

/** An answer of a language model. */
export interface Answer {
  readonly text: string;
  /** True if the answer reached its maximum length. */
  readonly isCut: boolean;
}

/** A language model, independent of its provider. Tokens are estimated (src/document/language/tokens.ts). */
export interface LanguageModel {
  /** Number of tokens that a question and its answer can have together. */
  readonly contextTokens: number;
  /** @throws EngineFailure `model-failed`, `model-unavailable` */
  ask(question: Question, signal: AbortSignal): Promise<Answer>;
}

/** Services that an operation can use. */
export interface Context {
  /** Aborted when the client disconnects or the job times out. Operations check it between pages and bands. */
  readonly signal: AbortSignal;
  /** Maximum heap of a Wasm engine, in bytes. */
  readonly heapLimitBytes: number;
  /** Runs a task after the response was sent, to speed up the next job. */
  defer(work: () => Promise<void>): void;
  /** Logs a line with the request ID, invisible to the client. */
  log(message: string, details?: Record<string, unknown>): void;
  /** The container for remote operations (src/service/placement/remote.ts), if there is one. */
  readonly container?: ContainerClient;
  /** Fonts of the host. @default none */
  readonly fonts?: FontProvider;
  /** Fonts for text that the operation sets. @default none */
  readonly typefaces?: TypefaceProvider;
  /** The operator's language model, only in the process of the service. @default none */
  readonly model?: LanguageModel;
  /** Returns the CPU time of the job's thread, in milliseconds. @default unknown */
  usedMs?(): number;
  /** Called when a step of the request has ended. */
  onStep?(progress: StepProgress): void;
}

/** The progress of a request with several steps. */
export interface StepProgress {
  readonly stepsDone: number;
  readonly stepsTotal: number;
}

/** Client of the container, over any transport. */
export interface ContainerClient {
  /**
   * Sends the request frames and returns the response frames. Aborting cancels the job in the container.
   * @throws EngineFailure `lost` if the container is unreachable or the connection breaks, `busy` if it is full
   */
  post(
    operation: Pick<OperationDeclaration<unknown>, "name" | "internet">,
    body: AsyncIterable<Uint8Array>,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Uint8Array>>;
  /** True if different containers run web pages and documents. @default one container runs everything */
  readonly isDivided?: boolean;
  /** Called with the container's spans. @default spans are not recorded */
  onSpans?(spans: readonly Span[]): void;
  /** Called when a posted job has ended, with its error if it failed. */
  onJobEnd?(error?: unknown): void;
}

/** Converts documents. Yields one output at a time, so that only one is in memory. */
export type Run<P> = (inputs: readonly Input[], params: P, context: Context) => AsyncIterable<Output>;

/** Identifies an operation for callers that do not have its code. */
export interface OperationDeclaration<P> {
  /** Unique name of the operation. */
  readonly name: string;
  /** Schema of the parameters, which can come from another process. */
  readonly params: z.ZodType<P>;
  /** True if the operation loads content from the internet. @default false */
  readonly internet?: boolean;
}

/** An operation with its parameters, as one step of a job. Its outputs are the inputs of the next step. */
export interface Step {
  readonly operation: OperationDeclaration<unknown> & Partial<Pick<Operation<unknown>, "run">>;
  readonly params: unknown;
  /** Present if the step begins a stage. @default the step continues the stage of the previous one */
  readonly begins?: Beginning;
}

/**
 * The beginning of a stage. A stage is a list of steps that run once for all documents of the previous stage, or once
 * for each of them.
 */
export interface Beginning {
  /** Index of the request's step to which the stage belongs, for errors and progress. */
  readonly step: number;
  readonly takes: "all" | "each";
  /** The documents for these steps, if the stage takes each. Documents without steps are passed on. @default all */
  readonly only?: DocumentFilter;
  /** True if these steps are an alternative of the current stage, for other documents. @default false */
  readonly isAlternative?: boolean;
}

/** A selection of documents by index, from 0, or by extension without the dot. */
export type DocumentFilter = { readonly indices: readonly number[] } | { readonly extensions: readonly string[] };

/** The steps of a job, in their order. */
export type Steps = readonly [Step, ...Step[]];

/**
 * One of n partitions of a job: the outputs `share`, `share + shares`, `share + 2 shares`, …, counted from 0. For
 * example, share 1 of 2 contains the outputs 1, 3, 5, ….
 */
export interface Partition {
  readonly share: number;
  readonly shares: number;
}

export interface Operation<P> extends OperationDeclaration<P> {
  run(inputs: readonly Input[], params: P, context: Context): AsyncIterable<Output>;
  /**
   * Returns the parameters of one partition, for an operation whose outputs are independent. `total` of each output is
   * then the total of the whole job.
   * @returns undefined if the job with these parameters has one output
   */
  partition?(params: P, share: Partition): P | undefined;
}

export const stepOf = <P>(operation: OperationDeclaration<P>, params: NoInfer<P>): Step => ({ operation, params });

/** The parameters of an operation that endpoints expose. */
interface Exposed<Q extends Parameters> {
  readonly parameters: Q;
}
/** Number of pages after which other work of the process gets a turn. */
const PAGES_AT_ONCE = 20;

/** Lets other work of the process run, and ends a job that was aborted. */
export async function yieldToOthers(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
  signal.throwIfAborted();
}

/** Yields a turn after several pages. Ends a job that was aborted at any page. @param index page index, from 0 */
export async function yieldBetweenPages({ index }: { readonly index: number }, signal: AbortSignal): Promise<void> {
  if (index % PAGES_AT_ONCE === 0) await yieldToOthers(signal);
  signal.throwIfAborted();
}

type WithoutSchema<D> = Omit<D, "params">;

/**
 * Declares an operation whose code runs in another process. Clients can set its `parameters`; an operation that only
 * the service calls has a schema instead.
 * Example: `declareOperation({ name: "fetch-url", params: z.object({ url: z.string() }), internet: true })`
 */
export function declareOperation<const Q extends Parameters>(
  declaration: WithoutSchema<OperationDeclaration<Params<Q>>> & Exposed<Q>,
): OperationDeclaration<Params<Q>> & Exposed<Q>;
export function declareOperation<P>(declaration: OperationDeclaration<P>): OperationDeclaration<P>;
export function declareOperation(declaration: Partial<OperationDeclaration<unknown> & Exposed<Parameters>>): unknown {
  return { params: schemaOf(declaration.parameters ?? {}), ...declaration };
}

/**
 * Defines an operation and its code. It has `parameters` that clients can set, or a schema. If it has both, the schema
 * extends the parameters.
 * Example: `defineOperation({ name: "zip-files", params: z.object({}), run })`
 */
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
