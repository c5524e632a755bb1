// Describes the container's answer to GET /ready, for both ends.

/** A proof that an engine works: its last answered job, or a small task that was made up for it. */
export interface EngineProbe {
  readonly by: "job" | "probe";
  readonly secondsAgo: number;
}

export interface EngineHealth {
  /** One of `ENGINE_STATES` (container/supervision/engine-state.ts), or `asleep` with the containers of the platform. */
  readonly state: string;
  /** The last proof. @default there was none */
  readonly proof?: EngineProbe;
  /** Set while the engine runs and does not work: its last proof failed, or the last ones were late. */
  readonly trouble?: "failed" | "late";
  /** Parts of its sandbox that the engine lacks, by the words of SECURITY.md. @default none */
  readonly lacks?: readonly string[];
}

export interface ContainerHealth {
  readonly status: "OK" | "unavailable" | "ending";
  readonly engines: Readonly<Record<string, EngineHealth>>;
  readonly queue: {
    /** Jobs that wait for their turn. */
    readonly waiting: number;
    /** Number of further jobs of any operation that are accepted. */
    readonly room: number;
  };
}

/** Reports whether an engine does its work, as well as it can, or is not meant to. */
export function isHealthy({ state, trouble }: EngineHealth): boolean {
  return ["warm", "fallback", "off", "asleep"].includes(state) && trouble === undefined;
}
