// Records when each engine last worked: in a job, or in a probe, which never queues behind jobs. Engines are probed
// only when their health is requested.

import type { EngineHealth, EngineProbe } from "../../src/service/placement/container-health.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import type { EngineState } from "../supervision/engine-state.ts";

export interface ProofsSettings<Name extends string> {
  readonly names: readonly Name[];
  stateOf(name: Name): EngineState;
  /** Runs the engine's probe. @throws Error if the probe fails, or the signal's reason when aborted */
  prove(name: Name, signal: AbortSignal): Promise<void>;
  /** Restarts an engine that runs, but fails its probes. */
  restart(name: Name, reason: string): void;
  log(message: string, details: Record<string, unknown>): void;
}

/** Results of one engine's probes and jobs. */
interface Known {
  proof: { readonly by: EngineProbe["by"]; readonly at: number } | undefined;
  /** Time of the last probe that failed or timed out. */
  failedAt: number;
  /** Consecutive failures. */
  failures: number;
  /** Consecutive timeouts. */
  lateProofs: number;
  trouble: EngineHealth["trouble"];
  proving: Promise<void> | undefined;
}

/** Time for which a successful probe or job remains valid. */
export const PROBE_TTL_MS = 10_000;
/** Delay before the next probe after a failure. */
const AGAIN_MS = 1_000;
/** Consecutive timeouts that count as a failure. A busy machine alone can cause a single timeout. */
const MAX_LATE = 2;
/** Consecutive failures after which the engine is restarted. */
const MAX_FAILURES = 3;

export class EngineProbes<Name extends string> {
  readonly #settings: ProofsSettings<Name>;
  readonly #records: ReadonlyMap<Name, Known>;

  constructor(settings: ProofsSettings<Name>) {
    this.#settings = settings;
    const unproved = () => ({
      ...{
        proof: undefined,
        failedAt: Number.NEGATIVE_INFINITY,
        failures: 0,
        lateProofs: 0,
        trouble: undefined,
        proving: undefined,
      },
    });
    this.#records = new Map(settings.names.map((name) => [name, unproved()]));
  }

  /** Records that a job of the engine succeeded. */
  recordJob(name: Name): void {
    const record = this.#records.get(name);
    if (record) prove(record, "job");
  }

  /**
   * Probes the engines whose last success is too old, concurrently and for a limited time. Returns the health of all
   * engines.
   */
  async current(): Promise<Readonly<Record<Name, EngineHealth>>> {
    await Promise.all([...this.#records].map(([name, record]) => this.#refresh(name, record)));
    const now = performance.now();
    const entries = [...this.#records].map(([name, { proof, trouble }]): [Name, EngineHealth] => {
      const secondsAgo = proof && Math.round((now - proof.at) / 1000);
      return [
        name,
        {
          state: this.#settings.stateOf(name),
          ...(proof ? { proof: { by: proof.by, secondsAgo: secondsAgo! } } : {}),
          ...(trouble === undefined ? {} : { trouble }),
        },
      ];
    });
    return Object.fromEntries(entries) as Record<Name, EngineHealth>;
  }

  async #refresh(name: Name, record: Known): Promise<void> {
    // Probes only warm engines. The state of any other engine already shows the reason, and a fallback is too slow for
    // a probe.
    if (this.#settings.stateOf(name) !== "warm") {
      forget(record);
      return;
    }
    const now = performance.now();
    const isProved = record.proof && now - record.proof.at < PROBE_TTL_MS;
    if ((isProved && record.failures + record.lateProofs === 0) || now - record.failedAt < AGAIN_MS) return;
    record.proving ??= this.#prove(name, record).finally(() => {
      record.proving = undefined;
    });
    await record.proving;
  }

  async #prove(name: Name, record: Known): Promise<void> {
    const signal = AbortSignal.timeout(CONTAINER_LIMITS.engineProofMs);
    const startedAt = performance.now();
    try {
      await this.#settings.prove(name, signal);
      prove(record, "probe");
    } catch (error) {
      // A job has succeeded since the probe started.
      if (record.proof && record.proof.at > startedAt) return;
      this.#failed(name, record, signal.aborted ? "late" : "failed", String(error));
    }
  }

  #failed(name: Name, record: Known, how: "failed" | "late", error: string): void {
    const { stateOf, log, restart } = this.#settings;
    // If the engine has just exited, its state reports the exit.
    if (stateOf(name) !== "warm") return;
    record.failedAt = performance.now();
    record.lateProofs = how === "late" ? record.lateProofs + 1 : 0;
    record.failures = how === "failed" ? record.failures + 1 : 0;
    log("engine probe failed", { engine: name, how, error });
    if (how === "failed" || record.lateProofs >= MAX_LATE) record.trouble = how;
    // Only failures restart the engine. On a busy machine, a restart after a timeout would take even longer.
    if (record.failures > 0 && record.failures % MAX_FAILURES === 0)
      restart(name, `${MAX_FAILURES} proofs failed: ${error}`);
  }
}

function prove(record: Known, by: EngineProbe["by"]): void {
  record.proof = { by, at: performance.now() };
  forget(record);
}

/** Resets the recorded failures of an engine. */
function forget(record: Known): void {
  record.failures = 0;
  record.lateProofs = 0;
  record.trouble = undefined;
}
