// Defines the declaration of endpoints, and the services that their requests use.

import type { EngineFailure, FailureReason } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import type {
  Context,
  Input,
  LanguageModel,
  Operation,
  OperationDeclaration,
} from "../../../document/contract/operation.ts";
import {
  type Deprecation,
  optional,
  type Parameters,
  type Params,
  parameter,
} from "../../../document/contract/parameter.ts";
import { choice } from "../../../document/contract/parameters/choice.ts";
import { fileId, fileName } from "../../../document/contract/parameters/text.ts";
import type { PageVisit } from "../../../document/contract/parameters/web-page.ts";
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
import type { ReceivedFile } from "../../storage/file.ts";
import type { DeletePolicy, FilePolicy } from "../../storage/file-policy.ts";
import type { MemoryQuotas } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import { type ExposedParameters, type Exposure, exposed } from "./declaration/exposure.ts";
import { openPasswordFields, openPasswordIn, unlocking } from "./declaration/open-password.ts";
import { DESCRIPTIONS_OF_NAMES, type OutputDeclaration } from "./declaration/output-declaration.ts";
import { OUTPUT_URL, outputUrlErrors, outputUrlField } from "./declaration/output-url.ts";
import { recognitionFields, recognizing } from "./declaration/recognition.ts";
import { noSuchEndpoint, notInVariant, type ServiceError } from "./errors.ts";
import { idFieldOf, isSent, type MissingErrors, readFields, type SentFields } from "./fields.ts";
import type { Form } from "./form.ts";
import type { Inputs } from "./input-declaration.ts";
import type { Timing } from "./timing.ts";

/** Members of a JSON response that only some endpoints return. */
type SpecialField = "inputSize" | "substitutedFonts" | "files" | "warning";

/** The groups of operations, in display order. */
type Group = "Make a PDF" | "Improve a PDF" | "Protect a PDF" | "Draw the pages" | "Read a PDF" | "Store";

/** The declaration of an endpoint, independent of its operation. */
interface EndpointFacts {
  /** Path of the endpoint, with a leading slash. */
  readonly path: string;
  /** Name of the client function, of the command and of the MCP tool. */
  readonly verb: string;
  /** Title of the operation in the workbench and the reference. */
  readonly title: string;
  readonly group: Group;
  readonly variants: readonly Variant[];
  /** True if only deployments with a language model have the endpoint. @default false */
  readonly needsModel?: boolean;
  /** Description of the operation in one sentence. */
  readonly summary: string;
  /** @default the path stays */
  readonly deprecated?: Deprecation;
  /**
   * Field values for examples, and for the first request in the workbench. The value of `file` or of a further file is
   * a file name. @default a PDF, and the default of each field
   */
  readonly example?: Readonly<Record<string, string | number | readonly string[]>>;
  readonly inputs: Inputs;
  readonly output: OutputDeclaration;
  /**
   * The properties of the input that the output keeps. `pages`: the pages. `document`: the pages and the document type.
   * @default none
   */
  readonly keeps?: "pages" | "document";
  /** Name of the output if there are several inputs, without extension. @default the name of the first input */
  readonly joinedName?: string;
  /** Another name of the field `current_open_password`. @default none */
  readonly openPasswordAlias?: string;
  /**
   * Returns how the URL of an input is visited, from the fields of the request. @default without cookies and headers
   * @throws ServiceError 400
   */
  readonly visitIn?: (form: SentFields) => PageVisit;
  /**
   * How the text of scanned pages is recognized first: if the client asks for it, or unless the client turns it off.
   * @default it is not
   */
  readonly mayRecognize?: "asked" | "automatic";
  /** Additional members of the JSON response. @default none */
  readonly extraFields?: readonly SpecialField[];
  /** True if a setting can raise the upload limit above the standard (spec, "Limits"). @default false */
  readonly allowsLargerUploads?: boolean;
  /** Error responses to describe, in addition to the errors of the inputs and the common errors. @default none */
  readonly errors?: readonly ServiceError[];
  /** Errors about missing fields that have sentences of their own. @default that the field is required */
  readonly missing?: MissingErrors;
  /** Responses to failures that have a special meaning for this endpoint. */
  readonly failures?: Readonly<Partial<Record<FailureReason, (failure: EngineFailure) => ServiceError>>>;
  /**
   * Returns the container operation that a file with these first bytes needs, so that an instance can start during the
   * upload. @default no instance is started in advance
   */
  readonly prewarmFor?: (
    start: Uint8Array,
    name: string,
  ) => Pick<OperationDeclaration<unknown>, "internet"> | undefined;
}

/** An endpoint with one operation, whose parameters are its fields. */
interface OperationEndpoint<P, Q extends Parameters> extends EndpointFacts, Exposure<Q> {
  readonly operation: (OperationDeclaration<P> | Operation<P>) & { readonly parameters: Q };
  /** The data that the operation buffers at the edge. @default `input` */
  readonly memory?: MemoryNeed;
  /** Creates the job, if its steps depend on the parameters. @default a job with the single operation */
  createJob?(params: Params<Q>, context: PrepareContext): JobPlan | Promise<JobPlan>;
}

