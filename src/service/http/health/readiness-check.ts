// Handles GET /ready: checks storage, containers and queues.

import { containerReadiness, type PoolReadiness } from "../../placement/readiness.ts";
import type { ObservableSemaphore } from "../../placement/semaphore.ts";
import type { Env } from "../../settings/config.ts";
import type { StorageProbe } from "../../storage/probe.ts";
import type { ComponentStatus, Readiness } from "./readiness.ts";

export interface ReadinessSettings {
  readonly env: Env;
  readonly storage: StorageProbe;
  /** The permit queues of this process. */
  readonly queues: readonly Pick<ObservableSemaphore, "queued" | "available">[];
}

export async function checkReadiness({ env, storage, queues }: ReadinessSettings): Promise<Readiness> {
  const [failure, away, { pools, queue }] = await Promise.all([
    storage.failure(env.FILES),
    env.RECORDS?.failure(),
    containerReadiness(env),
  ]);
  // In the private variant, most requests need no database.
  const [awayReason, awayNote] = env.VARIANT === "keyed" ? [away] : [undefined, away];
  const own = queues.map(({ queued, available }) => ({ waiting: queued, room: available }));
  const all = queue ? [...own, queue] : own;
  const room = Math.min(...all.map(({ room }) => room));
  const full = room > 0 ? undefined : "There is no room in the queue.";
  const ending = env.ENDING && "The service is shutting down.";
  const reasons = [failure, awayReason, pools.engines.reason, pools.web.reason, full, ending].filter(
    (reason) => reason !== undefined,
  );
  const engines = { ...pools.engines.engines, ...pools.web.engines };
  return {
    status: reasons.length === 0 ? "OK" : "unavailable",
    storage: failure === undefined ? "OK" : "failed",
    container: { engines: partOf(pools.engines), web: partOf(pools.web) },
    engines,
    queue: { waiting: all.reduce((sum, { waiting }) => sum + waiting, 0), room },
    reasons: [...new Set(reasons)],
    notes: [
      ...(awayNote === undefined ? [] : [awayNote]),
      ...(pools.engines.isOff && pools.web.isOff ? ["The service runs without a container."] : notesOf(engines)),
    ],
  };
}

const partOf = ({ reason, isOff }: PoolReadiness): ComponentStatus =>
  reason !== undefined ? "failed" : isOff ? "off" : "OK";

function notesOf(engines: Readiness["engines"]): string[] {
  return Object.entries(engines).flatMap(([name, { state, lacks = [] }]) => [
    ...(state === "off" ? [`The engine ${name} is switched off.`] : []),
    ...(state === "fallback" ? [`The engine ${name} runs in its fallback, which is slow.`] : []),
    ...(lacks.length > 0 ? [`The sandbox of the engine ${name} lacks: ${lacks.join(", ")}.`] : []),
  ]);
}
