// The Worker's entry point, which contains only the handlers that the platform calls.
import { WorkerEntrypoint } from "cloudflare:workers";
import { createApp } from "./app/app.ts";
import { usageOf } from "./service/http/clients/guard.ts";
import { removeOldUsage } from "./service/keys/usage-table.ts";
import type { LeasedJob } from "./service/ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "./service/ports/webhooks.ts";
import { ISOLATE_CAPACITY } from "./service/settings/capacity.ts";
import { type Env, readConfig } from "./service/settings/config.ts";
import { removeExpired } from "./service/storage/expired.ts";

// @cloudflare/containers looks up this class by name if it recreates a Durable Object whose container still runs.
export { ContainerProxy } from "@cloudflare/containers";
export { ClaimObject } from "./service/jobs/claim-object.ts";
export { JobQueueObject } from "./service/jobs/job-queue-object.ts";
export { ClientLimits } from "./service/keys/client-limits.ts";
export { Dispatcher } from "./service/placement/instances/dispatcher.ts";
export { EngineContainer, WebContainer } from "./service/placement/instances/engine-container.ts";

const app = createApp(ISOLATE_CAPACITY);

/** Runs the queue's asynchronous jobs in this isolate, alongside requests. */
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
