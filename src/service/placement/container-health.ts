// Defines the container's response to GET /ready. Used by the container and the service.

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
  /** Set if the engine runs, but its last probe failed, or its last probes took too long. */
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
    /** Number of further jobs that the queue accepts, of any operation. */
    readonly room: number;
  };
}

/** Reports whether an engine works with its full capabilities, or is disabled. */
export function isHealthy({ state, trouble }: EngineHealth): boolean {
  return ["warm", "fallback", "off", "asleep"].includes(state) && trouble === undefined;
}
