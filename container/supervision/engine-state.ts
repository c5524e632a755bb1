// The states of an engine in the health response and the metrics.

/**
 * `warm`: the engine works at full speed. `fallback`: the engine works slowly, because its zygote does not start.
 * `failed`: the engine does not start; the start is retried. `off`: the engine is disabled.
 */
export const ENGINE_STATES = ["off", "starting", "warm", "fallback", "failed"] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
