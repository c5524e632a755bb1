// Routes health, usage, the API descriptions, and the tools of agents (MCP).
import { etag, RETAINED_304_HEADERS } from "hono/etag";
import { endpoints } from "../endpoints/index.ts";
import { handleUsage } from "../service/http/clients/usage.ts";
import { methodNotAllowed, noSuchEndpoint } from "../service/http/contract/errors.ts";
import { MCP_PATH } from "../service/http/contract/paths.ts";
import { checkReadiness } from "../service/http/health/readiness-check.ts";
import { HEALTH_PATHS, healthOf } from "../service/http/health/service-description.ts";
import type { Dispatch } from "../service/http/mcp/dispatch.ts";
import { createTools, serveMcp, type Tools } from "../service/http/mcp/server.ts";
import { openApi } from "../service/http/openapi/document.ts";
import { listOperations } from "../service/http/openapi/operations.ts";
import { infoOf } from "../service/http/responses/operation-response.ts";
import type { UsageCollector } from "../service/keys/usage-collector.ts";
import { basedText } from "../service/reference/based-texts.ts";
import { DOCS_PATHS, readDocs } from "../service/reference/docs.ts";
import { readWorkbench, WORKBENCH_PATHS } from "../service/reference/workbench.ts";
import { StorageProbe } from "../service/storage/probe.ts";
import { createRequestStore } from "./admission.ts";
import { apiDescription } from "./api-description.ts";
import { type App, baseUrl, idsOf, log } from "./context.ts";
import { requestClientId, type SharedResources } from "./dependencies.ts";
import { setProgressListener } from "./progress-listeners.ts";

export function addHealth(
  app: App,
  { engineSemaphore, receiveSemaphore, containerSemaphore, uploadSemaphore }: SharedResources,
): void {
  const storage = new StorageProbe();
  const queues = [engineSemaphore, receiveSemaphore, containerSemaphore, uploadSemaphore];
  for (const path of HEALTH_PATHS) {
    app.get(path, (c) => c.json(healthOf(c.get("config"))));
    rejectOtherMethods(app, path);
  }
  app.get("/ready", async (c) => {
    const ready = await checkReadiness({ env: c.env, storage, queues });
    if (ready.reasons.length > 0) log(idsOf(c), "readiness refused", { reasons: ready.reasons });
    return c.json(ready, ready.reasons.length === 0 ? 200 : 503);
  });
  rejectOtherMethods(app, "/ready");
}

export function addUsage(app: App, collector: UsageCollector): void {
  app.all("/usage", (c) => {
    if (c.get("config").variant !== "keyed") throw noSuchEndpoint();
    if (c.req.method !== "GET") throw methodNotAllowed("GET");
    return handleUsage(c.req.raw, c.env, collector);
  });
}

/** A 304 response includes the Content-Security-Policy, because a browser applies it to the cached page. */
const conditionalGet = () => etag({ retainedHeaders: [...RETAINED_304_HEADERS, "Content-Security-Policy"] });

export function addDescriptions(app: App): void {
  app.get("/openapi.json", (c) => {
    const config = c.get("config");
    const write = (url: string) => JSON.stringify(openApi(apiDescription, config, url));
    return c.body(basedText("/openapi.json", { config, baseUrl: baseUrl(c) }, write), 200, {
      "Content-Type": "application/json",
    });
  });
  rejectOtherMethods(app, "/openapi.json");
  app.get("/operations.json", conditionalGet(), (c) => {
    const config = c.get("config");
    const write = () => JSON.stringify(listOperations(endpoints, config));
    return c.body(basedText("/operations.json", { config, baseUrl: baseUrl(c) }, write), 200, {
      "Content-Type": "application/json",
      "Cache-Control": "no-cache",
    });
  });
  rejectOtherMethods(app, "/operations.json");
  for (const path of DOCS_PATHS) {
    app.get(path, conditionalGet(), (c) =>
      readDocs(path, { served: apiDescription, config: c.get("config"), baseUrl: baseUrl(c) }),
    );
    rejectOtherMethods(app, path);
  }
}

/** Serves the workbench to GET only, because `/` has no other endpoint. */
export function addWorkbench(app: App): void {
  for (const path of WORKBENCH_PATHS)
    app.get(path, conditionalGet(), (c) => readWorkbench(path, c.req.header("Accept")));
}

function rejectOtherMethods(app: App, path: string): void {
  app.all(path, () => {
    throw methodNotAllowed("GET, HEAD");
  });
}

/** Headers that are copied from the agent's request to the requests of its tool calls. */
const PASSED_ON = ["Api-Key", "CF-Connecting-IP"];

/** Each tool call is a separate request with the key and IP address of the agent's request. */
export function addAgents(app: App, { bodies: memory }: SharedResources): void {
  const known = new Map<string, Tools>();
  app.all(MCP_PATH, (c) => {
    const { signal, headers: given, url } = c.req.raw;
    const dispatch: Dispatch = async (path, { progress, ...init } = {}) => {
      const headers = new Headers(init.headers);
      for (const name of PASSED_ON) {
        const value = given.get(name);
        if (value !== null) headers.set(name, value);
      }
      const request = new Request(new URL(path, url), { ...init, headers, signal });
      if (progress) setProgressListener(request, progress);
      return app.fetch(request, c.env, c.executionCtx);
    };
    const factsOf = async (id: string) => {
      const file = await createRequestStore(c).find(id);
      return file && infoOf(file, baseUrl(c));
    };
    const bodies = memory.for(requestClientId(c));
    const { variant, model } = c.get("config");
    const deployment = `${variant} ${model !== undefined}`;
    const tools = known.get(deployment) ?? createTools(endpoints, { variant, ...(model ? { model } : {}) });
    known.set(deployment, tools);
    return serveMcp(c.req.raw, { tools, dispatch, factsOf, bodies });
  });
}
