// Defines what an endpoint is, and what its requests are served with. Never mentions a path.

import type { EngineFailure, FailureReason } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Context, Input, OperationDeclaration } from "../../../document/contract/operation.ts";
import type { RpcCall } from "../../../runtime/rpc.ts";
import type { ConnectedContainer } from "../../placement/connection.ts";
import type { Backends, JobPlan } from "../../placement/placement.ts";
import type { Semaphore } from "../../placement/semaphore.ts";
import type { KeyRecords } from "../../ports/api-key.ts";
import type { Claim } from "../../ports/claims.ts";
import type { ClientAccount } from "../../ports/client-account.ts";
import type { JobQueue, Progress } from "../../ports/jobs.ts";
import type { Config, Variant } from "../../settings/config.ts";
import type { DeletePolicy, FilePolicy } from "../../storage/file-policy.ts";
import type { MemoryQuota } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import type { ServiceError } from "./errors.ts";
import { type Fields, isSent, parseFields, type Values } from "./fields.ts";
import type { Form } from "./form.ts";
import type { InputDeclaration } from "./input-declaration.ts";
import type { Timing } from "./timing.ts";

/** Fields of a JSON answer that only some endpoints have. */
type SpecialField = "inputSize" | "substitutedFonts";

/** The groups of operations, in the order in which the list of endpoints has them. */
type OperationGroup = "Make a PDF" | "Improve a PDF" | "Draw the pages" | "Store";

export interface EndpointDeclaration<F extends Fields> {
  /** Path of the endpoint, with a leading slash. */
  readonly path: string;
  /** Name of the operation in programs and commands. */
  readonly verb: string;
  /** Name of the operation for people. */
  readonly title: string;
  readonly group: OperationGroup;
  readonly variants: readonly Variant[];
  readonly summary: string;
  /**
   * Values of fields for an example, and for a first try; `file` is the name of an input.
   * @default a PDF, and what all fields have by default
   */
  readonly example?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly input: InputDeclaration;
  readonly fields: F;
  /**
   * `prefix`: a number is appended to the name of each output, and the response holds lists if there are several
   * outputs. `list`: the response holds lists even for one output.
   */
  readonly outputNaming: "name" | "prefix" | "list";
  /** Media type of each output, without parameters. */
  readonly produces: string;
  /** What the output has in common with the input: its pages, or also the kind of document. @default nothing */
  readonly keeps?: "pages" | "document";
  /** Name of an output of several inputs, without extension. @default that of the first input */
  readonly joinedName?: string;
  /** Fields of the JSON answer beyond those of every endpoint. @default none */
  readonly extraFields?: readonly SpecialField[];
  /** Set if the upload limit may exceed the standard one (spec, "Limits"). @default false */
  readonly allowsLargerUploads?: boolean;
  /** Error responses for OpenAPI, besides those that follow from `source` and those of every endpoint. @default none */
  readonly errors?: readonly ServiceError[];
  /** Responses to failures that have a different meaning for this endpoint. */
  readonly failures?: Readonly<Partial<Record<FailureReason, (failure: EngineFailure) => ServiceError>>>;
  /**
   * Returns the operation that a file with these first bytes needs, if only the container has it: an instance starts
   * while the rest of the file arrives. @default none is known so early
   */
  readonly prewarmFor?: (
    start: Uint8Array,
    name: string,
  ) => Pick<OperationDeclaration<unknown>, "internet"> | undefined;
  /** Creates the job. Called after every field has passed its range check. */
  createJob(values: Values<F>, given: PrepareContext): JobPlan | Promise<JobPlan>;
}

/** The inputs of a request, and the fields that the client sent. */
export interface PrepareContext {
  /** Empty if they are yet to be fetched: then the fields alone are checked, and the job is not run. */
  readonly inputs: readonly Input[];
  /** Reports whether the client sent a value for a field, as opposed to relying on the default. */
  isSent(field: string): boolean;
}

/** A declaration without the types of its fields, which are no longer needed. */
export interface Endpoint extends Omit<EndpointDeclaration<Fields>, "createJob"> {
  parse(
    form: Form,
    defaults: Readonly<Record<string, string>>,
  ): { readonly output: string; prepare(inputs: readonly Input[]): JobPlan | Promise<JobPlan> };
}

/** Declares an endpoint. Every endpoint has the field `output` (spec, rule 4). */
export function defineEndpoint<F extends Fields & { readonly output: Fields[string] }>(
  declaration: EndpointDeclaration<F>,
): Endpoint {
  const { createJob, ...rest } = declaration;
  return {
    ...rest,
    parse(form, defaults) {
      const values = parseFields(declaration.fields, form, defaults);
      const given = { isSent: (field: string) => isSent(form, field) };
      return { output: String(values.output), prepare: (inputs) => createJob(values, { ...given, inputs }) };
    },
  };
}

/** Everything the pipeline works with. */
export interface RequestServices extends Backends {
  readonly config: Config;
  readonly store: Store;
  readonly container: ConnectedContainer | undefined;
  readonly uploadTurns: Semaphore;
  /** Limits the answers that are made faster than their clients take them. */
  readonly overflowTurns: Semaphore;
  readonly uploadQuota: MemoryQuota;
  /** Memory for small files that arrive or are stored, and for answers that are files. */
  readonly bufferQuota: MemoryQuota;
  /** Memory for fields and for bodies that are read as a whole. */
  readonly bodies: MemoryQuota;
  /** Prefix of all URLs, without a path. */
  readonly baseUrl: string;
  readonly timing: Timing;
  /** The claim on the request's Idempotency-Key, if it has one. */
  readonly claim?: Claim | undefined;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
  /** Whoever sent the request, if it matters. */
  readonly caller?: ClientHooks;
  /** Called with each output of a job that has several. */
  readonly progress?: ((progress: Progress) => void) | undefined;
}

export interface ClientHooks {
  /** Counts bytes that an operation made. */
  countProduced(bytes: number): void;
  /** Lets the job of the request count as one of the caller's until this is disposed. */
  retain(): Disposable;
  /** Returns the header fields of an answer that names files which the request stored. */
  tokenHeaders(): Readonly<Record<string, string>>;
  readonly mayDelete: DeletePolicy;
}

/** Who signs messages to a client. */
export interface WebhookSigner {
  /** Name of the record that does. */
  readonly signer: string;
  readonly records: KeyRecords;
}

/** Everything that accepting and running asynchronous jobs needs. */
export interface AsyncServices extends RequestServices {
  readonly jobs: RpcCall<JobQueue>;
  /** Identifier of the client. */
  readonly client: string;
  /** Returns the marks of a file that is stored now. */
  marks(): FilePolicy;
  /** What the job counts for; undefined if nothing of the client is limited or recorded. */
  readonly account: ClientAccount | undefined;
  /** Header fields that continue the trace of the request; undefined if it has none. */
  readonly trace: Readonly<Record<string, string>> | undefined;
  readonly signers: WebhookSigner;
}

/**
 * Returns the size limit of one file, in bytes. A setting can lower the standard limit for all endpoints, and raise it
 * for endpoints whose declaration allows that.
 */
export const uploadLimit = ({ allowsLargerUploads = false }: Endpoint, { maxUploadBytes }: Config): number =>
  allowsLargerUploads ? maxUploadBytes : Math.min(maxUploadBytes, LIMITS.uploadBytes);
