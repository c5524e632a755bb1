// What an endpoint is, and the one way a request goes through it. Never mentions a path.
import type { Config, Variant } from "./config.ts";
import {
  fieldRequired,
  fileAndId,
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
import { type Context, EngineFailure, type Input, type Operation, type Output } from "./operations/operation.ts";
import { edgeHeapLimit } from "./placement.ts";
import type { Arrival, Store, StoredFile } from "./store.ts";
import type { Turns } from "./turns.ts";

/** An operation with its parameters. */
export interface Job {
  run(inputs: readonly Input[], context: Context): AsyncIterable<Output>;
}

export const job = <P>(operation: Operation<P>, params: P): Job => ({
  run: (inputs, context) => operation(inputs, params, context),
});

/** What an endpoint takes in. */
export type Source =
  /** Exactly one of `file` and `id`. */
  | {
      readonly kind: "file-or-id";
      readonly description: string;
      /** Whether a document of this media type, told by its content, can be worth opening. */
      accepts(type: string): boolean;
    }
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
  /** Whether an engine is at work that needs most of an isolate's memory: such jobs take turns. */
  readonly heavy: boolean;
  /** What it may answer besides success, for OpenAPI. */
  readonly errors: readonly ServiceError[];
  prepare(values: Values<F>): Job;
}

/** A declaration whose fields' types have done their work. */
export interface Endpoint extends Omit<Declaration<Fields>, "prepare"> {
  bind(form: Form, defaults: Readonly<Record<string, string>>): { readonly job: Job; readonly output: string };
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
      return { job: prepare(values), output: String(values.output) };
    },
  };
}

/** What the pipeline works with. */
export interface Service {
  readonly config: Config;
  readonly store: Store;
  readonly uploadTurns: Turns;
  readonly engineTurns: Turns;
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
    const sources = await locateSources(endpoint.source, form, store);
    const { job, output } = endpoint.bind(form, form.encoding === "json" ? jsonDefaults(endpoint, sources) : {});
    const context: Context = {
      signal,
      log: service.log,
      defer: service.defer,
      heapLimitBytes: endpoint.heavy ? edgeHeapLimit(sources.reduce((sum, { size }) => sum + size, 0)) : 0,
    };
    {
      using _turn = endpoint.heavy ? await service.engineTurns.take(signal) : undefined;
      using _limit = abortAfter(JOB_TIMEOUT_MS, late);
      const inputs = sources.map((source) => toInput(source, store));
      for await (const { extension, type, body, head } of job.run(inputs, context)) {
        const number = endpoint.naming === "prefix" ? `_${outputs.length + 1}` : "";
        const name = `${output}${number}.${extension}`;
        const breathing = breathe(body);
        outputs.push(await store.put({ kind: "output", name, type, body: breathing, ...(head ? { head } : {}) }));
        signal.throwIfAborted();
      }
    }
    await Promise.all(uploads.map(({ stored }) => stored));
    signal.throwIfAborted();
    if (endpoint.source.kind === "text") await store.remove(uploads.map(({ id }) => id));
    return answer(endpoint, sources, outputs, service.baseUrl);
  } catch (error) {
    await Promise.all([discard(uploads, store), store.remove(outputs.map(({ id }) => id))]);
    throw error;
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
async function locateSources(source: Source, form: Form, store: Store): Promise<readonly Located[]> {
  if (source.kind === "text") {
    const texts = form.files.get(source.field) ?? [];
    if (texts.length > 1) throw moreThanOneKey(source.field);
    if (texts.length === 0 || texts[0]!.size === 0) throw fieldRequired(source.field);
    return texts;
  }
  const files = form.files.get("file") ?? [];
  // A form with an input that was left empty sends it all the same.
  const ids = (form.fields.get("id") ?? []).map((id) => id.trim()).filter((id) => id !== "");
  // A JSON body cannot hold a file, but it can claim to.
  if ((files.length > 0 || form.fields.has("file")) && ids.length > 0) throw fileAndId();
  if (files.length + ids.length > 1) throw tooManyFiles();
  if (files.length === 1) return checked(files[0]!, source);
  if (ids.length === 0) throw noInput();
  const found = await store.find(ids[0]!);
  if (!found) throw noSuchFile();
  return checked(found, source);
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
