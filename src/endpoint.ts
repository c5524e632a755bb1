// What an endpoint is, and the one way a request goes through it. Never mentions a path.
import type { Config, Variant } from "./config.ts";
import {
  fieldRequired,
  fileAndId,
  fileIdAndUrl,
  moreThanOneKey,
  noInput,
  noSuchFile,
  type ServiceError,
  tooManyFiles,
  wrongType,
} from "./errors.ts";
import { type Fields, parseFields, type Values } from "./fields.ts";
import { stem } from "./file-name.ts";
import { discard, type Form, readForm } from "./form.ts";
import { type Context, EngineFailure, type FailureReason, type Input, type Output } from "./operations/operation.ts";
import { type Attempt, attempts, type Job, needsMoreRoom, type Places } from "./placement.ts";
import type { Arrival, Store, StoredFile } from "./store.ts";
import type { Turns } from "./turns.ts";

/** What an endpoint takes in. */
export type Source =
  /** Exactly one of `file` and `id`. */
  | {
      readonly kind: "file-or-id";
      readonly description: string;
      /** Whether a document of this media type, told by its content, can be worth opening. */
      accepts(type: string): boolean;
    }
  /** Exactly one of `file`, `id` and `url`, the address of a web page. */
  | { readonly kind: "file-id-or-url"; readonly description: string }
  /** A text field, of any length up to that of a file; it is not kept, so the answer has no inputId. */
  | { readonly kind: "text"; readonly field: string; readonly description: string };

export interface Declaration<F extends Fields> {
  /** Begins with a slash. */
  readonly path: string;
  readonly variants: readonly Variant[];
  readonly summary: string;
  readonly source: Source;
  readonly fields: F;
  /** `prefix`: a number is appended to each output's name, several outputs make lists in the answer. */
  readonly naming: "name" | "prefix";
  /** What it may answer besides success, for OpenAPI. */
  readonly errors: readonly ServiceError[];
  /** Answers to failures that mean something else here than elsewhere. */
  readonly failures?: Readonly<Partial<Record<FailureReason, () => ServiceError>>>;
  /** Once every field is known to be in range. */
  prepare(values: Values<F>, given: Given): Job | Promise<Job>;
}

/** What an endpoint was given to work on. */
export interface Given {
  readonly inputs: readonly Input[];
  /** In place of an input, as the client wrote it. */
  readonly url?: string;
}

/** A declaration whose fields' types have done their work. */
export interface Endpoint extends Omit<Declaration<Fields>, "prepare"> {
  bind(
    form: Form,
    defaults: Readonly<Record<string, string>>,
  ): { readonly output: string; prepare(given: Given): Job | Promise<Job> };
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
      return { output: String(values.output), prepare: (given) => prepare(values, given) };
    },
  };
}

/** What the pipeline works with. */
export interface Service extends Places {
  readonly config: Config;
  readonly store: Store;
  readonly uploadTurns: Turns;
  /** What clients put before a path. */
  readonly baseUrl: string;
  readonly log: Context["log"];
  readonly defer: Context["defer"];
}

/** How long a job may take; the platform's own limit of CPU time is the same. */
const JOB_TIMEOUT_MS = 300_000;

/** The body of a success (spec, "Response objects"). */
export interface Answer {
  readonly outputUrl: string | readonly string[];
  readonly outputId: string | readonly string[];
  readonly inputId?: string;
}

