// Describes the response of GET /ready (docs/api.md#health).

import type { EngineHealth } from "../../placement/container-health.ts";

/** `off`: the settings disable the component. */
export type ComponentStatus = "OK" | "failed" | "off";

export interface Readiness {
  readonly status: "OK" | "unavailable";
  readonly storage: ComponentStatus;
  /** A sleeping container is OK, because a job starts it. */
  readonly container: { readonly engines: ComponentStatus; readonly web: ComponentStatus };
  readonly engines: Readonly<Record<string, EngineHealth>>;
  readonly queue: {
    /** Number of queued jobs. */
    readonly waiting: number;
    /** Number of further jobs that can be accepted. */
    readonly room: number;
  };
  /** Messages for the operator about failed components; empty if all work. */
  readonly reasons: readonly string[];
  /** Messages for the operator about components that are degraded or off. */
  readonly notes: readonly string[];
}
