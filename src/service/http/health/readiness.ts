// Describes the answer of GET /ready (docs/api.md#health).

import type { EngineHealth } from "../../placement/container-health.ts";

/** `off`: the service is meant to run without it. */
export type ComponentStatus = "OK" | "failed" | "off";

export interface Readiness {
  readonly status: "OK" | "unavailable";
  readonly storage: ComponentStatus;
  /** Containers that sleep are OK: a job starts them. */
  readonly container: { readonly engines: ComponentStatus; readonly web: ComponentStatus };
  readonly engines: Readonly<Record<string, EngineHealth>>;
  readonly queue: {
    /** Jobs that wait for their turn. */
    readonly waiting: number;
    /** Number of further jobs that are accepted. */
    readonly room: number;
  };
  /** Sentences for the operator about what does not work; empty if all is well. */
  readonly reasons: readonly string[];
  /** Sentences for the operator about what works, but less well than it could, or is switched off. */
  readonly notes: readonly string[];
}
