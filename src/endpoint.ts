// What an endpoint is, and the one way a request goes through it. Never mentions a path.
import type { Config, Variant } from "./config.ts";
import type { ConnectedContainer } from "./container.ts";
import type { ServiceError } from "./errors.ts";
import { type Fields, isSent, listName, parseFields, type Values } from "./fields.ts";
import { stem } from "./file-name.ts";
import { type Form, readForm } from "./form.ts";
import type { KeptBytes } from "./kept-bytes.ts";
import { noticeSentences } from "./notices.ts";
import type { Notice } from "./operations/notice.ts";
import {
  type Context,
  EngineFailure,
  type FailureReason,
  type Input,
  OutOfRange,
  type Output,
} from "./operations/operation.ts";
import { type Attempt, attempts, type Job, needsMoreRoom, type Places, wasLost } from "./placement.ts";
import { idOf, type Located, locateSources, type Source, toInput } from "./sources.ts";
import type { Batch } from "./storage/batch.ts";
import type { Store } from "./store.ts";
import type { Turns } from "./turns.ts";

export interface Declaration<F extends Fields> {
  /** Begins with a slash. */
  readonly path: string;
  readonly variants: readonly Variant[];
  readonly summary: string;
  readonly source: Source;
  readonly fields: F;
  /**
   * `prefix`: a number is appended to each output's name, several outputs make lists in the answer; `list`: one output makes
   * them too.
   */
  readonly naming: "name" | "prefix" | "list";
  /** Where the largest file may be larger than {@link STANDARD_UPLOAD_BYTES} (spec, "Limits"). @default false */
  readonly setsUploadLimit?: boolean;
  /** What it may answer besides success, for OpenAPI. */
  readonly errors: readonly ServiceError[];
  /** Answers to failures that mean something else here than elsewhere. */
  readonly failures?: Readonly<Partial<Record<FailureReason, (failure: EngineFailure) => ServiceError>>>;
  /** Once every field is known to be in range. */
  prepare(values: Values<F>, given: Given): Job | Promise<Job>;
}

/** What an endpoint was given to work on. */
export interface Given {
  readonly inputs: readonly Input[];
  /** Whether the client gave a field a value, where a default would do for it. */
  isSent(field: string): boolean;
}

/** A declaration whose fields' types have done their work. */
export interface Endpoint extends Omit<Declaration<Fields>, "prepare"> {
  bind(
    form: Form,
    defaults: Readonly<Record<string, string>>,
  ): { readonly output: string; prepare(inputs: readonly Input[]): Job | Promise<Job> };
}

/** Declares an endpoint. Every one has the field `output` (spec, rule 4). */
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

/** What the pipeline works with. */
export interface Service extends Places {
  readonly config: Config;
  readonly store: Store;
  readonly container: ConnectedContainer | undefined;
  readonly uploadTurns: Turns;
  readonly kept: KeptBytes;
  /** For small files, on their way in or out. */
  readonly waiting: KeptBytes;
  /** What clients put before a path. */
  readonly baseUrl: string;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
}

/** The spec's limit; a setting can lower it everywhere, and raise it where an endpoint's declaration allows. */
const STANDARD_UPLOAD_BYTES = 100 * 2 ** 20;

/** Bytes of one file. */
export const uploadLimit = ({ setsUploadLimit = false }: Endpoint, { maxUploadBytes }: Config): number =>
  setsUploadLimit ? maxUploadBytes : Math.min(maxUploadBytes, STANDARD_UPLOAD_BYTES);

/** How long a job may take; the platform's own limit of CPU time is the same. */
const JOB_TIMEOUT_MS = 300_000;

/** The body of a success (spec, "Response objects"). */
export interface Answer {
  readonly outputUrl: string | readonly string[];
  readonly outputId: string | readonly string[];
  readonly inputId?: string | readonly string[];
  /** What the documents lost on their way; absent where nothing was lost. */
  readonly notices?: readonly string[];
}

/** The only pipeline. What it stored is gone again when it fails. */
export async function handle(endpoint: Endpoint, request: Request, service: Service): Promise<Answer> {
  const { store } = service;
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  using keeping = service.kept.open();
  using waiting = service.waiting.open();
  const form = await readForm(request, {
    store,
    fileFields: new Set(endpoint.source.kind === "text" ? [endpoint.source.field] : ["file"]),
    textFields: new Set(endpoint.source.kind === "text" ? [endpoint.source.field] : []),
    jsonFileFields: new Set(
      Object.entries(endpoint.fields).flatMap(([name, field]) => ("isFile" in field && field.isFile ? [name] : [])),
    ),
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
      // A job that begins again tells its losses again.
      lost.length = 0;
      for await (const { extension, type, body, head, notices } of attempt.run(context)) {
        const number = endpoint.naming === "name" ? "" : `_${outputs.count + 1}`;
        const name = `${output}${number}.${extension}`;
        // The next one is made while this one's end is on its way to R2.
        await outputs.receive({ name, type, body: breathe(body), ...(head ? { head } : {}) });
        lost.push(...(notices?.() ?? []));
        signal.throwIfAborted();
      }
    };
    const carryOut = (attempt: Attempt) => onceMoreIfLost(() => storeOutputs(attempt), outputs, service, signal);
    {
      using _limit = abortAfter(JOB_TIMEOUT_MS, late);
      const job = await prepare(inputs);
      const [first, ...others] = attempts(job, inputs, service);
      await carryOut(first).catch(async (error: unknown) => {
        if (others.length === 0 || outputs.count > 0 || !needsMoreRoom(error)) throw error;
        service.log("moved to the container", { error: String(error) });
        await carryOut(others[0]!);
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
    if (answered) service.log("failed", { status: answered.status, error: String(error) });
    throw answered ?? error;
  }
}

/** A job that was lost with its container begins anew when that is back, or may be. */
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
    log("begun again", { error: String(error) });
    await outputs.discard();
    await container?.comesBack(signal);
    await carryOut();
  }
}

/** Operations know no spelling of lists. */
function asDeclared(error: OutOfRange, { fields }: Endpoint): OutOfRange {
  const field = fields[error.parameter];
  return field && "item" in field ? new OutOfRange(listName(error.parameter), error.value) : error;
}

/** Chunks of 64 KiB and more that are made at a stretch. */
const CHUNKS_AT_A_STRETCH = 8;

/**
 * Lets other requests in, and the news that the client has gone, before a body begins and now and then while it is made: an
 * operation that is never idle would keep them waiting until its end. Only a timer makes the runtime look around.
 */
async function* breathe(body: Output["body"]): AsyncGenerator<Uint8Array> {
  await scheduler.wait(0);
  let count = 0;
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    yield chunk;
    if (++count % CHUNKS_AT_A_STRETCH === 0) await scheduler.wait(0);
  }
}

function abortAfter(timeoutMs: number, controller: AbortController): Disposable {
  const tooLate = () => controller.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
  const timer = setTimeout(tooLate, timeoutMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** What does for `output` where it was not sent: JSON clients may always leave it out (WIRE). */
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
    outputUrl: several ? urls : urls[0]!,
    outputId: several ? ids : ids[0]!,
    ...(source.kind === "text" ? {} : { inputId: source.kind === "files-and-ids" ? inputIds : inputIds[0]! }),
    ...(notices.length > 0 ? { notices } : {}),
  };
}

/** Where a stored file is fetched (spec, "Response objects"). */
export const fileUrl = (baseUrl: string, id: string) => `${baseUrl}/resource/${id}?format=file`;
