// Tells whether jobs can be done in the container, without starting one that sleeps.

import type { Env } from "../core/config.ts";
import { LIMITS } from "../core/limits.ts";
import { within } from "../core/within.ts";
import { isUp } from "./addressed.ts";
import { dispatcher } from "./dispatcher-stub.ts";
import { POOLS, type Pool } from "./pools.ts";

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
    const reason = secret ? await reasonOfAddress(url) : "CONTAINER_SECRET is not set.";
    return { engines: reason, web: reason };
  }
  const [engines, web] = await Promise.all(POOLS.map((pool) => reasonOfPool(env, pool)));
  return { engines, web };
}

async function reasonOfAddress(url: string): Promise<string | undefined> {
  const up = await isUp(url, AbortSignal.timeout(LIMITS.readyMs));
  if (up) return undefined;
  return up === false ? "The container ends." : "The container does not answer.";
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
