// Routes one POST per endpoint, and POSTs that only store or delete files.

import { endpoints, routes } from "../endpoints/index.ts";
import { yieldToEventLoop } from "../runtime/delay.ts";
import { acceptRequest, acceptRoute } from "../service/http/async/async-requests.ts";
import { sealerOf } from "../service/http/async/sealed-values.ts";
import { rejectWebhook } from "../service/http/async/webhooks.ts";
import { bodyLimitsOf, requireSize } from "../service/http/contract/body-size.ts";
import type { AsyncServices } from "../service/http/contract/endpoint.ts";
import { methodNotAllowed, noSuchEndpoint } from "../service/http/contract/errors.ts";
import { openClaim } from "../service/http/pipeline/idempotency.ts";
import { handleRequest } from "../service/http/pipeline/pipeline.ts";
import { withFileInfo } from "../service/http/responses/file-info.ts";
import { parseAsyncMode } from "../service/http/responses/preferences.ts";
import type { SpanExport } from "../service/http/traces/span-export.ts";
import { SERVICE_SIGNER } from "../service/ports/webhooks.ts";
import type { Variant } from "../service/settings/config.ts";
import { clientHooksOf, createRequestStore, storeWithPolicy } from "./admission.ts";
import { type App, baseUrl, type RequestContext } from "./context.ts";
import { requestClientId, requestDependencies, type SharedResources, shareOf } from "./dependencies.ts";
import { connectQueue } from "./jobs.ts";
import { progressListenerOf } from "./progress-listeners.ts";

const EVERYWHERE: readonly Variant[] = ["private", "keyed"];

export function addPosts(app: App, shared: SharedResources, spans: SpanExport): void {
  const posts = [
    ...endpoints.map((endpoint) => ({
      ...endpoint,
      serve(request: Request, service: AsyncServices) {
        requireSize(request.headers, bodyLimitsOf(endpoint, service.config));
        const manner = parseAsyncMode(request.headers);
        if (manner) return acceptRequest(endpoint, request, service, manner);
        rejectWebhook(request);
        return handleRequest(endpoint, request, service);
      },
    })),
    ...routes.map((route) => ({
      ...{ ...route, variants: EVERYWHERE },
      serve(request: Request, service: AsyncServices) {
        requireSize(request.headers, route.bodyLimits(request.headers, service.config));
        const manner = parseAsyncMode(request.headers);
        if (manner) return acceptRoute(route, request, service, manner);
        rejectWebhook(request);
        return route.serve(request, service);
      },
    })),
  ];
  for (const { path, variants, serve } of posts) {
    app.post(path, async (c) => {
      if (!variants.includes(c.get("config").variant)) throw elsewhere(path, variants);
      const { promise: answered, resolve } = Promise.withResolvers<void>();
      const answer = serve(c.req.raw, serviceOf(c, shared, spans, answered));
      // The request ends when the client disconnects, but the files it stored must still be deleted.
      c.executionCtx.waitUntil(answer.catch(() => {}).then(() => resolve()));
      return withFileInfo(c.req.raw, await answer, { store: createRequestStore(c), baseUrl: baseUrl(c) });
    });
    app.all(path, (c) => {
      throw variants.includes(c.get("config").variant) ? methodNotAllowed("POST") : elsewhere(path, variants);
    });
  }
}

const elsewhere = (path: string, variants: readonly string[]) =>
  noSuchEndpoint().because(`${path} belongs to the ${variants.join(" and ")} variant.`);

/** @param answered settles once the request has a response, or has failed */
function serviceOf(
  c: RequestContext,
  shared: SharedResources,
  spans: SpanExport,
  answered: Promise<void>,
): AsyncServices {
  const caller = clientHooksOf(c);
  const client = requestClientId(c);
  return {
    ...shareOf(shared, client),
    ...requestDependencies(c, spans),
    ...(caller ? { caller } : {}),
    ...storeWithPolicy(c),
    ...{
      jobs: connectQueue(c.env),
      client,
      account: c.var.admission?.account,
      trace: c.get("trace")?.responseHeaders,
    },
    sealer: sealerOf(c.env.FORM_SECRET),
    signers: { signer: c.var.admission?.key?.hash ?? SERVICE_SIGNER, records: c.env.API_KEYS },
    timing: c.get("timing"),
    // Without a key, the IP address identifies the client, and can change between retries.
    progress: progressListenerOf(c.req.raw),
    claim: openClaim(c.req.raw.headers, c.get("config").variant === "keyed" ? client : "", c.env.CLAIMS),
    defer(work) {
      const afterwards = async () => {
        await answered;
        await yieldToEventLoop();
        await work();
      };
      c.executionCtx.waitUntil(afterwards());
    },
  };
}
