// The single pipeline for the requests of all endpoints. Never mentions a path.

import type { Config } from "../core/config.ts";
import { EngineFailure, OutOfRange } from "../core/failure.ts";
import type { Progress } from "../core/jobs.ts";
import { LIMITS } from "../core/limits.ts";
import { type Attempt, attempts, needsMoreRoom, type Places } from "../placement/placement.ts";
import type { Batch } from "../storage/batch.ts";
import type { Keeping } from "../storage/kept-bytes.ts";
import { answerOf, downloadHeaders, lossHeaders } from "./answer.ts";
import { streamOf } from "./body-stream.ts";
import { type Delivery, deliver } from "./delivery.ts";
import { type Endpoint, type Service, uploadLimit } from "./endpoint.ts";
import { type Fetching, receiveAddressed } from "./fetched.ts";
import { listName } from "./fields.ts";
import type { Form } from "./form.ts";
import { type Answered, contentOf, onlyOnce } from "./idempotency.ts";
import { type Wishes, wishesOf } from "./negotiation.ts";
import { onceMoreIfLost } from "./once-more.ts";
import { defaultOutput, needsOutput } from "./output-name.ts";
import { overflowing } from "./overflow.ts";
import { readForm } from "./read-form.ts";
import { chunksOf, idOf, type Located, locateSources, toInput } from "./sources.ts";
import { withStoredFields } from "./stored-fields.ts";
import { abortAfter } from "./time-limit.ts";

/** Runs a request. If it fails, it removes the files that it stored. */
export async function handle(endpoint: Endpoint, request: Request, service: Service): Promise<Response> {
  const wishes = wishesOf(request.headers, { type: endpoint.produces, naming: endpoint.naming });
  const resources = new DisposableStack();
  try {
    if (service.caller) resources.use(service.caller.hold());
    const keeping = resources.use(service.kept.open());
    const waiting = resources.use(service.waiting.open());
    const late = new AbortController();
    const signal = AbortSignal.any([request.signal, late.signal]);
    const isTransient = endpoint.source.kind === "text" || wishes.mayBeFile;
    const held = resources.use(service.bodies.open());
    const form = await receive(endpoint, request, { service, isTransient, keeping, waiting, held, signal });
    const outputs = service.store.batch("output", waiting);
    const memory = { keeping, holding: resources.use(service.waiting.open()), isTransient };
    const progress = service.progress ? { progress: service.progress } : {};
    const exchange = { endpoint, service, wishes, form, outputs, ...memory, ...progress, signal, late };
    const undo = () => Promise.all([form.uploads.discard(), outputs.discard()]);
    try {
      return await onlyOnce(service, {
        ...{ content: requestContent(exchange), signal },
        carryOut: () => carryOut(exchange, resources),
        async undo() {
          await undo();
          resources.dispose();
        },
      });
    } catch (error) {
      await undo();
      throw error;
    }
  } catch (error) {
    resources.dispose();
    throw error;
  }
}

/** A request whose body has been read. */
export interface Exchange {
  readonly endpoint: Endpoint;
  readonly service: Service;
  readonly wishes: Wishes;
  readonly form: Form;
  readonly outputs: Batch;
  readonly keeping: Keeping;
  readonly holding: Keeping;
  /** True if files that were sent need not outlive the request. */
  readonly isTransient: boolean;
  /** Aborted when the client disconnects, or by {@link late}. */
  readonly signal: AbortSignal;
  readonly late: AbortController;
  /** Called with each output of a job that has several. */
  progress?(progress: Progress): void;
}

/** Returns what makes a request another one if it changes. */
function requestContent({ endpoint: { path, source }, form, wishes }: Exchange): unknown {
  const isOrdered = source.kind === "several" && source.orderedBy === undefined;
  return [path, wishes.summary, contentOf(form, isOrdered)];
}

interface Receiving extends Pick<Exchange, "service" | "signal" | "keeping" | "isTransient"> {
  readonly waiting: Keeping;
  readonly held: Keeping;
}

