// The states of an engine in the health response and the metrics.

/**
 * `warm`: it works at full speed. `fallback`: it works slowly, because its fast way does not start. `failed`: it does
 * not start, and is retried. `off`: it is disabled.
 */
export const ENGINE_STATES = ["off", "starting", "warm", "fallback", "failed"] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
