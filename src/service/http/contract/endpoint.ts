// Defines what an endpoint is, and what its requests are served with. Never mentions a path.

import type { EngineFailure, FailureReason } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Context, Input, Operation, OperationDeclaration } from "../../../document/contract/operation.ts";
import { optional, type Parameters, type Params, parameter } from "../../../document/contract/parameter.ts";
import { choice } from "../../../document/contract/parameters/choice.ts";
import { fileId, fileName } from "../../../document/contract/parameters/text.ts";
import type { RpcCall } from "../../../runtime/rpc.ts";
import type { ConnectedContainer } from "../../placement/connection.ts";
import {
  type Backends,
  containerJob,
  edgeJob,
  type JobPlan,
  type MemoryNeed,
  streamingJob,
} from "../../placement/placement.ts";
import type { Semaphore } from "../../placement/semaphore.ts";
import type { KeyRecords } from "../../ports/api-key.ts";
import type { Claim } from "../../ports/claims.ts";
import type { ClientAccount } from "../../ports/client-account.ts";
import type { JobQueue, Progress } from "../../ports/jobs.ts";
import type { Sealer } from "../../ports/sealer.ts";
import type { Config, Variant } from "../../settings/config.ts";
import type { DeletePolicy, FilePolicy } from "../../storage/file-policy.ts";
import type { MemoryQuota } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import { type ExposedParameters, type Exposure, exposed } from "./declaration/exposure.ts";
import { DESCRIPTIONS_OF_NAMES, type OutputDeclaration } from "./declaration/output-declaration.ts";
import type { ServiceError } from "./errors.ts";
import { idFieldOf, isSent, readFields } from "./fields.ts";
import type { Form } from "./form.ts";
import type { Inputs } from "./input-declaration.ts";
import type { Timing } from "./timing.ts";

/** Fields of a JSON answer that only some endpoints have. */
type SpecialField = "inputSize" | "substitutedFonts";

/** The groups of operations, in the order in which the list of endpoints has them. */
type Group = "Make a PDF" | "Improve a PDF" | "Draw the pages" | "Read a PDF" | "Store";

/** What an endpoint says about itself, whatever it runs. */
interface EndpointFacts {
  /** Path of the endpoint, with a leading slash. */
  readonly path: string;
  /** Name of its function in clients, of its command, and of its tool for agents. */
  readonly verb: string;
  /** Name for people. */
  readonly title: string;
  readonly group: Group;
  readonly variants: readonly Variant[];
  /** One sentence. */
  readonly summary: string;
  /**
   * Values of fields for an example, and for a first try; `file` is the name of an input.
   * @default a PDF, and what all fields have by default
   */
  readonly example?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly inputs: Inputs;
  readonly output: OutputDeclaration;
  /** What the output has in common with the input: its pages, or also the kind of document. @default nothing */
  readonly keeps?: "pages" | "document";
  /** Name of an output of several inputs, without extension. @default that of the first input */
  readonly joinedName?: string;
  /** Fields of the JSON answer beyond those of every endpoint. @default none */
  readonly extraFields?: readonly SpecialField[];
  /** Set if the upload limit may exceed the standard one (spec, "Limits"). @default false */
  readonly allowsLargerUploads?: boolean;
  /** Error responses for OpenAPI, besides those that follow from the inputs and those of every endpoint. @default none */
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
}

/** An endpoint that runs one operation, whose parameters are its fields. */
interface OperationEndpoint<P, Q extends Parameters> extends EndpointFacts, Exposure<Q> {
  readonly operation: (OperationDeclaration<P> | Operation<P>) & { readonly parameters: Q };
  /** Memory of the operation if it runs at the edge. @default `input` */
  readonly memory?: MemoryNeed;
  /** Creates the job, if its operation depends on the parameters. @default a job of the operation */
  createJob?(params: Params<Q>, given: PrepareContext): JobPlan | Promise<JobPlan>;
}

/** An endpoint with fields of its own, from which it chooses an operation. */
interface OwnEndpoint<Q extends Parameters> extends EndpointFacts {
  readonly parameters: Q;
  /** Creates the job. Called after every field has passed its range check. */
  createJob(values: Params<Q>, given: PrepareContext): JobPlan | Promise<JobPlan>;
}

/** The inputs of a request, and the fields that the client sent. */
export interface PrepareContext {
  /** Empty if they are yet to be fetched: then the fields alone are checked, and the job is not run. */
  readonly inputs: readonly Input[];
  /** Reports whether the client sent a value for a field, as opposed to relying on the default. */
  isSent(field: string): boolean;
}