export function receive(endpoint: Endpoint, request: Request, receiving: Receiving): Promise<Form> {
  const { service, ...others } = receiving;
  return readForm(request, {
    ...others,
    store: service.store,
    ...streamedFields(endpoint),
    maxFileBytes: uploadLimit(endpoint, service.config),
    maxFiles: service.config.maxInputs,
    uploadTurns: service.timing.of(service.uploadTurns),
    begins(start, name) {
      const operation = endpoint.foresees?.(start, name);
      if (operation) service.container?.startAhead(operation);
    },
  });
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

/**
 * Does the work and makes the answer.
 * @param resources receives the time limit of the job, which may last as long as the answer. They are disposed of with
 * the answer; if this fails, by the caller
 */
export async function carryOut(exchange: Exchange, resources: DisposableStack): Promise<Answered> {
  try {
    const { sources, delivery } = await work(exchange, resources);
    return await respond(exchange, sources, delivery, resources);
  } catch (error) {
    throw worded(error, exchange.endpoint, exchange.service);
  }
}

interface Worked {
  readonly sources: readonly Located[];
  readonly delivery: Delivery;
}

async function work(exchange: Exchange, resources: DisposableStack): Promise<Worked> {
  const { endpoint, service, form, outputs, signal, late } = exchange;
  const { store, timing, config } = service;
  const context = { signal, log: service.log, defer: service.defer };
  const places: Places = {
    budgets: service.budgets,
    container: service.container,
    engineTurns: timing.of(service.engineTurns),
    containerTurns: timing.of(service.containerTurns),
    remoteTurns: timing.of(service.remoteTurns),
  };
  const fetching: Fetching = {
    ...{ ...context, places, container: service.container, uploads: form.uploads, keeping: exchange.keeping },
    isTransient: exchange.isTransient,
    maxBytes: uploadLimit(endpoint, config),
  };
  const sources = await within(LIMITS.fetchesMs, late, () =>
    locateSources(endpoint.source, form, {
      ...{ store, maxInputs: config.maxInputs },
      receive: (addressed) => receiveAddressed(addressed, fetching),
    }),
  );
  const { output: name, prepare } = endpoint.bind(
    await withStoredFields(endpoint, form, store),
    defaults(endpoint, form, config, sources),
  );
  const inputs = sources.map((source) => toInput(source, store));
  const isNumbered = endpoint.naming !== "name";
  resources.use(abortAfter(LIMITS.requestJobMs, late));
  const job = await prepare(inputs);
  const attempted = (attempt: Attempt) =>
    onceMoreIfLost(
      // A job that is retried reports its losses again, and begins its outputs anew.
      () =>
        deliver(attempt.run(context), {
          ...{ ...exchange, name, isNumbered, store, timing },
          ...{ caller: service.caller, maxBytes: config.maxOutputBytes },
        }),
      { container: service.container, signal, log: service.log, undo: () => outputs.discard() },
    );
  const [first, ...others] = attempts(job, inputs, places);
  const delivery = await timing.during("store", () =>
    attempted(first).catch(async (error: unknown) => {
      if (others.length === 0 || outputs.count > 0 || !needsMoreRoom(error)) throw error;
      service.log("job moved to container", { error: String(error) });
      return attempted(others[0]);
    }),
  );
  return { sources, delivery };
}

async function respond(
  exchange: Exchange,
  sources: readonly Located[],
  delivery: Delivery,
  resources: DisposableStack,
): Promise<Answered> {
  const { service, signal, wishes, outputs } = exchange;
  const { uploads } = exchange.form;
  if (delivery.kind === "stored") {
    const response = await service.timing.during("store", () => respondWithJson(exchange, sources, delivery));
    resources.dispose();
    return { response };
  }
  const ended = Promise.withResolvers<unknown>();
  const made = () => resources.dispose();
  const response = await respondWithFile(exchange, delivery, { ended: ended.resolve, made });
  if (delivery.kind !== "stream") signal.throwIfAborted();
  service.defer(async () => {
    const error = await ended.promise;
    if (error !== undefined) service.log("answer broken off", { error: String(error) });
    resources.dispose();
    await Promise.all([uploads.discard(), ...(wishes.stores ? [] : [outputs.discard()])]);
  });
  if (!wishes.stores || delivery.kind !== "arrival") return { response };
  return { response, file: { id: (await delivery.file.stored).id, isOwn: !wishes.tellsId } };
}

async function respondWithJson(
  { endpoint, service, form, outputs, signal }: Exchange,
  sources: readonly Located[],
  { lost }: Extract<Delivery, { kind: "stored" }>,
): Promise<Response> {
  const { uploads } = form;
  const isKept = endpoint.source.kind !== "text";
  const [stored] = await Promise.all([outputs.settle(), isKept ? uploads.settle() : uploads.discard()]);
  signal.throwIfAborted();
  const inputIds = isKept ? await Promise.all(sources.map(idOf)) : [];
  const results = { inputs: sources, inputIds, outputs: stored, lost };
  return Response.json(answerOf(endpoint, results, service.baseUrl), { headers: lossHeaders(lost) });
}

interface Answering {
  /** Called when nothing more of the body will be read, with the reason unless it was complete. */
  ended(error?: unknown): void;
  /** Called when the job has ended. */
  made(): void;
}

async function respondWithFile(
  { service, wishes, signal, outputs }: Exchange,
  delivery: Exclude<Delivery, { kind: "stored" }>,
  { ended, made }: Answering,
): Promise<Response> {
  const lost = delivery.kind === "stream" ? [] : delivery.lost;
  const headers = new Headers({ ...downloadHeaders(delivery), ...lossHeaders(lost), "Cache-Control": "no-store" });
  if (delivery.kind === "stream") {
    const { store, overflowTurns } = service;
    const chunks = overflowing(delivery.body, { store, outputs, overflowTurns, signal, made });
    return new Response(streamOf(chunks, { signal, ended }), { headers });
  }
  if (delivery.kind === "whole") {
    ended();
    headers.set("Content-Length", String(delivery.bytes.length));
    return new Response(delivery.bytes as Uint8Array<ArrayBuffer>, { headers });
  }
  made();
  const { id, size } = await delivery.file.stored;
  // Files that remain in storage are counted.
  if (wishes.stores) await outputs.settle();
  const opened = await service.store.open(id);
  if (!opened) throw new EngineFailure("crashed", "the answer is not in storage any more");
  if (!wishes.stores) {
    return new Response(streamOf(chunksOf(opened.body), { signal, ended }), { headers });
  }
  ended();
  headers.set("Content-Length", String(size));
  if (wishes.tellsId) {
    headers.set("Output-Id", id);
    headers.set("Preference-Applied", "return=representation");
  }
  return new Response(opened.body, { headers });
}

/** Returns the error that the client sees, in the words of the endpoint. */
export function worded(error: unknown, { fields, failures }: Endpoint, { log }: Pick<Service, "log">): unknown {
  if (error instanceof OutOfRange) {
    // Operations do not know the API spelling of a list parameter.
    const field = fields[error.parameter];
    return field && "item" in field ? new OutOfRange(listName(error.parameter), error.value, error.why) : error;
  }
  const answered = error instanceof EngineFailure ? failures?.[error.reason]?.(error) : undefined;
  if (answered) log("request failed", { status: answered.status, error: String(error) });
  return answered ?? error;
}

async function within<T>(timeoutMs: number, controller: AbortController, work: () => Promise<T>): Promise<T> {
  using _limit = abortAfter(timeoutMs, controller);
  return await work();
}

/** Returns the default for `output`, if the client may leave it out. */
export function defaults(
  endpoint: Endpoint,
  { encoding }: Form,
  { dialect }: Config,
  [first]: readonly Pick<Located, "name">[],
): Record<string, string> {
  if (!first || needsOutput(endpoint, encoding, dialect)) return {};
  return { output: defaultOutput(endpoint, dialect, first) };
}
