// Accepts asynchronous requests (docs/api.md#asynchronous-jobs): receives and checks them, then queues their jobs.

import { StorageFull } from "../../../document/contract/failure.ts";
import { selectBackends } from "../../placement/placement.ts";
import type { Webhook } from "../../ports/jobs.ts";
import { uuidOf } from "../../storage/derived-ids.ts";
import type { FilePolicy } from "../../storage/file-policy.ts";
import { DELETE_TOKEN_HEADER } from "../clients/auth.ts";
import type { AsyncServices, Endpoint } from "../contract/endpoint.ts";
import { busy } from "../contract/errors.ts";
import type { Form } from "../contract/form.ts";
import type { DeferredHandler, Route } from "../contract/route.ts";
import {
  type ClaimGrant,
  fingerprintContent,
  REPLAYED_HEADER,
  runIdempotent,
  saltOf,
} from "../pipeline/idempotency.ts";
import {
  defaultOutputName,
  isOrdered,
  keepsInputs,
  readEndpointForm,
  secretsOf,
  toEndpointError,
} from "../pipeline/pipeline.ts";
import { rejectBlockedIpLiterals } from "../requests/address-check.ts";
import { resolveInputs, toInput } from "../requests/inputs.ts";
import { withStoredFields } from "../requests/stored-fields.ts";
import { requireWebUrl, type UrlInput } from "../requests/url-inputs.ts";
import { IDEMPOTENCY_KEY_HEADER } from "../responses/negotiation.ts";
import type { AsyncMode } from "../responses/preferences.ts";
import { serializeForm } from "./deferred-form.ts";
import { parseWebhook } from "./webhooks.ts";

/** Accepts a request to an endpoint. Runs all checks that do not need to open a document. */
export async function acceptRequest(
  endpoint: Endpoint,
  request: Request,
  service: AsyncServices,
  manner: AsyncMode,
): Promise<Response> {
  const webhook = await parseWebhook(request, service);
  using uploadReservation = service.uploadQuota.openReservation();
  using batchReservation = service.bufferQuota.openReservation();
  using bodyReservation = service.bodies.openReservation();
  const { signal } = request;
  const form = await readEndpointForm(endpoint, request, {
    service,
    isTransient: false,
    uploadReservation,
    batchReservation,
    bodyReservation,
    signal,
  });
  return accept(form, service, {
    ...{ path: endpoint.path, signal, manner, webhook },
    ...{ isOrdered: isOrdered(endpoint), isTransient: !keepsInputs(endpoint) },
    ...{ secrets: secretsOf(endpoint), salt: saltOf(request.headers) },
    check: () => check(endpoint, form, signal, service),
  });
}

interface Accepting {
  readonly path: string;
  readonly manner: AsyncMode;
  readonly webhook: Webhook | undefined;
  readonly signal: AbortSignal;
  /** See {@link fingerprintContent}. */
  readonly isOrdered: boolean;
  /** True if the uploaded files are deleted after the job, with any outcome. */
  readonly isTransient: boolean;
  /** Names of the secret fields. */
  readonly secrets: ReadonlySet<string>;
  readonly salt: string;
  check(): Promise<void>;
}

/** Queues the job of a request whose body has been read. */
async function accept(
  form: Form,
  service: AsyncServices,
  { path, manner, webhook, signal, isOrdered, isTransient, secrets, salt, check }: Accepting,
): Promise<Response> {
  const { uploads } = form;
  let id: string = crypto.randomUUID();
  let isEnqueued = false;
  const rollback = async () => {
    // If the queue is unreachable and stored the job, the job fails because its files are deleted.
    if (isEnqueued) await service.jobs((queue) => queue.cancel(id)).catch(() => {});
    await uploads.discard();
  };
  try {
    return await runIdempotent(service, {
      content: [path, fingerprintContent(form, { isOrdered, secrets, salt }), ...fingerprintParts({ manner, webhook })],
      ...{ signal, rollback },
      async run(claimed) {
        const accepted = await findAcceptedJob(claimed, service);
        if (accepted !== undefined) {
          await uploads.discard();
          return { response: acceptance(accepted, manner, service.baseUrl) };
        }
        id = claimed?.holder ?? id;
        await check();
        const inputs = (await service.timing.measure("store", () => uploads.commit())).map((file) => file.id);
        signal.throwIfAborted();
        const { baseUrl, client } = service;
        const marks = service.marks();
        const job = {
          ...{ id, path, baseUrl, client, ...tokenOf(marks) },
          form: await serializeForm(form, { marks, account: service.account, trace: service.trace }, secrets, {
            ...service,
            id,
          }),
          ...(webhook ? { webhook } : {}),
        };
        isEnqueued = true;
        const isAccepted = await ask(service, (queue) => queue.enqueue({ ...job, inputs, isTransient }));
        if (!isAccepted) throw busy(RETRY_WHEN_FULL_SECONDS);
        return { response: acceptance(id, manner, service.baseUrl) };
      },
    });
  } catch (error) {
    await rollback();
    throw error;
  }
}

