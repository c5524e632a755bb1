// Tells whether jobs can be done in the container, without starting one that sleeps.

import type { Env } from "../core/config.ts";
import { LIMITS } from "../core/limits.ts";
import { within } from "../core/within.ts";
import { healthOf } from "./addressed.ts";
import { dispatcher } from "./dispatcher-stub.ts";
import { POOL_ENGINES, POOLS, type Pool } from "./pools.ts";

/** The reason why jobs of each kind cannot be done, or undefined if they can. */
export type ContainerReadiness = Readonly<Record<Pool, string | undefined>>;

const SUBJECTS: Readonly<Record<Pool, string>> = {
  engines: "The container for documents",
  web: "The container for web pages",
};

export async function containerReadiness(env: Env): Promise<ContainerReadiness> {
  const { CONTAINER_URL: url, CONTAINER_SECRET: secret } = env;
  if (url === "off") {
    const reason = "The service runs without a container.";
    return { engines: reason, web: reason };
  }
  if (url) {
    if (secret) return readinessOfAddress(url);
    const reason = "CONTAINER_SECRET is not set.";
    return { engines: reason, web: reason };
  }
  const [engines, web] = await Promise.all(POOLS.map((pool) => reasonOfPool(env, pool)));
  return { engines, web };
}

async function readinessOfAddress(url: string): Promise<ContainerReadiness> {
  const health = await healthOf(url, AbortSignal.timeout(LIMITS.readyMs));
  if (health?.status === "OK") {
    return { engines: reasonOfEngines("engines", health.engines), web: reasonOfEngines("web", health.engines) };
  }
  const reason = health ? "The container ends." : "The container does not answer.";
  return { engines: reason, web: reason };
}

/** Engines that are still starting are not missing: jobs wait for them. */
function reasonOfEngines(pool: Pool, states: Readonly<Record<string, string>> = {}): string | undefined {
  const missing = POOL_ENGINES[pool].split(",").filter((name) => ["off", "failed"].includes(states[name] ?? "off"));
  if (missing.length === 0) return undefined;
  return `The container lacks engines: ${missing.map((name) => `${name} (${states[name] ?? "off"})`).join(", ")}.`;
}

async function reasonOfPool(env: Env, pool: Pool): Promise<string | undefined> {
  const stub = dispatcher(env, pool);
  if (!stub) return "CONTAINER_URL is not set.";
  try {
    const { instances } = await within(LIMITS.readyMs, async () => stub.summary(pool));
    if (instances.every((instance) => instance === "not-started")) return `${SUBJECTS[pool]} does not start.`;
    if (instances.every((instance) => instance === "other-version")) return `${SUBJECTS[pool]} has another version.`;
    return undefined;
  } catch {
    return "The dispatcher does not answer.";
  }
}