/** A declaration without the types of its parameters, which are no longer needed. */
export interface Endpoint extends EndpointFacts {
  /** The parameters of requests by the API's names, in order. */
  readonly fields: Parameters;
  /** @default the request decides which operation runs */
  readonly operation?: OperationDeclaration<unknown>;
  /** Returns the field of a parameter of the operation. */
  fieldOf(parameter: string): string;
  parse(form: Form, defaults: Readonly<Record<string, string>>): ParsedRequest;
}

export interface ParsedRequest {
  /** Name of the output. */
  readonly output: string;
  /** True if the output is the answer, and no file. */
  readonly isData: boolean;
  prepare(inputs: readonly Input[]): JobPlan | Promise<JobPlan>;
}

/**
 * Declares an endpoint.
 *
 *   defineEndpoint({
 *     path: "/flattened-transparencies-pdf", verb: "flatten", title: "Flatten transparency", group: "Improve a PDF", …
 *     inputs: { file: one(PDF) },
 *     operation: flattenTransparency,
 *     output: { kind: "files", naming: "name", type: "application/pdf" },
 *   });
 */
export function defineEndpoint<P, const Q extends Parameters>(declaration: OperationEndpoint<P, Q>): Endpoint;
export function defineEndpoint<const Q extends Parameters>(declaration: OwnEndpoint<Q>): Endpoint;
export function defineEndpoint(
  declaration: OperationEndpoint<unknown, Parameters> | OwnEndpoint<Parameters>,
): Endpoint {
  const { createJob: _, ...facts } = declaration;
  const {
    fields: shown,
    paramsOf,
    fieldOf,
  } = "parameters" in declaration
    ? asTheyAre(declaration.parameters)
    : exposed(declaration.operation.parameters, declaration);
  const fields: Parameters = { ...nameOfOutput(declaration.output), ...shown, ...idsOfFiles(shown) };
  return {
    ...facts,
    ...{ fields, fieldOf },
    parse(form, defaults) {
      const values: Readonly<Record<string, unknown>> = readFields(fields, form, defaults);
      const given = { isSent: (field: string) => isSent(form, field) };
      const params = paramsOf(values);
      return {
        output: String(values.output),
        isData: declaration.output.kind === "data" && values.output_type !== "file",
        prepare: (inputs) =>
          declaration.createJob
            ? declaration.createJob(params, { ...given, inputs })
            : jobOf(declaration as OperationEndpoint<unknown, Parameters>, params),
      };
    },
  };
}

const asTheyAre = (fields: Parameters): ExposedParameters => ({
  fields,
  fieldOf: (parameter) => parameter,
  paramsOf: (values) => ({ ...values }),
});

/** Returns the fields with the id of a stored file that stands for another field. */
const idsOfFiles = (fields: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { kind }]) => {
      const { file } = kind.json ?? {};
      if (file === undefined) return [];
      return [[idFieldOf(name), optional(`Id of a stored JSON file with ${file}, instead of ${name}.`, fileId)]];
    }),
  );

function nameOfOutput(output: OutputDeclaration): Parameters {
  if (output.kind === "files") {
    return { output: parameter(output.description ?? DESCRIPTIONS_OF_NAMES[output.naming], fileName) };
  }
  if (!output.mayBeFile) return {};
  return {
    output: parameter(DESCRIPTIONS_OF_NAMES.name, fileName),
    output_type: parameter(
      "json for the data themselves, file for a file that has them.",
      choice(["json", "file"]),
      "json",
    ),
  };
}

function jobOf({ operation, memory }: OperationEndpoint<unknown, Parameters>, params: unknown): JobPlan {
  if (!("run" in operation)) return containerJob(operation, params);
  return memory === "nothing" ? streamingJob(operation, params) : edgeJob(operation, params, memory);
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
  /** Keeps the secrets of requests; undefined if the operator has set no secret for that. */
  readonly sealer: Sealer | undefined;
}

/**
 * Returns the size limit of one file, in bytes. A setting can lower the standard limit for all endpoints, and raise it
 * for endpoints whose declaration allows that.
 */
export const uploadLimit = ({ allowsLargerUploads = false }: Endpoint, { maxUploadBytes }: Config): number =>
  allowsLargerUploads ? maxUploadBytes : Math.min(maxUploadBytes, LIMITS.uploadBytes);
