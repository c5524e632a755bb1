// Tells how each engine was last proved to work: by a job, or by a small task of its own that never waits for a job.
// Nothing is proved unless somebody asks. Knows nothing about particular engines.

import type { EngineHealth, EngineProbe } from "../../src/service/placement/container-health.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import type { EngineState } from "../supervision/engine-state.ts";

export interface ProofsSettings<Name extends string> {
  readonly names: readonly Name[];
  stateOf(name: Name): EngineState;
  /** Makes the engine work. @throws Error if it does not, or the signal's reason when aborted */
  prove(name: Name, signal: AbortSignal): Promise<void>;
  /** Starts an engine anew that runs and proves nothing. */
  restart(name: Name, reason: string): void;
  log(message: string, details: Record<string, unknown>): void;
}

/** What is known of one engine. */
interface Known {
  proof: { readonly by: EngineProbe["by"]; readonly at: number } | undefined;
  /** Time of the last attempt that failed or was late. */
  failedAt: number;
  /** Failures in a row. */
  failures: number;
  /** Late proofs in a row. */
  lateProofs: number;
  trouble: EngineHealth["trouble"];
  proving: Promise<void> | undefined;
}

/** Time for which a proof holds. */
export const PROBE_TTL_MS = 10_000;
/** Pause after a failure. */
const AGAIN_MS = 1_000;
/** Late answers in a row that count as a failure: one may be late because the machine is busy. */
const MAX_LATE = 2;
/** Failures in a row after which the engine is started anew. */
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

  /** Notes that a job of the engine was answered. */
  recordJob(name: Name): void {
    const record = this.#records.get(name);
    if (record) prove(record, "job");
  }

  /** Proves the engines whose last proof is old, all at the same time and for a limited time, and returns all. */
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
    // Others say why they do not work, or are slower than a proof may be.
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
    const begun = performance.now();
    try {
      await this.#settings.prove(name, signal);
      prove(record, "probe");
    } catch (error) {
      // A job was answered meanwhile.
      if (record.proof && record.proof.at > begun) return;
      this.#failed(name, record, signal.aborted ? "late" : "failed", String(error));
    }
  }

  #failed(name: Name, record: Known, how: "failed" | "late", error: string): void {
    const { stateOf, log, restart } = this.#settings;
    // An engine that has just ended says so by its state.
    if (stateOf(name) !== "warm") return;
    record.failedAt = performance.now();
    record.lateProofs = how === "late" ? record.lateProofs + 1 : 0;
    record.failures = how === "failed" ? record.failures + 1 : 0;
    log("engine probe failed", { engine: name, how, error });
    if (how === "failed" || record.lateProofs >= MAX_LATE) record.trouble = how;
    // An engine that is late is not started anew: on a busy machine, that would take longer still.
    if (record.failures > 0 && record.failures % MAX_FAILURES === 0)
      restart(name, `${MAX_FAILURES} proofs failed: ${error}`);
  }
}

function prove(record: Known, by: EngineProbe["by"]): void {
  record.proof = { by, at: performance.now() };
  forget(record);
}

/** Forgets the failures of an engine. */
function forget(record: Known): void {
  record.failures = 0;
  record.lateProofs = 0;
  record.trouble = undefined;
}
