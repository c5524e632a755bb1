// Accepts asynchronous requests (docs/api.md#asynchronous-jobs): reads the body, checks the fields, and queues the job.

import { StorageFull } from "../../../document/contract/failure.ts";
import { LIMITS } from "../../../document/contract/limits.ts";
import { delay } from "../../../runtime/delay.ts";
import { throughOutage } from "../../jobs/through-outage.ts";
import type { NewJob, Webhook } from "../../ports/jobs.ts";
import { RegionLost } from "../../regions/region-errors.ts";
import { uuidOf } from "../../storage/derived-ids.ts";
import type { FilePolicy } from "../../storage/file-policy.ts";
import { reserveMemory } from "../../storage/memory-quota.ts";
import { DELETE_TOKEN_HEADER } from "../clients/auth.ts";
import type { AsyncServices } from "../contract/endpoint.ts";
import { busy, ServiceError } from "../contract/errors.ts";
import type { Form } from "../contract/form.ts";
import type { DeferredHandler, Post } from "../contract/route.ts";
import { fingerprintContent, REPLAYED_HEADER, runIdempotent, saltOf } from "../pipeline/idempotency.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../responses/negotiation.ts";
import { type AsyncMode, parseWaitMs } from "../responses/preferences.ts";
import { serializeForm } from "./deferred-form.ts";
import { parseWebhook } from "./webhooks.ts";

/** Preferences in the request headers: the kind of response, and a webhook. */
interface Preferences {
  readonly mode: AsyncMode;
  readonly webhook: Webhook | undefined;
}

/**
 * Accepts a request. If the request has no job (for example `/delete`), runs it immediately, and stores the response,
 * which the client then reads from the status.
 */
export async function acceptRequest(
  post: Post,
  request: Request,
  service: AsyncServices,
  mode: AsyncMode,
): Promise<Response> {
  const preferences = { mode, webhook: await parseWebhook(request, service) };
  const accepted = await accept(post, request, service, preferences);
  const waitMs = mode === "respond-async" ? parseWaitMs(request.headers) : 0;
  return waitMs > 0 ? responseWithin(waitMs, accepted, request.signal, service) : accepted;
}

async function accept(post: Post, request: Request, service: AsyncServices, preferences: Preferences) {
  const { deferred, path } = post;
  if (!deferred?.applies(request.headers)) return recordResponse(post, request, service, preferences);
  using memory = reserveMemory(service);
  const form = await deferred.receive(request, service, { ...memory, signal: request.signal });
  return queueForm(form, request, service, { ...preferences, deferred, path });
}

/**
 * Waits for the job of an accepted request, on whichever host it runs.
 * @returns the acceptance if the job takes longer
 * @throws ServiceError the error of the job
 */
async function responseWithin(waitMs: number, accepted: Response, signal: AbortSignal, service: AsyncServices) {
  const { requestId } = (await accepted.clone().json()) as { readonly requestId: string };
  const until = Date.now() + Math.min(waitMs, LIMITS.asyncWaitMs);
  for (let pauseMs = FIRST_PAUSE_MS; Date.now() < until; pauseMs = Math.min(2 * pauseMs, LIMITS.statusPollMs)) {
    await delay(Math.min(pauseMs, until - Date.now()), signal);
    // While the queue is unavailable, the client waits, because its request has been accepted.
    const status = await ask(service, (queue) => queue.status(requestId)).catch(() => undefined);
    if (status?.status === "failed") throw new ServiceError(status.errorStatus, status.error);
    if (status?.status !== "completed") continue;
    const headers = new Headers(accepted.headers);
    for (const name of ["Location", "Retry-After"]) headers.delete(name);
    headers.set("Preference-Applied", "wait");
    return new Response(status.answer, { headers });
  }
  return accepted;
}

