// Checks whether jobs can run in the container, without starting a sleeping container.

import { LIMITS } from "../../document/contract/limits.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import type { Env } from "../settings/config.ts";
import { type ContainerHealth, type EngineHealth, isHealthy } from "./container-health.ts";
import type { PoolSummary } from "./instances/dispatcher.ts";
import { dispatcher } from "./instances/dispatcher-stub.ts";
import { instance } from "./instances/instance-stub.ts";
import { POOL_ENGINES, type Pool } from "./instances/pools.ts";
import { ownPool, type PoolName } from "./instances/regional-pools.ts";
import { fetchReadiness } from "./url-connection.ts";

type EngineHealths = Readonly<Record<string, EngineHealth>>;

export interface PoolReadiness {
  /** The reason why jobs cannot run in this pool. @default jobs can run */
  readonly reason?: string;
  /** True if the settings disable the engines of this pool. @default false */
  readonly isOff?: boolean;
  readonly engines: EngineHealths;
}

export interface ContainerReadiness {
  readonly pools: Readonly<Record<Pool, PoolReadiness>>;
  /** Queue of the container; undefined if the container was not queried. */
  readonly queue?: ContainerHealth["queue"];
}

const SUBJECTS: Readonly<Record<Pool, string>> = {
  engines: "The container for documents",
  web: "The container for web pages",
};
const ASLEEP: EngineHealth = { state: "asleep" };

export async function containerReadiness(env: Env): Promise<ContainerReadiness> {
  const { CONTAINER_URL: url, CONTAINER_SECRET: secret } = env;
  if (url === "off") return { pools: both(() => ({ isOff: true, engines: {} })) };
  if (url) return secret ? readinessOfAddress(url) : unready("CONTAINER_SECRET is not set.");
  const [engines, web] = await Promise.all([readinessOfPool(env, "engines"), readinessOfPool(env, "web")]);
  return {
    pools: { engines: engines.readiness, web: web.readiness },
    queue: {
      waiting: engines.waiting + web.waiting,
      room: Math.max(0, LIMITS.instanceJobsQueued - Math.max(engines.waiting, web.waiting)),
    },
  };
}

const both = (readiness: (pool: Pool) => PoolReadiness): ContainerReadiness["pools"] => ({
  engines: readiness("engines"),
  web: readiness("web"),
});
const unready = (reason: string): ContainerReadiness => ({ pools: both(() => ({ reason, engines: {} })) });

async function readinessOfAddress(url: string): Promise<ContainerReadiness> {
  const health = await fetchReadiness(url, AbortSignal.timeout(LIMITS.readyMs));
  if (!health) return unready("The container does not answer.");
  const reason = health.status === "ending" ? "The container ends." : undefined;
  const readiness = (pool: Pool) => readinessOfEngines(enginesOf(pool, health.engines), reason);
  return { pools: both(readiness), queue: health.queue };
}

function readinessOfEngines(engines: EngineHealths, ending?: string): PoolReadiness {
  const unable = Object.entries(engines).filter(([, engine]) => !isHealthy(engine));
  const unavailable = unable.map(([name, { state, trouble }]) => `${name} (${trouble ? `proof ${trouble}` : state})`);
  const reason =
    ending ?? (unavailable.length > 0 ? `The container lacks engines: ${unavailable.join(", ")}.` : undefined);
  const isOff = Object.values(engines).every(({ state }) => state === "off");
  return { ...(reason === undefined ? {} : { reason }), ...(isOff ? { isOff } : {}), engines };
}

function enginesOf(pool: Pool, engines: EngineHealths): EngineHealths {
  const names = POOL_ENGINES[pool].split(",");
  return Object.fromEntries(names.map((name) => [name, engines[name] ?? { state: "off" }]));
}

interface AskedPool {
  readonly readiness: PoolReadiness;
  readonly waiting: number;
}

async function readinessOfPool(env: Env, pool: Pool): Promise<AskedPool> {
  const name = ownPool(pool, env);
  const stub = dispatcher(env, name);
  const failed = (reason: string) => ({ readiness: { reason, engines: {} }, waiting: 0 });
  if (!stub) return failed("CONTAINER_URL is not set.");
  let summary: PoolSummary;
  try {
    summary = await withTimeout(LIMITS.readyMs, async () => stub.summary(name));
  } catch {
    return failed("The dispatcher does not answer.");
  }
  const { instances, waiting } = summary;
  if (instances.every((instance) => instance === "not-started")) return failed(`${SUBJECTS[pool]} does not start.`);
  if (instances.every((one) => one === "other-version")) return failed(`${SUBJECTS[pool]} has another version.`);
  const awake = instances.flatMap((condition, number) => (condition === "ready" ? [number] : []));
  const responses = await Promise.all(awake.map((number) => askInstance(env, name, number)));
  const silent = responses.filter((response) => response === "silent");
  if (silent.length === instances.length) return failed(`${SUBJECTS[pool]} does not answer.`);
  const engines = bestOf(pool, responses);
  // A broken engine is a reason only if all instances are awake, because a failed job is retried on another instance.
  const readiness = awake.length < instances.length ? { engines } : readinessOfEngines(engines);
  return { readiness, waiting };
}

/** Result of querying an instance: its health, `asleep`, or `silent` if it does not respond. */
type InstanceResponse = ContainerHealth | "asleep" | "silent";

/** Queries an instance without starting it. */
async function askInstance(env: Env, pool: PoolName, number: number): Promise<InstanceResponse> {
  try {
    return (await withTimeout(LIMITS.readyMs, async () => instance(env, pool, number)!.health())) ?? "asleep";
  } catch {
    return "silent";
  }
}

/** Returns, for each engine, its best health among the instances. */
function bestOf(pool: Pool, responses: readonly InstanceResponse[]): EngineHealths {
  const known = responses.flatMap((response) => (typeof response === "string" ? [] : [response.engines]));
  const best = (name: string) => {
    const all = known.flatMap((engines) => engines[name] ?? []);
    return all.find(isHealthy) ?? all[0] ?? ASLEEP;
  };
  return Object.fromEntries(POOL_ENGINES[pool].split(",").map((name) => [name, best(name)]));
}