/** An endpoint that declares its own fields, and chooses the operation by their values. */
interface OwnEndpoint<Q extends Parameters> extends EndpointFacts {
  readonly parameters: Q;
  /** Creates the job. Called after all fields have been validated. */
  createJob(values: Params<Q>, context: PrepareContext): JobPlan | Promise<JobPlan>;
}

/** The settings of the operator on which jobs depend. */
export type JobSettings = Pick<Config, "timeStampUrl">;

/** The inputs of a request, and the names of the fields that the client sent. */
export interface PrepareContext {
  /** Empty if the inputs are not fetched yet. In this case, only the fields are validated, and the job does not run. */
  readonly inputs: readonly Input[];
  /** The password that opens the inputs, on endpoints that take PDFs. */
  readonly openPassword?: string | undefined;
  readonly settings: JobSettings;
  /** Reports whether the client sent a value for the field, even if it equals the default. */
  isSent(field: string): boolean;
}

/** The part of a request that one of its steps describes: an endpoint, and the form for it. */
export interface StepRequest {
  readonly endpoint: Endpoint;
  readonly form: Form;
}

/** An endpoint without the static types of its parameters. */
export interface Endpoint extends EndpointFacts {
  /** The parameters of a request by field name, in the order of the documentation. */
  readonly fields: Parameters;
  /** The operation. @default each request chooses an operation */
  readonly operation?: OperationDeclaration<unknown>;
  /** Returns the field name of an operation parameter. */
  fieldOf(parameter: string): string;
  /** @param steps the steps of the request, complete */
  parse(form: SentFields, defaults: Readonly<Record<string, string>>, steps?: readonly StepRequest[]): ParsedRequest;
  /**
   * Returns the steps that a form lists.
   * @default the endpoint has no steps
   * @param files the files to which steps refer by name
   * @throws ServiceError 400
   */
  stepsIn?(form: Form, files: readonly ReceivedFile[]): readonly StepRequest[];
  /** Returns the endpoint of a step. @param index from 0 @default the endpoint has no steps */
  endpointOfStep?(form: Form, index: number): Endpoint;
  /** Returns the names of the fields that contain secrets in this form. @default the fields with a secret kind */
  secretsIn?(form: Form): ReadonlySet<string>;
}

/** How an output is sent to an address. */
export interface DeliveryOptions {
  /** @default PUT */
  readonly method?: "PUT" | "POST" | "PATCH";
  /** @default only those that describe the body */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ParsedRequest {
  /** Name of the output. */
  readonly output: string;
  /** True if the output is data in the response, not a file. */
  readonly isData: boolean;
  /** The address that receives the output. @default the output is stored, or is the response */
  readonly deliverTo?: string;
  /** Returns how an output of this name is delivered. @default with PUT, without further headers */
  readonly deliverAs?: (name: string) => DeliveryOptions;
  /** Returns the name of one of several outputs, with its extension. @param index from 0 @default see OutputDeclaration */
  readonly nameOf?: (index: number) => string | undefined;
  prepare(inputs: readonly Input[], settings: JobSettings): JobPlan | Promise<JobPlan>;
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
  const unlockingFields = openPasswordFields(declaration.inputs, shown, declaration.openPasswordAlias);
  const fields: Parameters = {
    ...nameOfOutput(declaration.output, shown),
    ...shown,
    ...(declaration.mayRecognize ? recognitionFields(declaration.mayRecognize) : {}),
    ...unlockingFields,
    ...idsOfFiles(shown),
    ...outputUrlField(declaration.output),
  };
  return {
    ...facts,
    errors: [...(facts.errors ?? []), ...outputUrlErrors(declaration.output)],
    ...{ fields, fieldOf },
    parse(form, defaults) {
      const values: Readonly<Record<string, unknown>> = readFields(fields, form, defaults, declaration.missing);
      const openPassword = openPasswordIn(unlockingFields, values);
      const context = { openPassword, isSent: (field: string) => isSent(form, field) };
      const params = paramsOf(values);
      return {
        output: String(values.output),
        isData: declaration.output.kind === "data" && (values.output_type ?? "json") === "json",
        ...(typeof values[OUTPUT_URL] === "string" ? { deliverTo: values[OUTPUT_URL] } : {}),
        async prepare(inputs, settings) {
          const job = declaration.createJob
            ? await declaration.createJob(params, { ...context, inputs, settings })
            : jobOf(declaration as OperationEndpoint<unknown, Parameters>, params);
          return unlocking(recognizing(job, values), openPassword, declaration.output);
        },
      };
    },
  };
}

const asTheyAre = (fields: Parameters): ExposedParameters => ({
  fields,
  fieldOf: (parameter) => parameter,
  paramsOf: (values) => ({ ...values }),
});

/** Returns the additional fields with which a client sends the ID of a stored file instead of its content. */
const idsOfFiles = (fields: Parameters): Parameters =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, { kind }]) => {
      const file = kind.file ?? (kind.json?.file === undefined ? undefined : `a JSON file with ${kind.json.file}`);
      if (file === undefined) return [];
      const deleted = kind.file === undefined ? "" : " The request deletes the file.";
      return [[idFieldOf(name), optional(`Id of ${file} that is stored, instead of ${name}.${deleted}`, fileId)]];
    }),
  );

