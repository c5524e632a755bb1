// The pipeline that handles the requests to all endpoints: from the form to the response.

import { EngineFailure, OutOfRange } from "../../../document/contract/failure.ts";
import { reserveMemory } from "../../storage/memory-quota.ts";
import { bodyLimitsOf } from "../contract/body-size.ts";
import { deprecationHeaders } from "../contract/declaration/deprecation.ts";
import { inWordsOfApi } from "../contract/declaration/exposure.ts";
import { fieldNamesOf, orderedFieldsOf, secretsOf, streamedFields } from "../contract/declaration/field-names.ts";
import { offersOf } from "../contract/declaration/output-declaration.ts";
import { type Endpoint, type ParsedRequest, type RequestServices, uploadLimit } from "../contract/endpoint.ts";
import { toServiceError } from "../contract/errors.ts";
import type { Form } from "../contract/form.ts";
import type { ReceiveOptions } from "../contract/route.ts";
import { chunksOf, type InputFile, idOf, toInput } from "../requests/inputs.ts";
import { readForm } from "../requests/read-form.ts";
import { takeSecretFiles } from "../requests/stored-fields.ts";
import { toReadableStream } from "../responses/body-stream.ts";
import { deliver } from "../responses/delivery.ts";
import { negotiate } from "../responses/negotiation.ts";
import {
  dataResponse,
  deliveredResponse,
  downloadHeaders,
  noticeHeaders,
  operationResponse,
} from "../responses/operation-response.ts";
import type { DataResult, OutputResult } from "../responses/outputs.ts";
import { overflowing } from "../responses/overflow.ts";
import { executeJob, type RequestState } from "./execute-job.ts";
import { fingerprintContent, type HandledResponse, runIdempotent, saltOf } from "./idempotency.ts";

/** Handles a request to an endpoint. If it fails, deletes the files that it stored. */
export async function handleRequest(endpoint: Endpoint, request: Request, service: RequestServices): Promise<Response> {
  const wishes = negotiate(request.headers, offersOf(endpoint.output));
  return handleForm({ endpoint, wishes, read: (to) => readEndpointForm(endpoint, request, to) }, request, service);
}

/** A request to an endpoint, in a format of its own. */
interface FormRequest extends Pick<RequestState, "endpoint" | "wishes"> {
  /** Reads the body as a form of the endpoint. */
  read(to: Receiving): Promise<Form>;
}

/** Handles a request whose body is read in a format of its own. If it fails, deletes the files that it stored. */
export async function handleForm(
  { endpoint, wishes, read }: FormRequest,
  request: Request,
  service: RequestServices,
): Promise<Response> {
  const resources = new DisposableStack();
  try {
    if (service.caller) resources.use(service.caller.retain());
    const memory = resources.use(reserveMemory(service));
    const deadline = new AbortController();
    const signal = AbortSignal.any([request.signal, deadline.signal]);
    const isTransient = !keepsInputs(endpoint) || wishes.mayReturnFile;
    const form = await read({ ...memory, service, isTransient, signal });
    const receivedMs = Date.now();
    const outputs = service.store.batch("output", memory.batchReservation);
    const progress = service.progress ? { progress: service.progress } : {};
    const exchange = {
      endpoint,
      service,
      wishes,
      form,
      outputs,
      ...memory,
      isTransient,
      ...progress,
      signal,
      deadline,
    };
    const response = await runIdempotent(service, {
      ...{ content: requestContent(exchange, saltOf(request.headers)), signal },
      async run() {
        const form = await takeSecretFiles(endpoint, exchange.form, service);
        try {
          return await runAndRespond({ ...exchange, form }, resources);
        } catch (error) {
          if (!service.whenBusy || isTransient || !isBusy(error)) throw error;
          await outputs.discard();
          resources.dispose();
          return { response: await service.whenBusy(form, receivedMs) };
        }
      },
      async rollback() {
        await Promise.all([form.uploads.discard(), outputs.discard()]);
        resources.dispose();
      },
    });
    for (const [name, text] of deprecationHeaders(endpoint, form, service.baseUrl)) response.headers.append(name, text);
    return response;
  } catch (error) {
    resources.dispose();
    throw error;
  }
}

const isBusy = (error: unknown) => error instanceof EngineFailure && error.reason === "busy";

/** Reports whether uploaded files become stored files with IDs. */
export const keepsInputs = ({ inputs }: Endpoint): boolean =>
  Object.values(inputs).every(({ kind }) => kind !== "text");