/**
 * Queues the job of a synchronous request for which this host has no capacity, and waits for it until the time that the
 * client has stated (`Prefer: wait`, RFC 7240, 4.3) has passed since the request was received.
 * @throws ServiceError the error of the job; 503 if the job takes longer, and is canceled
 */
export async function runQueued(
  form: Form,
  { headers, signal }: Request,
  service: AsyncServices,
  { deferred, path, receivedMs }: Pick<FormJob, "deferred" | "path"> & { readonly receivedMs: number },
): Promise<Response> {
  const until = receivedMs + Math.min(parseWaitMs(headers), LIMITS.asyncWaitMs);
  if (until <= Date.now()) throw busy();
  const id = service.store.taggedId();
  const secrets = deferred.secrets?.(form) ?? new Set<string>();
  if (!service.sealer && [...form.fields].some(([name, values]) => secrets.has(name) && values.length > 0))
    throw busy();
  const preferences = { mode: "respond-async", webhook: undefined } as const;
  const cancel = await enqueueForm(form, { id, path, deferred, secrets, ...preferences }, service, { signal });
  try {
    const accepted = acceptance(id, preferences, service);
    const response = await responseWithin(until - Date.now(), accepted, signal, service);
    if (response !== accepted) return response;
    throw busy();
  } catch (error) {
    await cancel();
    throw error;
  }
}

/** Queues the job of a request whose body has been read. */
async function queueForm(
  sent: Form,
  { headers, signal }: Request,
  service: AsyncServices,
  { deferred, path, ...preferences }: Preferences & Pick<Post, "path"> & { readonly deferred: DeferredHandler },
): Promise<Response> {
  const { ordered = new Set<string>() } = deferred;
  const secrets = deferred.secrets?.(sent) ?? new Set<string>();
  const { uploads } = sent;
  let mightRun = false;
  const fingerprint = fingerprintContent(sent, { ordered, secrets, salt: saltOf(headers) });
  return runIdempotent(service, {
    ...{ content: [path, fingerprint, ...fingerprintParts(preferences)], signal },
    rollback: async () => (mightRun ? undefined : uploads.discard()),
    async run({ holder: id, lost }) {
      const accepted = await findAcceptedJob(lost, service);
      if (accepted !== undefined) {
        await uploads.discard();
        return { response: acceptance(accepted, preferences, service) };
      }
      const form = (await deferred.takeSecretFiles?.(sent, service)) ?? sent;
      await deferred.check(form, signal, service);
      const job = { id, path, deferred, secrets, ...preferences };
      const cancel = await enqueueForm(form, job, service, {
        signal,
        onSend() {
          mightRun = true;
        },
        onCancel() {
          mightRun = false;
        },
      });
      return { cancel, response: acceptance(id, preferences, service) };
    },
  });
}

/** A job for the queue, except for the form that it contains. */
interface FormJob extends Preferences, Pick<Post, "path"> {
  readonly id: string;
  readonly deferred: DeferredHandler;
  /** Names of the secret fields of the form. */
  readonly secrets: ReadonlySet<string>;
}

interface QueuingOptions {
  readonly signal: AbortSignal;
  /** Called before the job is sent to the queue. */
  onSend?(): void;
  /** Called when the job is certainly not in the queue. */
  onCancel?(): void;
}

/** @returns a function that cancels the job */
async function enqueueForm(
  form: Form,
  { id, path, deferred, secrets, ...preferences }: FormJob,
  service: AsyncServices,
  { signal, onSend, onCancel }: QueuingOptions,
): Promise<() => Promise<void>> {
  const inputs = (await service.timing.measure("store", () => form.uploads.commit())).map((file) => file.id);
  signal.throwIfAborted();
  const marks = service.marks();
  const client = { marks, account: service.account, trace: service.trace };
  const text = await serializeForm(form, client, secrets, { id, sealer: service.sealer });
  const isTransient = deferred.isTransient ?? false;
  const job = jobOf({ id, path, form: text, inputs, isTransient }, service, marks, preferences);
  onSend?.();
  return enqueue(job, service, () => onCancel?.());
}

