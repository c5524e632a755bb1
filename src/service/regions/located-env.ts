// Provides the environment of a request that is carried out in a region: the bindings of the region instead of those of
// the default region.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Bucket } from "../ports/bucket.ts";
import type { Claims } from "../ports/claims.ts";
import type { JobQueues } from "../ports/jobs.ts";
import type { Env } from "../settings/config.ts";
import { guarded } from "./lost-regions.ts";
import { homeOf } from "./region-tag.ts";
import { isDefault, type Region, regionsOf } from "./regions.ts";

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
}

export function envAt(env: Env, { region, claims, spill = [] }: Placement): Env {
  const all = env.ALL_REGIONS ?? env;
  const objects = (namespace: unknown, place: Region): object => objectsAt(namespace, all, place);
  return {
    ...{ ...all, ALL_REGIONS: all, REGION: region.name, FILES: bucketAt(all, region) },
    JOBS: objects(all.JOBS, region) as JobQueues,
    ...(spill.length > 0 ? { SPILL: spill.map(({ name }) => name).join() } : {}),
    ...(claims ? { BOUND: claims.name, CLAIMS: objects(all.CLAIMS, claims) as Claims } : {}),
  };
}

/** Returns the environment of a region for work that belongs to an ID; the same environment without regions. */
export function envOfId(env: Env, id: string): Env {
  const home = homeOf(id, env);
  return home ? envAt(env, { region: home.region, ...(home.isBound ? { claims: home.region } : {}) }) : env;
}

/** Returns the buckets of all regions; the only bucket without regions. */
export const bucketsOf = (env: Env): readonly { readonly name?: string; readonly bucket: Bucket }[] =>
  regionsOf(env)?.map((region) => ({ name: region.name, bucket: bucketAt(env, region) })) ?? [{ bucket: env.FILES }];

const buckets = new WeakMap<Bucket, Bucket>();

/** Returns the bucket of a region. @throws Error if its binding is missing */
export function bucketAt(env: Env, region: Region): Bucket {
  const all = env.ALL_REGIONS ?? env;
  const name = `${region.name.toUpperCase()}_FILES` as const;
  const bucket = isDefault(region, all) ? all.FILES : all[name];
  if (!bucket) throw new Error(`The region ${region.name} has no binding ${name}.`);
  const known = buckets.get(bucket) ?? guarded(bucket, region, LIMITS.regionCallMs);
  buckets.set(bucket, known);
  return known;
}

/**
 * Returns the Durable Objects of a region. The objects of the default region have the names that they had before the
 * deployment had regions.
 */
function objectsAt(namespace: unknown, env: Env, region: Region) {
  return { getByName: (name: string) => objectAt(namespace as DurableObjectNamespace, env, region, name) };
}

/** Returns a Durable Object in a region. */
export function objectAt<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  env: Pick<Env, "REGIONS">,
  region: Region | undefined,
  name: string,
): DurableObjectStub<T> {
  if (region === undefined || isDefault(region, env)) return namespace.get(namespace.idFromName(name));
  const { jurisdiction, hint } = region;
  const objects = jurisdiction === undefined ? namespace : namespace.jurisdiction(jurisdiction);
  return objects.get(objects.idFromName(`${region.name}/${name}`), { locationHint: hint });
}