/** Returns the values that identify a request for idempotency. */
function requestContent({ endpoint, form, wishes }: RequestState, salt: string): unknown {
  const about = { ordered: orderedFieldsOf(endpoint), secrets: secretsOf(endpoint, form), salt };
  return [endpoint.path, wishes.fingerprint, fingerprintContent(form, about)];
}

export type Receiving = Pick<RequestState, "service" | "isTransient"> & ReceiveOptions;

/** Reads the body. Unknown fields are dropped: a misspelled or superfluous password must not be stored. */
export async function readEndpointForm(endpoint: Endpoint, request: Request, receiving: Receiving): Promise<Form> {
  const { service, ...others } = receiving;
  const known = fieldNamesOf(endpoint);
  const form = await readForm(request, {
    ...others,
    store: service.store,
    ...streamedFields(endpoint),
    maxFileBytes: uploadLimit(endpoint, service.config),
    maxFiles: Math.max(service.config.maxInputs, bodyLimitsOf(endpoint, service.config).files),
    uploadSemaphore: service.timing.measureWaits(service.uploadSemaphore),
    onFileStart(start, name) {
      const operation = endpoint.prewarmFor?.(start, name);
      if (operation) service.container?.prewarm(operation);
    },
  });
  return { ...form, fields: new Map([...form.fields].filter(([name]) => known.has(name))) };
}

/**
 * Runs the job and creates the response.
 * @param resources receives the time limit of the job, which applies until the response body is complete. This function
 *   disposes of the resources at the end of the response. If it throws, the caller must do so
 */
export async function runAndRespond(exchange: RequestState, resources: DisposableStack): Promise<HandledResponse> {
  try {
    const { sources, delivery, deliverTo, deliverAs } = await executeJob(exchange, resources);
    if (deliverTo !== undefined && delivery.kind === "arrival") {
      return await respondDelivered(exchange, sources, delivery, { address: deliverTo, how: deliverAs }, resources);
    }
    return await respond(exchange, sources, delivery, resources);
  } catch (error) {
    throw toEndpointError(error, exchange);
  }
}

/** Sends the stored output to the client's address, and deletes it. */
async function respondDelivered(
  exchange: RequestState,
  sources: readonly InputFile[],
  { file, name, type, lost }: Extract<OutputResult, { kind: "arrival" }>,
  { address, how }: { readonly address: string; readonly how: ParsedRequest["deliverAs"] },
  resources: DisposableStack,
): Promise<HandledResponse> {
  const { endpoint, service, form, outputs, signal, isTransient } = exchange;
  const output = await file.stored;
  await service.timing.measure("store", () =>
    deliver(toInput(output, service.store), address, { ...how?.(name), type }, { service, signal }),
  );
  await outputs.discard();
  if (isTransient) await form.uploads.discard();
  const inputIds = isTransient ? [] : await commitInputs(endpoint, form, sources);
  const results = { inputs: sources, inputIds, outputs: [output], lost };
  const response = Response.json(deliveredResponse(endpoint, results, address), { headers: noticeHeaders(lost) });
  resources.dispose();
  return { response };
}

async function respond(
  exchange: RequestState,
  sources: readonly InputFile[],
  delivery: OutputResult,
  resources: DisposableStack,
): Promise<HandledResponse> {
  const { service, signal, wishes, outputs } = exchange;
  const { uploads } = exchange.form;
  if (delivery.kind === "data") {
    const response = await service.timing.measure("store", () => respondWithData(exchange, sources, delivery));
    resources.dispose();
    return { response };
  }
  if (delivery.kind === "stored") {
    const response = await service.timing.measure("store", () => respondWithJson(exchange, sources, delivery));
    resources.dispose();
    return { response };
  }
  const completion = Promise.withResolvers<unknown>();
  const made = () => resources.dispose();
  const response = await respondWithFile(exchange, delivery, { ended: completion.resolve, made });
  if (delivery.kind !== "stream") signal.throwIfAborted();
  service.defer(async () => {
    const error = await completion.promise;
    if (error !== undefined) service.log("response aborted", { error: String(error) });
    resources.dispose();
    await Promise.all([uploads.discard(), ...(wishes.storesFile ? [] : [outputs.discard()])]);
  });
  if (!wishes.storesFile || delivery.kind !== "arrival") return { response };
  return { response, file: { id: (await delivery.file.stored).id, isOwn: !wishes.returnsId } };
}

