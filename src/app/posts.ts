// Routes the POST of each endpoint, and the POSTs that only store or delete files.

import { endpoints, routes } from "../endpoints/index.ts";
import { acceptRequest, runQueued } from "../service/http/async/async-requests.ts";
import { endpointPost } from "../service/http/async/endpoint-post.ts";
import { rejectWebhook } from "../service/http/async/webhooks.ts";
import { requireSize } from "../service/http/contract/body-size.ts";
import { type AsyncServices, type Endpoint, isServed, notServed } from "../service/http/contract/endpoint.ts";
import { methodNotAllowed } from "../service/http/contract/errors.ts";
import type { Form } from "../service/http/contract/form.ts";
import type { Post } from "../service/http/contract/route.ts";
import { openClaim } from "../service/http/pipeline/idempotency.ts";
import { withFileInfo } from "../service/http/responses/file-info.ts";
import { parseAsyncMode, parseWaitMs } from "../service/http/responses/preferences.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { SERVICE_SIGNER } from "../service/ports/webhooks.ts";
import { regionalCalls } from "../service/regions/located-env.ts";
import type { Variant } from "../service/settings/config.ts";
import { clientHooksOf, createRequestStore, fileOptions, filePolicyOf } from "./admission.ts";
import { type App, baseUrl, type RequestContext } from "./context.ts";
import { originOf, type SharedResources, servicesFor } from "./dependencies.ts";
import { progressListenerOf } from "./progress-listeners.ts";

const EVERYWHERE: readonly Variant[] = ["private", "keyed"];

export const posts: readonly (Post & Pick<Endpoint, "variants" | "needsModel">)[] = [
  ...endpoints.map((endpoint) => ({
    ...endpointPost(endpoint),
    ...{ variants: endpoint.variants, needsModel: endpoint.needsModel === true },
  })),
  ...routes.map((route) => ({ ...route, variants: EVERYWHERE })),
];

export function addPosts(app: App, shared: SharedResources, spans: SpanExport): void {
  for (const post of posts) {
    const { path } = post;
    app.post(path, async (c) => {
      if (!isServed(post, c.get("config"))) throw notServed(post, c.get("config"));
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      const response = serve(post, c.req.raw, serviceOf(c, shared, spans, answered));
      // If the client disconnects, the platform ends the request, but the files of the request must still be deleted.
      c.executionCtx.waitUntil(response.catch(() => {}).then(() => resolve()));
      return withFileInfo(c.req.raw, await response, { store: createRequestStore(c), baseUrl: baseUrl(c) });
    });
    app.all(path, (c) => {
      throw isServed(post, c.get("config")) ? methodNotAllowed("POST") : notServed(post, c.get("config"));
    });
  }
}

async function serve(post: Post, request: Request, service: AsyncServices): Promise<Response> {
  requireSize(request.headers, post.bodyLimits(request.headers, service.config));
  const mode = parseAsyncMode(request.headers);
  if (mode) return acceptRequest(post, request, service, mode);
  rejectWebhook(request);
  const { deferred, path } = post;
  if (!deferred || parseWaitMs(request.headers) === 0) return post.serve(request, service);
  const whenBusy = (form: Form, receivedMs: number) =>
    runQueued(form, request, service, { deferred, path, receivedMs });
  return post.serve(request, { ...service, whenBusy });
}

/** @param ended settles when the request has a response or has failed */
export function serviceOf(
  c: RequestContext,
  shared: SharedResources,
  spans: SpanExport,
  ended: Promise<void>,
): AsyncServices {
  const caller = clientHooksOf(c);
  const policy = filePolicyOf(c);
  const origin = { ...originOf(c), files: fileOptions(c, policy), ended };
  const { client, config, env } = origin;
  return {
    ...servicesFor(origin, shared, spans),
    ...(caller ? { caller } : {}),
    ...{ marks: policy.marks, client, account: c.var.admission?.account, trace: c.get("trace")?.responseHeaders },
    signers: { signer: c.var.admission?.key?.hash ?? SERVICE_SIGNER, records: env.API_KEYS },
    timing: c.get("timing"),
    progress: progressListenerOf(c.req.raw),
    // In the private variant, idempotency keys do not depend on the client: its ID is derived from the IP address,
    // which can change between retries.
    claim: openClaim(c.req.raw.headers, config.variant === "keyed" ? client : "", env.CLAIMS, (call) =>
      regionalCalls(call, env, env.BOUND),
    ),
  };
}
