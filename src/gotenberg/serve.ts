// Carries out a request to a route of Gotenberg: reads the form, plans our own steps, and runs them like a request to
// /steps.

import { isUtf8 } from "node:buffer";
import { safeName, stem } from "../document/contract/file-name.ts";
import { LIMITS } from "../document/contract/limits.ts";
import type { Input } from "../document/contract/operation.ts";
import { endpoints } from "../endpoints/index.ts";
import { pdfInfo } from "../endpoints/pdf-info.ts";
import { STEP_FILES } from "../endpoints/steps/step-form.ts";
import { stepsEndpoint } from "../endpoints/steps/steps.ts";
import { readWhole } from "../operations/in-memory.ts";
import { bodyLimitsOf, requireSize } from "../service/http/contract/body-size.ts";
import { offersOf } from "../service/http/contract/declaration/output-declaration.ts";
import { type Endpoint, type RequestServices, uploadLimit } from "../service/http/contract/endpoint.ts";
import { outOfScope, ServiceError } from "../service/http/contract/errors.ts";
import type { Form } from "../service/http/contract/form.ts";
import { handleForm, type Receiving } from "../service/http/pipeline/pipeline.ts";
import { toInput } from "../service/http/requests/inputs.ts";
import { readForm } from "../service/http/requests/read-form.ts";
import { IDEMPOTENCY_KEY_HEADER, negotiate } from "../service/http/responses/negotiation.ts";
import { needsMoreMemory, selectBackends } from "../service/placement/placement.ts";
import { reserveMemory } from "../service/storage/memory-quota.ts";
import { withDownloads } from "./downloads.ts";
import { exifEntries, QUESTIONS } from "./metadata.ts";
import { PAGE_ENDPOINTS } from "./page-endpoints.ts";
import { ForeignForm, type Plan, type StepBody } from "./plan.ts";
import type { ForeignRoute } from "./routes.ts";
import { checkWebhook, deliveryOf, report, webhookIn } from "./webhooks.ts";

const isReplaced = (endpoint: Endpoint) => PAGE_ENDPOINTS.some(({ path }) => path === endpoint.path);
const STEPS = stepsEndpoint([...PAGE_ENDPOINTS, ...endpoints.filter((endpoint) => !isReplaced(endpoint))]);

/** A step that changes nothing. */
const COPYING: StepBody = { "split-pdf": { pages: ["1-last"] } };
const ACCEPTED = "application/pdf, image/*, application/zip";

export interface ForeignRequest {
  readonly route: ForeignRoute;
  readonly request: Request;
  /** The value of the header Gotenberg-Trace. */
  readonly trace: string;
  waitUntil(work: Promise<unknown>): void;
}

/** @throws ServiceError */
export async function serveForeign(foreign: ForeignRequest, service: RequestServices): Promise<Response> {
  const { request, route, trace, waitUntil } = foreign;
  requireForm(request.headers);
  requireSize(request.headers, bodyLimitsOf(STEPS, service.config));
  const webhook = webhookIn(request.headers, trace);
  if (route.reads && webhook) throw new ServiceError(400, "The webhook can only be used with routes that return files");
  if (route.reads) return readMetadata(foreign, service);
  if (!webhook) return run(foreign, service);
  await checkWebhook(webhook, request.signal, service);
  const received = Promise.withResolvers<void>();
  // The job goes on after the response, so it must not end with the connection.
  const { method, headers, body } = request;
  const detached = new Request(request.url, { method, headers, body, duplex: "half" } as RequestInit);
  const done = run({ ...foreign, request: detached }, service, { webhook, received: received.resolve });
  await Promise.race([received.promise, done]);
  waitUntil(
    done
      .then(
        () => undefined,
        (error: unknown) => error,
      )
      .then((error) => report(webhook, error, service)),
  );
  return new Response(null, { status: 204 });
}

/** @throws ServiceError 415 */
function requireForm(headers: Headers): void {
  const type = headers.get("Content-Type") ?? "";
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new ServiceError(415, "Invalid 'Content-Type' header value: want 'multipart/form-data'");
  }
  if (!/;\s*boundary=/i.test(type)) throw new ServiceError(415, "Invalid 'Content-Type' header value: no boundary");
}

interface Later {
  readonly webhook: NonNullable<ReturnType<typeof webhookIn>>;
  /** Called when the body has arrived. */
  received(): void;
}