/** @param own the endpoint's other fields; an operation with several types of outputs has `output_type` already */
function nameOfOutput(output: OutputDeclaration, own: Parameters): Parameters {
  if (output.kind === "files") {
    return { output: parameter(output.description ?? DESCRIPTIONS_OF_NAMES[output.naming], fileName) };
  }
  if (!output.mayBeFile) return {};
  const name = { output: parameter(DESCRIPTIONS_OF_NAMES.name, fileName) };
  if (Object.hasOwn(own, "output_type")) return name;
  return {
    ...name,
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

/** Reports whether a deployment has an endpoint. */
export const isServed = (
  { variants, needsModel = false }: Pick<Endpoint, "variants" | "needsModel">,
  { variant, model }: Pick<Config, "variant" | "model">,
): boolean => variants.includes(variant) && (model !== undefined || !needsModel);

/** Returns the error for an endpoint that a deployment does not have. */
export const notServed = (
  { path, variants }: Pick<Endpoint, "path" | "variants">,
  { variant }: Pick<Config, "variant">,
): ServiceError => (variants.includes(variant) ? noSuchEndpoint() : notInVariant(path, variants));

/** The services that the pipeline needs for a request. */
export interface RequestServices extends Backends, MemoryQuotas {
  readonly config: Config;
  readonly store: Store;
  readonly container: ConnectedContainer | undefined;
  /** @param used receives the tokens of each answer. @returns undefined without a language model */
  model?(used: (tokens: number) => void): LanguageModel | undefined;
  readonly uploadSemaphore: Semaphore;
  /** Limits jobs that no longer wait for their slow clients, but write the output to storage. */
  readonly overflowSemaphore: Semaphore;
  /** Base URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly timing: Timing;
  /** The claim on the request's Idempotency-Key, if it has one. */
  readonly claim?: Claim | undefined;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
  /** Counts the request for its client. @default not counted */
  readonly caller?: ClientHooks;
  /** Called after each output, if the job has several outputs. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /**
   * Runs the job of a request with a JSON response in another way when this host has no capacity for it.
   * @param receivedMs time at which the body had arrived, in milliseconds since 1970
   * @default the request fails
   */
  readonly whenBusy?: (form: Form, receivedMs: number) => Promise<Response>;
}

export interface ClientHooks {
  /** Counts the bytes of outputs. */
  countProduced(bytes: number): void;
  /** Counts tokens of the language model. */
  countTokens(tokens: number): void;
  /** Keeps the request's job counted for the client until disposed. */
  retain(): Disposable;
  /** Returns the headers of a response that contains IDs of files stored by the request. */
  tokenHeaders(): Readonly<Record<string, string>>;
  readonly mayDelete: DeletePolicy;
  /** Reports whether the client may send requests to an endpoint. @param operation its path without the slash */
  mayUse(operation: string): boolean;
}

/** The record with the secrets that sign webhook messages to a client. */
export interface WebhookSigner {
  /** Name of the record with the signing secrets. */
  readonly signer: string;
  readonly records: KeyRecords;
}

/** The services for accepting and running asynchronous jobs. */
export interface AsyncServices extends RequestServices {
  readonly jobs: RpcCall<JobQueue>;
  /** Client ID. */
  readonly client: string;
  /** Returns the policy of a file stored now. */
  marks(): FilePolicy;
  /** The client for which the job is counted; undefined if the client has neither limits nor recorded usage. */
  readonly account: ClientAccount | undefined;
  /** Headers that continue the trace of the request; undefined without a trace. */
  readonly trace: Readonly<Record<string, string>> | undefined;
  readonly signers: WebhookSigner;
  /** Encrypts the secrets of requests; undefined if the operator has not configured a key. */
  readonly sealer: Sealer | undefined;
}

/**
 * Returns the maximum size of one file, in bytes. The setting MAX_UPLOAD_MB can lower the limit of every endpoint. It
 * can raise the limit only of endpoints with `allowsLargerUploads`.
 */
export const uploadLimit = ({ allowsLargerUploads = false }: Endpoint, { maxUploadBytes }: Config): number =>
  allowsLargerUploads ? maxUploadBytes : Math.min(maxUploadBytes, LIMITS.uploadBytes);
