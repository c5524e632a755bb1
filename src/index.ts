// The Worker's entry point, which contains only the handlers that the platform calls.
import { DurableObject, WorkerEntrypoint } from "cloudflare:workers";
import { createApp } from "./app/app.ts";
import { envOfForwarded } from "./app/regions.ts";
import { usageOf } from "./service/http/clients/guard.ts";
import { removeOldUsage } from "./service/keys/usage-table.ts";
import type { LeasedJob } from "./service/ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "./service/ports/webhooks.ts";
import { envAt, runnerAt } from "./service/regions/located-env.ts";
import { regionNamed, regionsOf } from "./service/regions/regions.ts";
import { ISOLATE_CAPACITY } from "./service/settings/capacity.ts";
import { type Env, readConfig } from "./service/settings/config.ts";
import { sweepCopies } from "./service/storage/copies/copies.ts";
import { removeExpired } from "./service/storage/expired.ts";

// @cloudflare/containers looks up this class by name if it recreates a Durable Object whose container still runs.
export { ContainerProxy } from "@cloudflare/containers";
export { ClaimObject } from "./service/jobs/claim-object.ts";
export { JobQueueObject } from "./service/jobs/job-queue-object.ts";
export { ClientLimits } from "./service/keys/client-limits.ts";
export { Dispatcher } from "./service/placement/instances/dispatcher.ts";
export { EngineContainer, WebContainer } from "./service/placement/instances/engine-container.ts";
export * from "./service/placement/instances/regional-containers.ts";

const app = createApp(ISOLATE_CAPACITY);

async function removeExpiredIn(env: Env): ReturnType<typeof removeExpired> {
  const { fileLifetimeMs } = readConfig(env);
  const counts = await removeExpired(env.FILES, fileLifetimeMs);
  await sweepCopies(env, fileLifetimeMs);
  return counts;
}

/** Runs the queue's asynchronous jobs in this isolate, alongside requests. */
export class JobRunner extends WorkerEntrypoint<Env> {
  run(job: LeasedJob): Promise<void> {
    return app.runJob(job, this.env, (work) => this.ctx.waitUntil(work));
  }

  deliver(message: WebhookMessage): Promise<DeliveryOutcome> {
    return app.deliver(message, this.env, (work) => this.ctx.waitUntil(work));
  }
}

/** Carries out requests in a region, which arrived in another one. */
export class RegionRunner extends DurableObject<Env> {
  override async fetch(request: Request): Promise<Response> {
    const ctx = {
      waitUntil: (work: Promise<unknown>) => this.ctx.waitUntil(work),
      passThroughOnException() {},
      props: {},
    };
    return app.fetch(request, envOfForwarded(request, this.env), ctx);
  }

  run(job: LeasedJob): Promise<void> {
    return app.runJob(job, this.env, (work) => this.ctx.waitUntil(work));
  }

  deliver(message: WebhookMessage): Promise<DeliveryOutcome> {
    return app.deliver(message, this.env, (work) => this.ctx.waitUntil(work));
  }

  /** Shows that the region is reachable. */
  ping(): void {}

  /** Removes expired files of a region, because listing them transmits their names. */
  removeExpired(region: string): ReturnType<typeof removeExpired> {
    return removeExpiredIn(envAt(this.env, { region: regionNamed(region, this.env)! }));
  }
}

export default {
  fetch: app.fetch,

  /** Removes expired files (wrangler.toml, [triggers]). */
  async scheduled(_controller, env) {
    const log = (details: object) => console.log(JSON.stringify({ message: "expired files removed", ...details }));
    for (const region of regionsOf(env)?.slice(1) ?? []) {
      // A lost region delays only the removal of its own files.
      const counts = await runnerAt(env, region, "expired")
        .removeExpired(region.name)
        .catch((error) => ({ error: String(error) }));
      log({ region: region.name, ...counts });
    }
    const [region] = regionsOf(env) ?? [];
    log(await removeExpiredIn(region ? envAt(env, { region }) : env));
    await removeOldUsage(usageOf(env));
  },
} satisfies ExportedHandler<Env>;
