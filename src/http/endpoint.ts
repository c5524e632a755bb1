// Defines what an endpoint is, and the single pipeline for its requests. Never mentions a path.
import type { Config, Variant } from "../core/config.ts";
import { EngineFailure, type FailureReason, OutOfRange } from "../core/failure.ts";
import { stem } from "../core/file-name.ts";
import { LIMITS } from "../core/limits.ts";
import type { Notice } from "../core/notice.ts";
import type { Context, Input, Output } from "../core/operation.ts";
import { letOthersRun } from "../core/pause.ts";
import type { ConnectedContainer } from "../placement/container.ts";
import { type Attempt, attempts, type Job, needsMoreRoom, type Places, wasLost } from "../placement/placement.ts";
import type { Turns } from "../placement/turns.ts";
import type { Batch } from "../storage/batch.ts";
import type { KeptBytes } from "../storage/kept-bytes.ts";
import type { Store } from "../storage/store.ts";
import type { ServiceError } from "./errors.ts";
import { type Fields, isSent, listName, parseFields, type Values } from "./fields.ts";
import { type Form, readForm } from "./form.ts";
import { noticeSentences } from "./notices.ts";
import type { Source } from "./source.ts";
import { idOf, type Located, locateSources, toInput } from "./sources.ts";

export interface Declaration<F extends Fields> {
  /** Path of the endpoint, with a leading slash. */
  readonly path: string;
  readonly variants: readonly Variant[];
  readonly summary: string;
  readonly source: Source;
  readonly fields: F;
  /**
   * `prefix`: a number is appended to the name of each output, and the response holds lists if there are several
   * outputs. `list`: the response holds lists even for one output.
   */
  readonly naming: "name" | "prefix" | "list";
  /** Set if the upload limit may exceed the standard one (spec, "Limits"). @default false */
  readonly setsUploadLimit?: boolean;
  /** Error responses for OpenAPI, besides those that follow from `source` and those of every endpoint. @default none */
  readonly errors?: readonly ServiceError[];
  /** Responses to failures that have a different meaning for this endpoint. */
  readonly failures?: Readonly<Partial<Record<FailureReason, (failure: EngineFailure) => ServiceError>>>;
  /** Creates the job. Called after every field has passed its range check. */
  prepare(values: Values<F>, given: Given): Job | Promise<Job>;
}

/** The inputs of a request, and the fields that the client sent. */
export interface Given {
  readonly inputs: readonly Input[];
  /** Reports whether the client sent a value for a field, as opposed to relying on the default. */
  isSent(field: string): boolean;
}

/** A declaration without the types of its fields, which are no longer needed. */
export interface Endpoint extends Omit<Declaration<Fields>, "prepare"> {
  bind(
    form: Form,
    defaults: Readonly<Record<string, string>>,
  ): { readonly output: string; prepare(inputs: readonly Input[]): Job | Promise<Job> };
}

/** Declares an endpoint. Every endpoint has the field `output` (spec, rule 4). */
export function endpoint<F extends Fields & { readonly output: Fields[string] }>(
  declaration: Declaration<F>,
): Endpoint {
  const { prepare, ...rest } = declaration;
  return {
    ...rest,
    bind(form, defaults) {
      const values = parseFields(declaration.fields, form, defaults);
      const given = { isSent: (field: string) => isSent(form, field) };
      return { output: String(values.output), prepare: (inputs) => prepare(values, { ...given, inputs }) };
    },
  };
}

/** Everything the pipeline works with. */
export interface Service extends Places {
  readonly config: Config;
  readonly store: Store;
  readonly container: ConnectedContainer | undefined;
  readonly uploadTurns: Turns;
  readonly kept: KeptBytes;
  /** Memory for small files that arrive or are stored. */
  readonly waiting: KeptBytes;
  /** Prefix of all URLs, without a path. */
  readonly baseUrl: string;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
}

/**
 * Returns the size limit of one file, in bytes. A setting can lower the standard limit for all endpoints, and raise it
 * for endpoints whose declaration allows that.
 */
export const uploadLimit = ({ setsUploadLimit = false }: Endpoint, { maxUploadBytes }: Config): number =>
  setsUploadLimit ? maxUploadBytes : Math.min(maxUploadBytes, LIMITS.uploadBytes);

/** The body of a successful response (spec, "Response objects"). */
export interface Answer {
  readonly outputUrl: string | readonly string[];
  readonly outputId: string | readonly string[];
  readonly inputId?: string | readonly string[];
  /** Sentences on what the documents lost; absent if nothing was lost. */
  readonly notices?: readonly string[];
}