async function run({ route, request }: ForeignRequest, service: RequestServices, later?: Later): Promise<Response> {
  const { headers } = request;
  let plan: Plan | undefined;
  const endpoint: Endpoint = {
    ...STEPS,
    parse(form, defaults, steps) {
      const { nameOf } = plan!;
      return {
        ...STEPS.parse(form, defaults, steps),
        ...(nameOf ? { nameOf } : {}),
        ...(later ? { deliverTo: later.webhook.url, deliverAs: deliveryOf(later.webhook) } : {}),
      };
    },
  };
  const key = headers.get(IDEMPOTENCY_KEY_HEADER);
  const asked = new Headers({ Accept: ACCEPTED, ...(key === null ? {} : { [IDEMPOTENCY_KEY_HEADER]: key }) });
  const wishes = negotiate(asked, offersOf(endpoint.output));
  const read = async (receiving: Receiving) => {
    const received = await receive(route, request, receiving);
    later?.received();
    plan = received.plan;
    return formOf(plan, received.form, safeName(utf8In(headers.get("Gotenberg-Output-Filename") ?? "")));
  };
  return handleForm({ endpoint, wishes, read }, request, service);
}

async function receive(route: ForeignRoute, request: Request, receiving: Receiving) {
  const { service, ...others } = receiving;
  const maxFileBytes = uploadLimit(STEPS, service.config);
  const form = await readForm(request, {
    ...{ ...others, store: service.store, takesEveryFile: true, maxFileBytes },
    maxFiles: service.config.maxInputs,
    uploadSemaphore: service.timing.measureWaits(service.uploadSemaphore),
  });
  try {
    const decode = async (file: Parameters<typeof toInput>[0]) =>
      new TextDecoder().decode(await toInput(file, service.store).bytes());
    const complete = new ForeignForm(await withDownloads(form, { ...receiving, maxBytes: maxFileBytes }), decode);
    const plan = await route.plan(complete);
    complete.errors.check();
    return { form, plan };
  } catch (error) {
    await form.uploads.discard();
    throw error;
  }
}

/** Clients write names in UTF-8, whose bytes Node returns as Latin-1. */
function utf8In(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return bytes.toString("latin1") === header && isUtf8(bytes) ? bytes.toString() : header;
}

/** Returns the form for /steps. */
function formOf({ documents, url, steps, further = [] }: Plan, { uploads }: Form, outputName: string): Form {
  const name = outputName || stem(documents[0]?.name ?? "page");
  return {
    fields: new Map([
      ["steps", [JSON.stringify(steps.length === 0 ? [COPYING] : steps)]],
      ["output", [name]],
      ...(url === undefined ? [] : [["url", [url]] as const]),
    ]),
    files: new Map([
      ...(documents.length > 0 ? [["file", documents] as const] : []),
      ...(further.length > 0 ? [[STEP_FILES, further] as const] : []),
    ]),
    order: [...documents.map(() => "file"), ...(url === undefined ? [] : ["url"]), ...further.map(() => STEP_FILES)],
    ...{ uploads, encoding: "multipart" },
  };
}

/** Responds with the metadata of the documents, by their names. */
async function readMetadata({ route, request }: ForeignRequest, service: RequestServices): Promise<Response> {
  const { caller, config, store } = service;
  if (caller && !caller.mayUse(pdfInfo.path.slice(1))) throw outOfScope();
  const signal = AbortSignal.any([request.signal, AbortSignal.timeout(LIMITS.requestJobMs)]);
  using memory = reserveMemory(service);
  const { form, plan } = await receive(route, request, { ...memory, service, isTransient: true, signal });
  const about: Record<string, unknown> = {};
  try {
    for (const document of plan.documents) {
      const input = toInput(document, store);
      const parsed = pdfInfo.parse({ fields: new Map([["queries", [QUESTIONS]]]) }, { output: "metadata" });
      const job = await parsed.prepare([input], config);
      about[document.name] = exifEntries(await answersOf(job, input, signal, service), document.name);
    }
  } finally {
    await form.uploads.discard();
  }
  return Response.json(about);
}

async function answersOf(
  job: Parameters<typeof selectBackends>[0],
  input: Input,
  signal: AbortSignal,
  service: RequestServices,
): Promise<Record<string, unknown>> {
  const { log, defer } = service;
  const [first, ...others] = selectBackends(job, [input], service);
  const ask = async (attempt: typeof first) => {
    let text = "{}";
    for await (const { body } of attempt.run({ signal, log, defer }))
      text = new TextDecoder().decode(await readWhole(body));
    return JSON.parse(text) as Record<string, unknown>;
  };
  return ask(first).catch((error: unknown) =>
    others[0] && needsMoreMemory(error) ? ask(others[0]) : Promise.reject(error),
  );
}
