// Returns the stub of a pool's dispatcher.

import type { Env } from "../../settings/config.ts";
import type { Dispatcher } from "./dispatcher.ts";
import { kindOf, objectOfPool, type PoolName } from "./regional-pools.ts";

/** @returns undefined if the service has no containers */
export function dispatcher(env: Pick<Env, "DISPATCHER" | "REGIONS">, pool: PoolName) {
  const namespace = env.DISPATCHER as DurableObjectNamespace<Dispatcher> | undefined;
  return namespace && objectOfPool(namespace, env, { pool, name: kindOf(pool) });
}