/** Runs a request through the only pipeline. If it fails, it removes the files that it stored. */
export async function handle(endpoint: Endpoint, request: Request, service: Service): Promise<Answer> {
  const { store } = service;
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  using keeping = service.kept.open();
  using waiting = service.waiting.open();
  const form = await readForm(request, {
    store,
    ...streamedFields(endpoint),
    maxFileBytes: uploadLimit(endpoint, service.config),
    maxFiles: service.config.maxInputs,
    uploadTurns: service.uploadTurns,
    keeping,
    waiting,
    signal,
  });
  const { uploads } = form;
  const outputs = store.batch("output", waiting);
  const lost: Notice[] = [];
  try {
    const sources = await locateSources(endpoint.source, form, { store, uploads, maxInputs: service.config.maxInputs });
    const { output, prepare } = endpoint.bind(form, defaults(endpoint, form, sources));
    const inputs = sources.map((source) => toInput(source, store));
    const context = { signal, log: service.log, defer: service.defer };
    const storeOutputs = async (attempt: Attempt) => {
      // A job that is retried reports its losses again.
      lost.length = 0;
      for await (const { extension, type, body, head, notices } of attempt.run(context)) {
        const number = endpoint.naming === "name" ? "" : `_${outputs.count + 1}`;
        const name = `${output}${number}.${extension}`;
        // The next output is produced while the end of this one is being written to R2.
        await outputs.receive({ name, type, body: breathe(body, signal), ...(head ? { head } : {}) });
        lost.push(...(notices?.() ?? []));
        signal.throwIfAborted();
      }
    };
    const carryOut = (attempt: Attempt) => onceMoreIfLost(() => storeOutputs(attempt), outputs, service, signal);
    {
      using _limit = abortAfter(LIMITS.requestJobMs, late);
      const job = await prepare(inputs);
      const [first, ...others] = attempts(job, inputs, service);
      await carryOut(first).catch(async (error: unknown) => {
        if (others.length === 0 || outputs.count > 0 || !needsMoreRoom(error)) throw error;
        service.log("job moved to container", { error: String(error) });
        await carryOut(others[0]);
      });
    }
    const isKept = endpoint.source.kind !== "text";
    const [stored] = await Promise.all([outputs.settle(), isKept ? uploads.settle() : uploads.discard()]);
    signal.throwIfAborted();
    const inputIds = isKept ? await Promise.all(sources.map(idOf)) : [];
    return answer(endpoint, inputIds, stored, service.baseUrl, noticeSentences(lost));
  } catch (error) {
    await Promise.all([uploads.discard(), outputs.discard()]);
    if (error instanceof OutOfRange) throw asDeclared(error, endpoint);
    const answered = error instanceof EngineFailure ? endpoint.failures?.[error.reason]?.(error) : undefined;
    if (answered) service.log("request failed", { status: answered.status, error: String(error) });
    throw answered ?? error;
  }
}

/** Returns the names of the fields that are read in other ways than a short text. */
function streamedFields({ source, fields }: Endpoint) {
  const jsonFiles = Object.entries(fields).filter(([, field]) => "isFile" in field && field.isFile);
  return {
    fileFields: new Set(source.kind === "text" ? [source.field] : ["file"]),
    textFields: new Set(source.kind === "text" ? [source.field] : []),
    jsonFileFields: new Set(jsonFiles.map(([name]) => name)),
  };
}

/** Retries a job that was lost with its container, after a limited wait for the container to return. */
async function onceMoreIfLost(
  carryOut: () => Promise<void>,
  outputs: Batch,
  { container, log }: Service,
  signal: AbortSignal,
): Promise<void> {
  try {
    await carryOut();
  } catch (error) {
    if (!wasLost(error)) throw error;
    log("job retried", { error: String(error) });
    await outputs.discard();
    await container?.comesBack(signal);
    await carryOut();
  }
}

/** Replaces the name of a list parameter by its API spelling, which operations do not know. */
function asDeclared(error: OutOfRange, { fields }: Endpoint): OutOfRange {
  const field = fields[error.parameter];
  return field && "item" in field ? new OutOfRange(listName(error.parameter), error.value) : error;
}

/** Number of chunks, of 64 KiB or more, to produce without a pause. */
const CHUNKS_AT_A_STRETCH = 8;

/**
 * Pauses before a body starts and after every few chunks, so that other requests run and a client's disconnect is
 * noticed. Without the pauses, an operation that is never idle would block both until its end. Only a timer makes the
 * runtime check.
 */
async function* breathe(body: Output["body"], signal: AbortSignal): AsyncGenerator<Uint8Array> {
  await letOthersRun();
  let count = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    signal.throwIfAborted();
    yield chunk;
    if (++count % CHUNKS_AT_A_STRETCH === 0) await letOthersRun();
  }
}

function abortAfter(timeoutMs: number, controller: AbortController): Disposable {
  const tooLate = () => controller.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = setTimeout(tooLate, timeoutMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/**
 * Returns the default for `output` if it was not sent. JSON clients may always leave it out (docs/api.md#json-bodies).
 */
function defaults({ path, fields }: Endpoint, { encoding }: Form, [first]: readonly Located[]): Record<string, string> {
  if (!first) return {};
  if (!fields.output?.required) return { output: stem(first.name) };
  return encoding === "json" ? { output: `${stem(first.name)}_${path.slice(1)}` } : {};
}

function answer(
  { naming, source }: Endpoint,
  inputIds: readonly string[],
  outputs: readonly { readonly id: string }[],
  baseUrl: string,
  notices: readonly string[],
): Answer {
  const ids = outputs.map(({ id }) => id);
  const urls = ids.map((id) => fileUrl(baseUrl, id));
  const several = naming === "list" || (naming === "prefix" && ids.length > 1);
  return {
    outputUrl: several ? urls : urls[0],
    outputId: several ? ids : ids[0],
    ...(source.kind === "text" ? {} : { inputId: source.kind === "files-and-ids" ? inputIds : inputIds[0] }),
    ...(notices.length > 0 ? { notices } : {}),
  };
}

/** Returns the URL of a stored file (spec, "Response objects"). */
export const fileUrl = (baseUrl: string, id: string) => `${baseUrl}/resource/${id}?format=file`;
