// Accepts requests whose client does not wait for the answer (docs/api.md#asynchronous-jobs): receives and checks them,
// and leaves the work to the queue.

import { StorageFull } from "../core/failure.ts";
import type { Webhook } from "../core/jobs.ts";
import { attempts } from "../placement/placement.ts";
import { uuidOf } from "../storage/derived-ids.ts";
import type { FileMarks } from "../storage/marks.ts";
import { refuseNumbers } from "./address-gate.ts";
import { TOKEN_FIELD } from "./auth.ts";
import { deferredForm } from "./deferred-form.ts";
import type { Endpoint, QueuedService } from "./endpoint.ts";
import { busy } from "./errors.ts";
import { type Addressed, addressOf } from "./fetched.ts";
import type { Form } from "./form.ts";
import { type Claimed, contentOf, onlyOnce, REPLAYED_FIELD } from "./idempotency.ts";
import { KEY_FIELD } from "./negotiation.ts";
import { defaults, receive, worded } from "./pipeline.ts";
import type { Manner } from "./preferences.ts";
import type { Later, Route } from "./route.ts";
import { locateSources, toInput } from "./sources.ts";
import { withStoredFields } from "./stored-fields.ts";
import { webhookOf } from "./webhooks.ts";

/** Accepts a request to an endpoint. Everything that can be checked without opening a document is checked. */
export async function acceptRequest(
  endpoint: Endpoint,
  request: Request,
  service: QueuedService,
  manner: Manner,
): Promise<Response> {
  const webhook = await webhookOf(request, service);
  using keeping = service.kept.open();
  using waiting = service.waiting.open();
  using held = service.bodies.open();
  const { signal } = request;
  const form = await receive(endpoint, request, { service, isTransient: false, keeping, waiting, held, signal });
  const { path, source } = endpoint;
  const isOrdered = source.kind === "several" && source.orderedBy === undefined;
  const isTransient = source.kind === "text";
  return accept(form, service, {
    ...{ path, signal, manner, webhook, isOrdered, isTransient },
    check: () => check(endpoint, form, signal, service),
  });
}

interface Accepting {
  readonly path: string;
  readonly manner: Manner;
  readonly webhook: Webhook | undefined;
  readonly signal: AbortSignal;
  /** See {@link contentOf}. */
  readonly isOrdered: boolean;
  /** True if the files that were sent are removed after the job in any case. */
  readonly isTransient: boolean;
  check(): Promise<void>;
}

/** Leaves the work of a request whose body has been read to the queue. */
async function accept(
  form: Form,
  service: QueuedService,
  { path, manner, webhook, signal, isOrdered, isTransient, check }: Accepting,
): Promise<Response> {
  const { uploads } = form;
  let id: string = crypto.randomUUID();
  let isEnqueued = false;
  const undo = async () => {
    // If the queue cannot be reached, the job fails for want of its files.
    if (isEnqueued) await service.jobs((queue) => queue.cancel(id)).catch(() => {});
    await uploads.discard();
  };
  try {
    return await onlyOnce(service, {
      content: [path, contentOf(form, isOrdered), ...laterAs({ manner, webhook })],
      ...{ signal, undo },
      async carryOut(claimed) {
        const accepted = await acceptedOf(claimed, service);
        if (accepted !== undefined) {
          await uploads.discard();
          return { response: acceptance(accepted, manner, service.baseUrl) };
        }
        id = claimed?.holder ?? id;
        await check();
        const inputs = (await service.timing.during("store", () => uploads.settle())).map((file) => file.id);
        signal.throwIfAborted();
        const { baseUrl, client } = service;
        const marks = service.marks();
        const job = {
          ...{ id, path, baseUrl, client, ...tokenOf(marks) },
          form: await deferredForm(form, { marks, account: service.account, trace: service.trace }),
          ...(webhook ? { webhook } : {}),
        };
        isEnqueued = true;
        const isAccepted = await ask(service, (queue) => queue.enqueue({ ...job, inputs, isTransient }));
        if (!isAccepted) throw busy(RETRY_WHEN_FULL_SECONDS);
        return { response: acceptance(id, manner, service.baseUrl) };
      },
    });
  } catch (error) {
    await undo();
    throw error;
  }
}

