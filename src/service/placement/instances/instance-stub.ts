// Returns the stub of a pool's instance.

import type { Env } from "../../settings/config.ts";
import type { EngineContainer } from "./engine-container.ts";
import type { Pool } from "./pools.ts";

/** @returns undefined if the service has no containers */
export function instance({ CONTAINER, WEB_CONTAINER }: Env, pool: Pool, number: number) {
  const namespace = (pool === "web" ? WEB_CONTAINER : CONTAINER) as DurableObjectNamespace<EngineContainer> | undefined;
  return namespace?.get(namespace.idFromName(`instance-${number}`));
}
