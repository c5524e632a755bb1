// Defines the states of an engine that the health response reports.

/**
 * `warm`: it works at full speed. `fallback`: it works slowly, because its fast way does not start. `failed`: it does
 * not start, and is retried. `off`: it is not to start.
 */
export type EngineState = "off" | "starting" | "warm" | "fallback" | "failed";
