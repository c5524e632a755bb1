// Assembles the service. The middleware for request lifecycle and admission runs before every route.
import { Hono } from "hono";
import { SpanExport } from "../service/http/traces/span-export.ts";
import { UsageCollector } from "../service/keys/usage-collector.ts";
import type { CompletedRequest } from "../service/ports/completed-request.ts";
import type { LeasedJob } from "../service/ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../service/ports/webhooks.ts";
import type { ProcessCapacity } from "../service/settings/capacity.ts";
import type { Env } from "../service/settings/config.ts";
import { addPages } from "../service/views/routes.ts";
import { addAdmission } from "./admission.ts";
import type { App } from "./context.ts";
import { createSharedResources, pageImagesService } from "./dependencies.ts";
import { respondWithErrors } from "./errors.ts";
import { addResources, addResumableUploads, addUploadAddresses } from "./files.ts";
import { addForeignRoutes, addForeignTraces } from "./gotenberg.ts";
import { addRequestStatus, deliver, runLeasedJob, type WaitUntil } from "./jobs.ts";
import { addPosts } from "./posts.ts";
import { addRegions, rejectWithoutRegion } from "./regions.ts";
import { addRequestLifecycle } from "./requests.ts";
import { addAgents, addDescriptions, addHealth, addUsage, addWorkbench } from "./service.ts";

interface ServedApp extends Pick<App, "fetch"> {
  /** Runs one attempt of an asynchronous job. Settles when the attempt has ended, whether it succeeded or failed. */
  runJob(job: LeasedJob, env: Env, waitUntil: WaitUntil): Promise<void>;
  /** Posts a webhook message about an asynchronous job. */
  deliver(message: WebhookMessage, env: Env, waitUntil: WaitUntil): Promise<DeliveryOutcome>;
}

/**
 * @param budgets shared by all requests of the app
 * @param answered called when a request has completed, or its client has disconnected
 */
export function createApp(budgets: ProcessCapacity, answered?: (request: CompletedRequest) => void): ServedApp {
  const app: App = new Hono();
  const spans = new SpanExport();
  const shared = createSharedResources(budgets);
  const collector = new UsageCollector();
  addRegions(app);
  addRequestLifecycle(app, spans, answered);
  rejectWithoutRegion(app);
  addForeignTraces(app);
  addAdmission(app, collector);
  addPosts(app, shared, spans);
  addForeignRoutes(app, shared, spans);
  addResumableUploads(app, shared);
  addUploadAddresses(app, shared);
  addPages(app, (c) => pageImagesService(c, shared, spans));
  addResources(app, shared, spans);
  addRequestStatus(app);
  addUsage(app, collector);
  addHealth(app, shared);
  addDescriptions(app);
  addWorkbench(app);
  addAgents(app, shared);
  respondWithErrors(app);
  return {
    fetch: app.fetch,
    runJob: (job, env, waitUntil) => runLeasedJob(job, env, { shared, collector, spans }, waitUntil),
    deliver: (message, env, waitUntil) => deliver(message, env, shared, waitUntil),
  };
}
