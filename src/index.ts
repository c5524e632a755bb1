// The Worker's entry point, which contains only the handlers that the platform calls.
import { WorkerEntrypoint } from "cloudflare:workers";
import { createApp } from "./app.ts";
import { ISOLATE_CAPACITY } from "./core/budgets.ts";
import { type Env, readConfig } from "./core/config.ts";
import type { LeasedJob } from "./core/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "./core/webhooks.ts";
import { usageOf } from "./http/guard.ts";
import { removeOldUsage } from "./keys/usage-table.ts";
import { removeExpired } from "./storage/expired.ts";

// The library finds it by its name when a Durable Object is made anew beside a running container.
export { ContainerProxy } from "@cloudflare/containers";
export { ClaimObject } from "./jobs/claim-object.ts";
export { JobQueueObject } from "./jobs/job-queue-object.ts";
export { ClientLimits } from "./keys/client-limits.ts";
export { Dispatcher } from "./placement/dispatcher.ts";
export { EngineContainer, WebContainer } from "./placement/engine-container.ts";

const app = createApp(ISOLATE_CAPACITY);

/** Carries out asynchronous jobs for their queue, beside the requests that this isolate serves. */
export class JobRunner extends WorkerEntrypoint<Env> {
  run(job: LeasedJob): Promise<void> {
    return app.runJob(job, this.env, (work) => this.ctx.waitUntil(work));
  }

  deliver(message: WebhookMessage): Promise<DeliveryOutcome> {
    return app.deliver(message, this.env, (work) => this.ctx.waitUntil(work));
  }
}

export default {
  fetch: app.fetch,

  /** Removes expired files (wrangler.toml, [triggers]). */
  async scheduled(_controller, env) {
    const counts = await removeExpired(env.FILES, readConfig(env).fileLifetimeMs);
    console.log(JSON.stringify({ message: "expired files removed", ...counts }));
    await removeOldUsage(usageOf(env));
  },
} satisfies ExportedHandler<Env>;