/** The only pipeline. What it stored is gone again when it fails. */
export async function handle(endpoint: Endpoint, request: Request, service: Service): Promise<Answer> {
  const { store } = service;
  const late = new AbortController();
  const signal = AbortSignal.any([request.signal, late.signal]);
  const form = await readForm(request, {
    store,
    fileFields: new Set(endpoint.source.kind === "text" ? [endpoint.source.field] : ["file"]),
    textFields: new Set(endpoint.source.kind === "text" ? [endpoint.source.field] : []),
    maxFileBytes: service.config.maxUploadBytes,
    uploadTurns: service.uploadTurns,
    signal,
  });
  const uploads = [...form.files.values()].flat();
  const outputs: StoredFile[] = [];
  try {
    const { sources, url } = await locateSources(endpoint.source, form, store);
    const { output, prepare } = endpoint.bind(form, form.encoding === "json" ? jsonDefaults(endpoint, sources) : {});
    const inputs = sources.map((source) => toInput(source, store));
    const context = { signal, log: service.log, defer: service.defer };
    const storeOutputs = async (attempt: Attempt) => {
      for await (const { extension, type, body, head } of attempt.run(context)) {
        const number = endpoint.naming === "prefix" ? `_${outputs.length + 1}` : "";
        const name = `${output}${number}.${extension}`;
        const breathing = breathe(body);
        outputs.push(await store.put({ kind: "output", name, type, body: breathing, ...(head ? { head } : {}) }));
        signal.throwIfAborted();
      }
    };
    {
      using _limit = abortAfter(JOB_TIMEOUT_MS, late);
      const job = await prepare({ inputs, ...(url === undefined ? {} : { url }) });
      const [first, ...others] = attempts(job, inputs, service);
      await storeOutputs(first).catch(async (error: unknown) => {
        if (others.length === 0 || outputs.length > 0 || !needsMoreRoom(error)) throw error;
        service.log("moved to the container", { error: String(error) });
        await storeOutputs(others[0]!);
      });
    }
    await Promise.all(uploads.map(({ stored }) => stored));
    signal.throwIfAborted();
    if (endpoint.source.kind === "text") await store.remove(uploads.map(({ id }) => id));
    return answer(endpoint, sources, outputs, service.baseUrl);
  } catch (error) {
    await Promise.all([discard(uploads, store), store.remove(outputs.map(({ id }) => id))]);
    const answered = error instanceof EngineFailure ? endpoint.failures?.[error.reason]?.() : undefined;
    if (answered) service.log("failed", { status: answered.status, error: String(error) });
    throw answered ?? error;
  }
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

/** A file that was sent with the request, or one that is stored. */
type Located = Arrival | StoredFile;

/** @throws ServiceError 400 unless there is exactly one source, 404 where an id names no file */
async function locateSources(
  source: Source,
  form: Form,
  store: Store,
): Promise<{ sources: readonly Located[]; url?: string }> {
  if (source.kind === "text") {
    const texts = form.files.get(source.field) ?? [];
    if (texts.length > 1) throw moreThanOneKey(source.field);
    if (texts.length === 0 || texts[0]!.size === 0) throw fieldRequired(source.field);
    return { sources: texts };
  }
  const files = form.files.get("file") ?? [];
  // A form with an input that was left empty sends it all the same.
  const given = (name: string) =>
    (form.fields.get(name) ?? []).map((text) => text.trim()).filter((text) => text !== "");
  const ids = given("id");
  const urls = source.kind === "file-id-or-url" ? given("url") : [];
  // A JSON body cannot hold a file, but it can claim to.
  if ((files.length > 0 || form.fields.has("file")) && ids.length > 0) throw fileAndId();
  if (urls.length > 0) {
    if (files.length > 0 || form.fields.has("file") || ids.length > 0) throw fileIdAndUrl();
    if (urls.length > 1) throw moreThanOneKey("url");
    return { sources: [], url: urls[0]! };
  }
  if (files.length + ids.length > 1) throw tooManyFiles();
  if (files.length === 1) return { sources: checked(files[0]!, source) };
  if (ids.length === 0) throw noInput();
  const found = await store.find(ids[0]!);
  if (!found) throw noSuchFile();
  return { sources: checked(found, source) };
}

/** @throws ServiceError 400 where the document is surely none for this endpoint */
function checked(found: Located, source: Source): readonly Located[] {
  if (source.kind === "file-or-id" && !source.accepts(found.type)) throw wrongType();
  return [found];
}

/** JSON clients may leave `output` out (WIRE). */
function jsonDefaults({ path }: Endpoint, sources: readonly Located[]): Record<string, string> {
  return sources[0] ? { output: `${stem(sources[0].name)}_${path.slice(1)}` } : {};
}

function toInput(source: Located, store: Store): Input {
  const { id, name, size } = source;
  const inMemory = "bytes" in source ? source.bytes : undefined;
  const open = async () => {
    if ("stored" in source) await source.stored;
    const found = await store.open(id);
    if (!found) throw noSuchFile();
    return found.body;
  };
  return {
    name,
    size,
    async *stream() {
      if (inMemory) yield inMemory;
      else yield* await open();
    },
    async bytes() {
      if (inMemory) return inMemory;
      const bytes = new Uint8Array(size);
      let at = 0;
      for await (const chunk of await open()) {
        bytes.set(chunk, at);
        at += chunk.length;
      }
      return bytes;
    },
  };
}

function answer(
  { naming, source }: Endpoint,
  sources: readonly Located[],
  outputs: readonly StoredFile[],
  baseUrl: string,
): Answer {
  const ids = outputs.map(({ id }) => id);
  const urls = ids.map((id) => fileUrl(baseUrl, id));
  const several = naming === "prefix" && ids.length > 1;
  return {
    outputUrl: several ? urls : urls[0]!,
    outputId: several ? ids : ids[0]!,
    ...(source.kind === "text" ? {} : { inputId: sources[0]!.id }),
  };
}

/** Where a stored file is fetched (spec, "Response objects"). */
export const fileUrl = (baseUrl: string, id: string) => `${baseUrl}/resource/${id}?format=file`;
