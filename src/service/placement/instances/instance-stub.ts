// Returns the stub of a pool's instance.

import type { Env } from "../../settings/config.ts";
import type { EngineContainer } from "./engine-container.ts";
import { instancesIn, objectOfPool, type PoolName } from "./regional-pools.ts";

/** @returns undefined if the service has no containers in the region of the pool */
export function instance(env: Env, pool: PoolName, number: number) {
  const instances = instancesIn(env, pool) as DurableObjectNamespace<EngineContainer> | undefined;
  return instances && objectOfPool(instances, env, { pool, name: `instance-${number}` });
}