/** Returns the ID of a request that was accepted, but lost before its response was stored. */
async function findAcceptedJob(claimed: ClaimGrant | undefined, service: AsyncServices): Promise<string | undefined> {
  for (const id of claimed?.lost ?? []) if (await ask(service, (queue) => queue.status(id))) return id;
  return undefined;
}

/**
 * Accepts a request to a route. Runs a request without deferred work immediately, and stores its response for the
 * client.
 */
export async function acceptRoute(
  route: Route,
  request: Request,
  service: AsyncServices,
  manner: AsyncMode,
): Promise<Response> {
  const { deferred, path } = route;
  const webhook = await parseWebhook(request, service);
  if (deferred?.applies(request.headers)) return acceptForm(path, deferred, request, service, { manner, webhook });
  const answered = await route.serve(request, service, fingerprintParts({ manner, webhook }));
  const answer = await answered.text();
  const id = idOfResponse(request.headers, service, answer);
  const { baseUrl, client } = service;
  const inputs = ((JSON.parse(answer) as { files?: { id: string }[] }).files ?? []).map((file) => file.id);
  const job = { id, path, form: "", baseUrl, client, ...tokenOf(service.marks()), inputs, isTransient: false };
  await ask(service, (queue) => queue.record({ ...job, ...(webhook ? { webhook } : {}) }, answer));
  const accepted = acceptance(id, manner, baseUrl);
  for (const name of [REPLAYED_HEADER, DELETE_TOKEN_HEADER]) {
    const value = answered.headers.get(name);
    if (value !== null) accepted.headers.set(name, value);
  }
  return accepted;
}

async function acceptForm(
  path: string,
  later: DeferredHandler,
  request: Request,
  service: AsyncServices,
  preferences: Pick<Accepting, "manner" | "webhook">,
): Promise<Response> {
  using uploadReservation = service.uploadQuota.openReservation();
  using batchReservation = service.bufferQuota.openReservation();
  using bodyReservation = service.bodies.openReservation();
  const { signal } = request;
  const form = await later.receive(request, service, { uploadReservation, batchReservation, bodyReservation, signal });
  const check = () => later.check(form, signal, service);
  const nothingSpecial = { isOrdered: false, isTransient: false, secrets: new Set<string>(), salt: "" };
  return accept(form, service, { path, signal, ...preferences, ...nothingSpecial, check });
}

/** Returns the ID of a completed request: equal for its retries, and as secret as the response. */
function idOfResponse(headers: Headers, { client }: AsyncServices, answer: string): string {
  const key = headers.get(IDEMPOTENCY_KEY_HEADER);
  return key === null ? crypto.randomUUID() : uuidOf(JSON.stringify([client, key, answer]), 0);
}

/** Returns the additional values that identify a request for idempotency. */
const fingerprintParts = ({ manner, webhook }: Pick<Accepting, "manner" | "webhook">): readonly string[] =>
  webhook ? [manner, webhook.url] : [manner];

const tokenOf = ({ token }: FilePolicy) => (token === undefined ? {} : { token });

const RETRY_WHEN_FULL_SECONDS = 60;

async function check(endpoint: Endpoint, form: Form, signal: AbortSignal, service: AsyncServices): Promise<void> {
  const { store, config } = service;
  const awaited: UrlInput[] = [];
  const sources = await resolveInputs(endpoint.inputs, form, {
    ...{ store, maxInputs: config.maxInputs },
    async receive(addressed) {
      requireWebUrl(addressed);
      awaited.push(addressed);
      return undefined;
    },
  });
  // The name of a file is unknown before it is fetched.
  const named = awaited.length > 0 && sources.length === 0 ? [{ name: "file" }] : sources;
  const bound = endpoint.parse(
    await withStoredFields(endpoint, form, store),
    defaultOutputName(endpoint, form, config, named),
  );
  try {
    const inputs = awaited.length === 0 ? sources.map((source) => toInput(source, store)) : [];
    selectBackends(await bound.prepare(inputs), inputs, service);
  } catch (error) {
    throw toEndpointError(error, endpoint, service);
  }
  await rejectBlockedIpLiterals(awaited, signal, service);
}

async function ask<T>(service: AsyncServices, question: Parameters<typeof service.jobs<T>>[0]): Promise<T> {
  try {
    return await service.jobs(question);
  } catch (error) {
    if (error instanceof StorageFull) throw error;
    service.log("job queue unavailable", { error: String(error) });
    throw busy();
  }
}

function acceptance(requestId: string, manner: AsyncMode, baseUrl: string): Response {
  if (manner === "requestId") return Response.json({ requestId });
  const headers = {
    Location: `${new URL(baseUrl).pathname.replace(/\/$/, "")}/request-status/${requestId}`,
    "Retry-After": "1",
    "Preference-Applied": "respond-async",
  };
  return Response.json({ requestId }, { status: 202, headers });
}
