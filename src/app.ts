// Puts the service together: every request is begun and admitted, and then goes to its route.
import { Hono } from "hono";
import type { AnsweredRequest } from "./core/answered-request.ts";
import type { Budgets } from "./core/budgets.ts";
import type { Env } from "./core/config.ts";
import type { TakenJob } from "./core/jobs.ts";
import type { DeliveryEnd, Message } from "./core/webhooks.ts";
import { SpanExport } from "./http/span-export.ts";
import { UsageCollector } from "./keys/usage-collector.ts";
import { addPages } from "./pages/routes.ts";
import { admitRequests } from "./routes/admission.ts";
import type { App } from "./routes/context.ts";
import { answerErrors } from "./routes/errors.ts";
import { addResources, addResumableUploads, addUploadAddresses } from "./routes/files.ts";
import { addRequestStatus, deliver, runJob, type WaitUntil } from "./routes/jobs.ts";
import { addPosts } from "./routes/posts.ts";
import { beginRequests } from "./routes/requests.ts";
import { addAgents, addDescriptions, addHealth, addUsage, addWorkbench } from "./routes/service.ts";
import { createShared, pagesService } from "./routes/surroundings.ts";

interface ServedApp extends Pick<App, "fetch"> {
  /** Carries out an asynchronous job. Settles when the attempt is over, whatever came of it. */
  runJob(job: TakenJob, env: Env, waitUntil: WaitUntil): Promise<void>;
  /** Posts the message about an asynchronous job. */
  deliver(message: Message, env: Env, waitUntil: WaitUntil): Promise<DeliveryEnd>;
}

/**
 * @param budgets shared by all requests that the app serves
 * @param answered called with each request that was answered or left
 */
export function createApp(budgets: Budgets, answered?: (request: AnsweredRequest) => void): ServedApp {
  const app: App = new Hono();
  const spans = new SpanExport();
  const shared = createShared(budgets);
  const collector = new UsageCollector();
  beginRequests(app, spans, answered);
  admitRequests(app, collector);
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
    runJob: (job, env, waitUntil) => runJob(job, env, { shared, collector, spans }, waitUntil),
    deliver: (message, env, waitUntil) => deliver(message, env, shared, waitUntil),
  };
}
