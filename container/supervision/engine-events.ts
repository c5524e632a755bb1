// Counts events of the engines' processes, for metrics.

/**
 * `restart`: a process or thread ended unexpectedly, and another one starts. `kill`: the service killed a process or
 * thread that was frozen, silent, too large or no longer needed by its job. `fallback`: a job ran in the engine's
 * fallback.
 */
export const ENGINE_EVENTS = ["restart", "kill", "fallback"] as const;
export type EngineEvent = (typeof ENGINE_EVENTS)[number];

const counts = new Map<string, number>();

/** @param engine the engine's name in the log */
export function countEvent(engine: string, event: EngineEvent): void {
  const key = `${engine} ${event}`;
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Returns the number of events since the service started. */
export const eventsOf = (engine: string, event: EngineEvent): number => counts.get(`${engine} ${event}`) ?? 0;
