// Counts the container's jobs for Prometheus, and reports the state of its engines. docs/metrics.md lists the metrics.

import { Counter, Gauge, Histogram, type PrometheusContentType, Registry } from "prom-client";
import type { AnswerEnd } from "../../src/placement/remote.ts";
import { ENGINE_STATES, type EngineState } from "../processes/engine-state.ts";
import { collectProcessMetrics, DURATION_BUCKETS } from "../processes/process-metrics.ts";
import type { Hosted } from "./hosted.ts";

/** The metrics of this process itself. The host serves these and its own in one page, so that names must differ. */
const PROCESS_PREFIX = "pagewright_container_";

/** `left`: the client did not take the whole answer. */
export type JobOutcome = AnswerEnd | "left";

/** A job that has ended. Its times are those of its log line, in milliseconds since it arrived. */
export interface EndedJob {
  readonly outcome: JobOutcome;
  /** Set once its inputs were received. */
  readonly receivedMs?: number;
  /** Set once its turn came. */
  readonly waitedMs?: number;
  readonly durationMs: number;
}

export interface JobMetricsSettings {
  /** Operations, keyed by their name. */
  readonly operations: ReadonlyMap<string, Pick<Hosted, "places">>;
  /** Returns the state of each engine. */
  engines(): Readonly<Record<string, EngineState>>;
}

export class JobMetrics {
  readonly #registry = new Registry<PrometheusContentType>();
  readonly #ended: Counter<"operation" | "outcome">;
  readonly #wait: Histogram<"operation">;
  readonly #run: Histogram<"operation">;
  #countsProcess = false;

  constructor({ operations, engines }: JobMetricsSettings) {
    const registers = [this.#registry];
    this.#addPlaces(operations);
    this.#ended = new Counter({
      name: "pagewright_jobs_ended_total",
      help: "Jobs that ended.",
      labelNames: ["operation", "outcome"],
      registers,
    });
    this.#wait = new Histogram({
      name: "pagewright_job_wait_seconds",
      help: "Time from the last byte of a job's inputs to its turn.",
      ...{ labelNames: ["operation"], buckets: DURATION_BUCKETS, registers },
    });
    this.#run = new Histogram({
      name: "pagewright_job_run_seconds",
      help: "Time from a job's turn to its end.",
      ...{ labelNames: ["operation"], buckets: DURATION_BUCKETS, registers },
    });
    new Gauge({
      name: "pagewright_engine_state",
      help: "1 for the state that the engine is in, 0 for the others.",
      ...{ labelNames: ["engine", "state"], registers },
      collect() {
        for (const [engine, current] of Object.entries(engines())) {
          for (const state of ENGINE_STATES) this.set({ engine, state }, state === current ? 1 : 0);
        }
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  ended(operation: string, { outcome, receivedMs, waitedMs, durationMs }: EndedJob): void {
    this.#ended.inc({ operation, outcome });
    if (receivedMs === undefined || waitedMs === undefined) return;
    this.#wait.observe({ operation }, (waitedMs - receivedMs) / 1000);
    this.#run.observe({ operation }, (durationMs - waitedMs) / 1000);
  }

  /** Returns all metrics in Prometheus' text format. */
  async text(): Promise<string> {
    // They watch the event loop and the garbage collector, in vain where nobody asks.
    if (!this.#countsProcess) collectProcessMetrics(this.#registry, PROCESS_PREFIX);
    this.#countsProcess = true;
    return this.#registry.metrics();
  }

  #addPlaces(operations: JobMetricsSettings["operations"]): void {
    const add = (name: string, help: string, property: "waiting" | "running") =>
      new Gauge({
        ...{ name, help, labelNames: ["operation"], registers: [this.#registry] },
        collect() {
          for (const [operation, { places }] of operations) this.set({ operation }, places[property]);
        },
      });
    add("pagewright_jobs_waiting", "Jobs that wait for their turn.", "waiting");
    add("pagewright_jobs_running", "Jobs whose turn has come and that have not ended.", "running");
  }
}
