// Names the pools of each region, chooses the pools for a request, and connects to their Durable Objects.

import { objectAt, spillOf } from "../../regions/located-env.ts";
import { isLost } from "../../regions/lost-regions.ts";
import { isDefault, REGIONS, type Region, type RegionSettings, regionOf, regionsOf } from "../../regions/regions.ts";
import type { Env } from "../../settings/config.ts";
import type { Pool } from "./pools.ts";

/** Name of a pool in a region. Examples: `enam/engines`; `engines` in the default region, and without regions. */
export type PoolName = Pool | `${string}/${Pool}`;

/** Returns the pool in the region of the request. */
export const ownPool = (pool: Pool, env: RegionSettings): PoolName => poolIn(regionOf(env), pool, env);

/** Returns the pools that can run a job of the request: its own one first, unless its region is unreachable. */
export function poolsFor(pool: Pool, env: Pick<Env, "REGIONS" | "REGION" | "SPILL">): readonly PoolName[] {
  const isAway = (region: Region | undefined) => Number(region !== undefined && isLost(region));
  return [regionOf(env), ...spillOf(env)]
    .toSorted((one, other) => isAway(one) - isAway(other))
    .map((region) => poolIn(region, pool, env));
}

const poolIn = (region: Region | undefined, pool: Pool, env: RegionSettings): PoolName =>
  region === undefined || isDefault(region, env) ? pool : `${region.name}/${pool}`;

/** Returns the kind of a pool. */
export const kindOf = (name: PoolName): Pool => name.split("/").at(-1) as Pool;

/** Returns the region of a pool; undefined without regions. */
export const regionOfPool = (name: PoolName, env: RegionSettings): Region | undefined =>
  furtherRegion(name) ?? regionsOf(env)?.[0];

const furtherRegion = (name: PoolName) => REGIONS.find((region) => name.startsWith(`${region.name}/`));

/** Returns an object in the region of a pool. Its class is one of all regions, or of this region. */
export function objectOfPool<T extends Rpc.DurableObjectBranded | undefined>(
  namespace: DurableObjectNamespace<T>,
  env: RegionSettings,
  { pool, name }: { readonly pool: PoolName; readonly name: string },
): DurableObjectStub<T> {
  const region = regionOfPool(pool, env);
  return region ? objectAt(namespace, env, region, name) : namespace.get(namespace.idFromName(name));
}

/** Returns the class of a pool's instances; undefined if it has no binding. */
export function instancesIn(env: Env, pool: PoolName): DurableObjectNamespace | undefined {
  const region = furtherRegion(pool);
  const kind = kindOf(pool) === "web" ? "WEB_CONTAINER" : "CONTAINER";
  return region ? env[`${region.name.toUpperCase()}_${kind}`] : env[kind];
}
