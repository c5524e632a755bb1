// Puts the service together: every request is begun and admitted, and then goes to its route.
import { Hono } from "hono";
import type { CompletedRequest } from "./core/answered-request.ts";
import type { ProcessCapacity } from "./core/budgets.ts";
import type { Env } from "./core/config.ts";
import type { LeasedJob } from "./core/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "./core/webhooks.ts";
import { SpanExport } from "./http/span-export.ts";
import { UsageCollector } from "./keys/usage-collector.ts";
import { addPages } from "./pages/routes.ts";
import { addAdmission } from "./routes/admission.ts";
import type { App } from "./routes/context.ts";
import { answerErrors } from "./routes/errors.ts";
import { addResources, addResumableUploads, addUploadAddresses } from "./routes/files.ts";
import { addRequestStatus, deliver, runLeasedJob, type WaitUntil } from "./routes/jobs.ts";
import { addPosts } from "./routes/posts.ts";
import { addRequestLifecycle } from "./routes/requests.ts";
import { addAgents, addDescriptions, addHealth, addUsage, addWorkbench } from "./routes/service.ts";
import { createSharedResources, pagesService } from "./routes/surroundings.ts";

interface ServedApp extends Pick<App, "fetch"> {
  /** Carries out an asynchronous job. Settles when the attempt is over, whatever came of it. */
  runJob(job: LeasedJob, env: Env, waitUntil: WaitUntil): Promise<void>;
  /** Posts the message about an asynchronous job. */
  deliver(message: WebhookMessage, env: Env, waitUntil: WaitUntil): Promise<DeliveryOutcome>;
}

/**
 * @param budgets shared by all requests that the app serves
 * @param answered called with each request that was answered or left
 */
export function createApp(budgets: ProcessCapacity, answered?: (request: CompletedRequest) => void): ServedApp {
  const app: App = new Hono();
  const spans = new SpanExport();
  const shared = createSharedResources(budgets);
  const collector = new UsageCollector();
  addRequestLifecycle(app, spans, answered);
  addAdmission(app, collector);
  addPosts(app, shared, spans);
  addResumableUploads(app, shared);
  addUploadAddresses(app, shared);
  addPages(app, (c) => pagesService(c, shared, spans));
  addResources(app, shared, spans);
  addRequestStatus(app);
  addUsage(app, collector);
  addHealth(app, shared);
  addDescriptions(app);
  addWorkbench(app);
  addAgents(app, shared);
  answerErrors(app);
  return {
    fetch: app.fetch,
    runJob: (job, env, waitUntil) => runLeasedJob(job, env, { shared, collector, spans }, waitUntil),
    deliver: (message, env, waitUntil) => deliver(message, env, shared, waitUntil),
  };
}
