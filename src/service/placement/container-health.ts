// Defines the container's response to GET /ready, for both ends.

/** Evidence that an engine works: its last completed job, or a small probe job. */
export interface EngineProbe {
  readonly by: "job" | "probe";
  readonly secondsAgo: number;
}

export interface EngineHealth {
  /** One of `ENGINE_STATES` (container/supervision/engine-state.ts), or `asleep` with the containers of the platform. */
  readonly state: string;
  /** The last probe. @default none */
  readonly proof?: EngineProbe;
  /** Set while the engine runs, but does not work: its last probe failed, or the last ones were late. */
  readonly trouble?: "failed" | "late";
  /** Sandbox features that the engine lacks, named as in SECURITY.md. @default none */
  readonly lacks?: readonly string[];
}

export interface ContainerHealth {
  readonly status: "OK" | "unavailable" | "ending";
  readonly engines: Readonly<Record<string, EngineHealth>>;
  readonly queue: {
    /** Number of queued jobs. */
    readonly waiting: number;
    /** Number of further jobs of any operation that are accepted. */
    readonly room: number;
  };
}

/** Reports whether an engine works with its full capabilities, or is disabled. */
export function isHealthy({ state, trouble }: EngineHealth): boolean {
  return ["warm", "fallback", "off", "asleep"].includes(state) && trouble === undefined;
}