async function respondWithData(
  { endpoint, wishes, form, signal }: RequestState,
  sources: readonly InputFile[],
  data: DataResult,
): Promise<Response> {
  const headers = { ...noticeHeaders(data.lost), "Cache-Control": "no-store" };
  if (wishes.formatForOne() === "file") {
    await form.uploads.discard();
    return new Response(data.bytes as Uint8Array<ArrayBuffer>, { headers: { ...headers, "Content-Type": data.type } });
  }
  const inputIds = await commitInputs(endpoint, form, sources);
  signal.throwIfAborted();
  return Response.json(dataResponse(endpoint, data, inputIds), { headers: noticeHeaders(data.lost) });
}

/**
 * Stores the uploaded files, unless they are transient.
 * @returns the IDs of the inputs, without those of the files of steps
 */
async function commitInputs(
  endpoint: Endpoint,
  { uploads }: Form,
  sources: readonly InputFile[],
): Promise<readonly string[]> {
  if (!keepsInputs(endpoint)) {
    await uploads.discard();
    return [];
  }
  await uploads.commit();
  return Promise.all(sources.filter(({ step }) => step === undefined).map(idOf));
}

async function respondWithJson(
  { endpoint, service, form, outputs, signal }: RequestState,
  sources: readonly InputFile[],
  { lost }: Extract<OutputResult, { kind: "stored" }>,
): Promise<Response> {
  const [stored, inputIds] = await Promise.all([outputs.commit(), commitInputs(endpoint, form, sources)]);
  signal.throwIfAborted();
  const results = { inputs: sources, inputIds, outputs: stored, lost };
  return Response.json(operationResponse(endpoint, results, service.baseUrl), { headers: noticeHeaders(lost) });
}

interface RespondOptions {
  /** Called when the client has read the whole body. If the client stops reading earlier, called with the reason. */
  ended(error?: unknown): void;
  /** Called when the job is complete. */
  made(): void;
}

async function respondWithFile(
  { service, wishes, signal, outputs }: RequestState,
  delivery: Exclude<OutputResult, { kind: "stored" | "data" }>,
  { ended: onEnd, made }: RespondOptions,
): Promise<Response> {
  const lost = delivery.kind === "stream" ? [] : delivery.lost;
  const headers = new Headers({ ...downloadHeaders(delivery), ...noticeHeaders(lost), "Cache-Control": "no-store" });
  if (delivery.kind === "stream") {
    const { store, overflowSemaphore } = service;
    const chunks = overflowing(delivery.body, { store, outputs, overflowSemaphore, signal, made });
    return new Response(toReadableStream(chunks, { signal, onEnd }), { headers });
  }
  if (delivery.kind === "whole") {
    onEnd();
    headers.set("Content-Length", String(delivery.bytes.length));
    return new Response(delivery.bytes as Uint8Array<ArrayBuffer>, { headers });
  }
  made();
  const { id, size } = await delivery.file.stored;
  // Only files that remain in storage count against the client's limit; `commit` counts them.
  if (wishes.storesFile) await outputs.commit();
  const opened = await service.store.open(id);
  if (!opened) throw new EngineFailure("crashed", "the response file is no longer stored");
  if (!wishes.storesFile) {
    return new Response(toReadableStream(chunksOf(opened.body), { signal, onEnd }), { headers });
  }
  onEnd();
  headers.set("Content-Length", String(size));
  if (wishes.returnsId) {
    headers.set("Output-Id", id);
    headers.set("Preference-Applied", "return=representation");
  }
  return new Response(opened.body, { headers });
}

/**
 * Maps an operation's error to the endpoint's error, which contains field names instead of parameter names. The error
 * of a step contains the names of that step's endpoint.
 */
export function toEndpointError(
  error: unknown,
  { endpoint, form, service }: Pick<RequestState, "endpoint" | "form" | "service">,
): unknown {
  const { step } = error instanceof EngineFailure || error instanceof OutOfRange ? error : {};
  const failed = step === undefined ? undefined : endpoint.endpointOfStep?.(form, step);
  if (step === undefined || !failed) return mapError(error, endpoint, service);
  const mapped = mapError(error, failed, service);
  const answer = toServiceError(mapped);
  return answer.status < 500 ? answer.inStep(step, failed.path) : mapped;
}

function mapError(error: unknown, endpoint: Endpoint, { log }: Pick<RequestServices, "log">): unknown {
  if (error instanceof OutOfRange) return inWordsOfApi(error, endpoint);
  const answered = error instanceof EngineFailure ? endpoint.failures?.[error.reason]?.(error) : undefined;
  if (answered) log("request failed", { status: answered.status, error: String(error) });
  return answered ?? error;
}