/** Returns the id under which a request was accepted that was lost before its answer was kept. */
async function acceptedOf(claimed: Claimed | undefined, service: QueuedService): Promise<string | undefined> {
  for (const id of claimed?.lost ?? []) if (await ask(service, (queue) => queue.status(id))) return id;
  return undefined;
}

/**
 * Accepts a request to a route. One without work beyond receiving is carried out at once, and its answer is kept for
 * the client.
 */
export async function acceptRoute(
  route: Route,
  request: Request,
  service: QueuedService,
  manner: Manner,
): Promise<Response> {
  const { later, path } = route;
  const webhook = await webhookOf(request, service);
  if (later?.isFor(request.headers)) return acceptForm(path, later, request, service, { manner, webhook });
  const answered = await route.serve(request, service, laterAs({ manner, webhook }));
  const answer = await answered.text();
  const id = idOfAnswer(request.headers, service, answer);
  const { baseUrl, client } = service;
  const inputs = ((JSON.parse(answer) as { files?: { id: string }[] }).files ?? []).map((file) => file.id);
  const job = { id, path, form: "", baseUrl, client, ...tokenOf(service.marks()), inputs, isTransient: false };
  await ask(service, (queue) => queue.record({ ...job, ...(webhook ? { webhook } : {}) }, answer));
  const accepted = acceptance(id, manner, baseUrl);
  for (const name of [REPLAYED_FIELD, TOKEN_FIELD]) {
    const value = answered.headers.get(name);
    if (value !== null) accepted.headers.set(name, value);
  }
  return accepted;
}

async function acceptForm(
  path: string,
  later: Later,
  request: Request,
  service: QueuedService,
  asked: Pick<Accepting, "manner" | "webhook">,
): Promise<Response> {
  using keeping = service.kept.open();
  using waiting = service.waiting.open();
  using held = service.bodies.open();
  const { signal } = request;
  const form = await later.receive(request, service, { keeping, waiting, held, signal });
  const check = () => later.check(form, signal, service);
  return accept(form, service, { path, signal, ...asked, isOrdered: false, isTransient: false, check });
}

/** Returns the id of a request that has been answered: the same for its repetitions, and secret as the answer is. */
function idOfAnswer(headers: Headers, { client }: QueuedService, answer: string): string {
  const key = headers.get(KEY_FIELD);
  return key === null ? crypto.randomUUID() : uuidOf(JSON.stringify([client, key, answer]), 0);
}

/** Returns what else makes a request another one if it changes. */
const laterAs = ({ manner, webhook }: Pick<Accepting, "manner" | "webhook">): readonly string[] =>
  webhook ? [manner, webhook.url] : [manner];

const tokenOf = ({ token }: FileMarks) => (token === undefined ? {} : { token });

const RETRY_WHEN_FULL_SECONDS = 60;

async function check(endpoint: Endpoint, form: Form, signal: AbortSignal, service: QueuedService): Promise<void> {
  const { store, config } = service;
  const awaited: Addressed[] = [];
  const sources = await locateSources(endpoint.source, form, {
    ...{ store, maxInputs: config.maxInputs },
    async receive(addressed) {
      addressOf(addressed);
      awaited.push(addressed);
      return undefined;
    },
  });
  // The name of a file that is yet to be fetched is not known.
  const named = sources.length > 0 ? sources : [{ name: "file" }];
  const bound = endpoint.bind(await withStoredFields(endpoint, form, store), defaults(endpoint, form, config, named));
  try {
    const inputs = awaited.length === 0 ? sources.map((source) => toInput(source, store)) : [];
    attempts(await bound.prepare(inputs), inputs, service);
  } catch (error) {
    throw worded(error, endpoint, service);
  }
  await refuseNumbers(awaited, signal, service);
}

async function ask<T>(service: QueuedService, question: Parameters<typeof service.jobs<T>>[0]): Promise<T> {
  try {
    return await service.jobs(question);
  } catch (error) {
    if (error instanceof StorageFull) throw error;
    service.log("job queue not reached", { error: String(error) });
    throw busy();
  }
}

function acceptance(requestId: string, manner: Manner, baseUrl: string): Response {
  if (manner === "requestId") return Response.json({ requestId });
  const headers = {
    Location: `${new URL(baseUrl).pathname.replace(/\/$/, "")}/request-status/${requestId}`,
    "Retry-After": "1",
    "Preference-Applied": "respond-async",
  };
  return Response.json({ requestId }, { status: 202, headers });
}