/**
 * @param canceled called when the job is certainly not in the queue. If the queue has stored it but is now unreachable,
 *   the job runs, and a retry of the request finds it
 * @returns a function that cancels the job
 */
async function enqueue(job: NewJob, service: AsyncServices, canceled: () => void): Promise<() => Promise<void>> {
  const cancel = () => service.jobs((queue) => queue.cancel(job.id)).then(canceled, () => {});
  try {
    if (await ask(service, (queue) => queue.enqueue(job))) return cancel;
    throw busy(RETRY_WHEN_FULL_SECONDS);
  } catch (error) {
    await cancel();
    throw error;
  }
}

/**
 * Returns the job ID of an earlier run of this request whose job was queued, but which was lost before its response was
 * stored.
 */
async function findAcceptedJob(lost: readonly string[], service: AsyncServices): Promise<string | undefined> {
  for (const id of lost) if (await ask(service, (queue) => queue.status(id))) return id;
  return undefined;
}

/** Runs a request synchronously, and stores its response in the queue. */
async function recordResponse(
  { path, serve }: Post,
  request: Request,
  service: AsyncServices,
  preferences: Preferences,
): Promise<Response> {
  const answered = await serve(request, service, fingerprintParts(preferences));
  const answer = await answered.text();
  const id = idOfResponse(request.headers, service, answer);
  const inputs = ((JSON.parse(answer) as { files?: { id: string }[] }).files ?? []).map((file) => file.id);
  const job = jobOf({ id, path, form: "", inputs, isTransient: false }, service, service.marks(), preferences);
  await ask(service, (queue) => queue.record(job, answer));
  const accepted = acceptance(id, preferences, service);
  for (const name of [REPLAYED_HEADER, DELETE_TOKEN_HEADER]) {
    const value = answered.headers.get(name);
    if (value !== null) accepted.headers.set(name, value);
  }
  return accepted;
}

const jobOf = (
  job: Pick<NewJob, "id" | "path" | "form" | "inputs" | "isTransient">,
  { baseUrl, client }: AsyncServices,
  { token }: FilePolicy,
  { webhook }: Preferences,
): NewJob => ({
  ...{ ...job, baseUrl, client },
  ...(token === undefined ? {} : { token }),
  ...(webhook ? { webhook } : {}),
});

/**
 * Returns the ID of a completed request. Its retries get the same ID. The ID cannot be guessed without the response.
 */
function idOfResponse(headers: Headers, { client, store }: AsyncServices, answer: string): string {
  const key = headers.get(IDEMPOTENCY_KEY_HEADER);
  return key === null ? store.taggedId() : store.taggedId(uuidOf(JSON.stringify([client, key, answer]), 0));
}

/** Returns the additional values that identify a request for idempotency. */
const fingerprintParts = ({ mode, webhook }: Preferences): readonly string[] =>
  webhook ? [mode, webhook.url] : [mode];

const RETRY_WHEN_FULL_SECONDS = 60;
const FIRST_PAUSE_MS = 50;

async function ask<T>(service: AsyncServices, question: Parameters<typeof service.jobs<T>>[0]): Promise<T> {
  try {
    return await throughOutage(LIMITS.databaseAnswerMs, () => service.jobs(question));
  } catch (error) {
    if (error instanceof StorageFull || error instanceof RegionLost) throw error;
    service.log("job queue unavailable", { error: String(error) });
    throw busy();
  }
}

function acceptance(requestId: string, { mode }: Preferences, { baseUrl }: AsyncServices): Response {
  if (mode === "requestId") return Response.json({ requestId });
  const headers = {
    Location: `${new URL(baseUrl).pathname.replace(/\/$/, "")}/request-status/${requestId}`,
    "Retry-After": "1",
    "Preference-Applied": "respond-async",
  };
  return Response.json({ requestId }, { status: 202, headers });
}
