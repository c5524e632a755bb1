// GET /ready of the container: the state of each engine, and the free capacity for jobs.

import { type ContainerHealth, isHealthy } from "../../src/service/placement/container-health.ts";
import type { ContainerOperation } from "./container-job.ts";

export interface ReadinessSettings {
  readonly operations: ReadonlyMap<string, Pick<ContainerOperation, "pool">>;
  isEnding(): boolean;
  /** Returns the health of the engines, after a limited wait for probes. */
  engines(): Promise<ContainerHealth["engines"]>;
}

export async function engineReadiness(settings: ReadinessSettings): Promise<ContainerHealth> {
  const engines = await settings.engines();
  const places = [...settings.operations.values()].map(({ pool }) => pool);
  const queue = {
    waiting: places.reduce((sum, { waiting }) => sum + waiting, 0),
    room: places.length === 0 ? 0 : Math.min(...places.map(({ room }) => room)),
  };
  const isReady = Object.values(engines).every(isHealthy) && (queue.room > 0 || places.length === 0);
  return { status: settings.isEnding() ? "ending" : isReady ? "OK" : "unavailable", engines, queue };
}
