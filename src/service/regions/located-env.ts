// Provides the environment of a request that is carried out in a region: the bindings of the region instead of those of
// the default region.

import type { RpcCall } from "../../runtime/rpc.ts";
import { hashKey } from "../ports/api-key.ts";
import type { Bucket } from "../ports/bucket.ts";
import type { Claims } from "../ports/claims.ts";
import type { JobQueues, LeasedJob } from "../ports/jobs.ts";
import type { DeliveryOutcome, WebhookMessage } from "../ports/webhooks.ts";
import type { Env } from "../settings/config.ts";
import { guarded } from "./guarded-bucket.ts";
import { checkReachable, type Probe } from "./lost-regions.ts";
import { homeOf } from "./region-tag.ts";
import { isDefault, type Region, regionNamed, regionsIn } from "./regions.ts";

/** A region in which a request is carried out. */
export interface Placement {
  readonly region: Region;
  /**
   * Set if everything that the request stores is bound to the region. The region that holds the client's claims, which
   * is the same one for all requests of the client. @default not bound, and the claims are in the default region
   */
  readonly claims?: Region;
  /** Regions, nearest first, whose containers run jobs of the request if those of its region are full. @default none */
  readonly spill?: readonly Region[];
  /** True if the request reads files, and arrived far from the nearest region. @default false */
  readonly isRemote?: boolean;
}

export function envAt(env: Env, { region, claims, spill = [], isRemote = false }: Placement): Env {
  const all = env.ALL_REGIONS ?? env;
  const objects = (namespace: unknown, place: Region): object => objectsAt(namespace, all, place);
  return {
    ...{ ...all, ALL_REGIONS: all, REGION: region.name, FILES: bucketAt(all, region) },
    JOBS: objects(all.JOBS, region) as JobQueues,
    ...(spill.length > 0 ? { SPILL: spill.map(({ name }) => name).join() } : {}),
    ...(isRemote ? { REMOTE: "yes" } : {}),
    ...(claims ? { BOUND: claims.name, CLAIMS: objects(all.CLAIMS, claims) as Claims } : {}),
  };
}

/** Returns the environment of a region for work that belongs to an ID; the same environment without regions. */
export function envOfId(env: Env, id: string): Env {
  const home = homeOf(id, env);
  return home ? envAt(env, { region: home.region, ...(home.isBound ? { claims: home.region } : {}) }) : env;
}

const keptInRegion = new WeakSet<object>();

/** Keeps the jobs of a request in its region, because the request reads a bound file. */
export const keepInRegion = (env: object): void => void keptInRegion.add(env);

/** Returns the regions in which jobs of the request can run besides its own one. */
export const spillOf = (env: Pick<Env, "REGIONS" | "SPILL">): readonly Region[] =>
  keptInRegion.has(env) ? [] : regionsIn(env.SPILL, env);

const buckets = new WeakMap<Bucket, Bucket>();

/** Returns the bucket of a region. @throws Error if its binding is missing */
export function bucketAt(env: Env, region: Region): Bucket {
  const all = env.ALL_REGIONS ?? env;
  const name = `${region.name.toUpperCase()}_FILES` as const;
  const bucket = isDefault(region, all) ? all.FILES : all[name];
  if (!bucket) throw new Error(`The region ${region.name} has no binding ${name}.`);
  const known = buckets.get(bucket) ?? guarded(bucket, region);
  buckets.set(bucket, known);
  return known;
}

const objectsAt = (namespace: unknown, env: Env, region: Region) => ({
  getByName: (name: string) => objectAt(namespace as DurableObjectNamespace, env, region, name),
});

/**
 * Returns a Durable Object in a region. The objects of the default region have the names that they had before the
 * deployment had regions. The hint applies to new objects.
 */
export function objectAt<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  env: Pick<Env, "REGIONS">,
  region: Region,
  name: string,
): DurableObjectStub<T> {
  const { jurisdiction, hint } = region;
  const fullName = isDefault(region, env) ? name : `${region.name}/${name}`;
  if (jurisdiction === undefined) return namespace.get(namespace.idFromName(fullName), { locationHint: hint });
  const bounded = namespace.jurisdiction(jurisdiction);
  return bounded.get(bounded.idFromName(fullName));
}

/** The methods of RegionRunner, which carries out work in a region. */
export interface Runner extends Rpc.DurableObjectBranded {
  fetch(request: Request): Promise<Response>;
  /** Shows that the region is reachable. */
  ping(): void;
  run(job: LeasedJob): Promise<void>;
  deliver(message: WebhookMessage): Promise<DeliveryOutcome>;
  removeExpired(region: string): Promise<{ readonly removed: number; readonly uploads: number }>;
}

/** Number of objects of a region among which its requests are divided. */
const RUNNERS = 64;

/**
 * Returns the name of an object that carries out a request or a job. Requests for one file have the same object, so that
 * they share what it has in memory.
 */
export function runnerName(id: string | undefined): string {
  const number = id === undefined ? Math.floor(Math.random() * RUNNERS) : Number.parseInt(hashKey(id).slice(0, 8), 16);
  return `runner-${number % RUNNERS}`;
}

/** @throws Error if the binding is missing */
export function runnerAt(env: Env, region: Region, name: string): DurableObjectStub<Runner> {
  const objects = (env.ALL_REGIONS ?? env).REGION_RUNNER as DurableObjectNamespace<Runner> | undefined;
  if (!objects) throw new Error("The binding REGION_RUNNER is missing.");
  return objectAt(objects, env, region, name);
}

/** Returns a call that shows whether a region is reachable. */
export const probeOf =
  (env: Env, region: Region): Probe =>
  () =>
    runnerAt(env, region, "probe").ping();

/**
 * Replaces the errors of calls to an object of a region by RegionLost if the region is unreachable.
 * @param name name of the region; undefined if the object belongs to no region
 */
export function regionalCalls<A>(call: RpcCall<A>, env: Env, name: string | undefined): RpcCall<A> {
  const region = regionNamed(name, env);
  if (!region) return call;
  return (question) =>
    call(question).catch(async (error) => {
      await checkReachable(region, probeOf(env, region));
      throw error;
    });
}
