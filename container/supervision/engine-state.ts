// Defines the states of an engine that the health response and the metrics report.

/**
 * `warm`: it works at full speed. `fallback`: it works slowly, because its fast way does not start. `failed`: it does
 * not start, and is retried. `off`: it is not to start.
 */
export const ENGINE_STATES = ["off", "starting", "warm", "fallback", "failed"] as const;
export type EngineState = (typeof ENGINE_STATES)[number];
