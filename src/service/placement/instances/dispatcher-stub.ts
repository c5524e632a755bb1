// Returns the stub of a pool's dispatcher.

import type { Env } from "../../settings/config.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { Pool } from "./pools.ts";

/** @returns undefined if the service has no containers */
export function dispatcher({ DISPATCHER }: Pick<Env, "DISPATCHER">, pool: Pool) {
  const namespace = DISPATCHER as DurableObjectNamespace<Dispatcher> | undefined;
  return namespace?.get(namespace.idFromName(pool));
}
