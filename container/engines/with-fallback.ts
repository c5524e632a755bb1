// Runs an engine's jobs in forks of its warm zygote. While there is no zygote, runs them in the engine's plain program,
// which is slow but works wherever the engine does.

import { countEvent } from "../supervision/engine-events.ts";
import type { EngineState } from "../supervision/engine-state.ts";
import { type Launch, NotReady } from "../supervision/resident.ts";
import { Zygote, type ZygoteJob } from "./zygote/zygote.ts";

/** Children of a zygote that are reserved for probes, so that a probe never waits for a job. */
export const PROBE_CONCURRENCY = 1;

/** Starts the engine's program once for each job. */
export interface FallbackRunner<Job, Result> {
  /** @throws EngineFailure */
  convert(job: Job, signal: AbortSignal): Promise<Result>;
}

export interface FallbackSettings<Job extends ZygoteJob, Result, PlainMode extends string> {
  /** The engine's name, for the log. */
  readonly engine: string;
  /** Maximum number of concurrent jobs in the zygote; further ones wait. */
  readonly children: number;
  /** @throws NotReady */
  prepare(): Promise<Launch>;
  /** Converts the detail with which a child reported success. */
  resultOf(detail: string): Result;
  readonly plain: FallbackRunner<Job, Result>;
  readonly plainMode: PlainMode;
  log(message: string, details?: Record<string, unknown>): void;
}

export class EngineWithFallback<Job extends ZygoteJob, Result, PlainMode extends string> {
  readonly #settings: FallbackSettings<Job, Result, PlainMode>;
  readonly #zygote: Zygote;

  private constructor(settings: FallbackSettings<Job, Result, PlainMode>) {
    this.#settings = settings;
    const { engine, children, prepare, log } = settings;
    const warm = (about: Record<string, unknown>) => log("zygote warmed", { engine, mode: "zygote", ...about });
    this.#zygote = new Zygote({ engine, children, prepare, warm, log });
  }

  /**
   * Resolves once the zygote is warm, or once its first start has failed; the start is then retried. The log shows
   * which.
   */
  static async start<Job extends ZygoteJob, Result, PlainMode extends string>(
    settings: FallbackSettings<Job, Result, PlainMode>,
  ): Promise<EngineWithFallback<Job, Result, PlainMode>> {
    const runner = new EngineWithFallback(settings);
    const { engine, plainMode, log } = settings;
    try {
      await runner.#zygote.started();
    } catch (error) {
      log("engine fallback chosen", { engine, mode: plainMode, reason: (error as Error).message });
    }
    return runner;
  }

  get mode(): "zygote" | PlainMode {
    return this.#zygote.isFailing ? this.#settings.plainMode : "zygote";
  }

  get state(): EngineState {
    if (this.#zygote.isFailing) return "fallback";
    return this.#zygote.pid === undefined ? "starting" : "warm";
  }

  /** Process ID of the zygote, if it runs. */
  get pid(): number | undefined {
    return this.#zygote.pid;
  }

  /**
   * Runs a job.
   * @throws EngineFailure
   * @throws the signal's reason when aborted
   */
  async convert(job: Job, signal: AbortSignal): Promise<Result> {
    const { engine, plain, resultOf } = this.#settings;
    try {
      return resultOf(await this.#zygote.convert(job, signal));
    } catch (failure) {
      if (!(failure instanceof NotReady)) throw failure;
      countEvent(engine, "fallback");
      return plain.convert(job, signal);
    }
  }

  /**
   * Probes the zygote with a sample document.
   * @throws EngineFailure as {@link convert}
   */
  async probe(job: Job, signal: AbortSignal): Promise<void> {
    await this.#zygote.prove(job, signal);
  }

  /** Restarts a zygote that fails its probes. */
  restart(reason: string): void {
    this.#zygote.replace(reason);
  }

  async close(): Promise<void> {
    await this.#zygote.close();
  }
}
