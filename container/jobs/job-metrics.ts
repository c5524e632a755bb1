// Counts the container's jobs for Prometheus, and reports the state of its engines. docs/metrics.md lists the metrics.

import { Counter, Gauge, Histogram, type PrometheusContentType, Registry } from "@prometheus-io/client";
import type { ResponseOutcome } from "../../src/service/placement/remote.ts";
import { addEngineMetrics } from "../engine-lifecycle/engine-metrics.ts";
import { collectProcessMetrics, DURATION_BUCKETS } from "../processes/process-metrics.ts";
import type { EngineState } from "../supervision/engine-state.ts";
import type { ContainerOperation } from "./container-job.ts";

/** Prefix of the metrics of this Node process. The host serves them together with its own, so the names must differ. */
const PROCESS_PREFIX = "pagewright_container_";

/** `left`: the client disconnected before the end of the response. */
export type JobOutcome = ResponseOutcome | "left";

/** A job that has ended. Times are in milliseconds since its arrival, as in its log line. */
export interface EndedJob {
  readonly outcome: JobOutcome;
  /** Set if the job's inputs were received. */
  readonly receivedMs?: number;
  /** Set if the job received its permit. */
  readonly waitedMs?: number;
  readonly durationMs: number;
  /** Total size of the job's inputs. Set if their headers have arrived. */
  readonly inputBytes?: number;
  /** Size of the response's frames. @default 0 */
  readonly responseBytes?: number;
}

export interface JobMetricsSettings {
  /** Operations, keyed by their name. */
  readonly operations: ReadonlyMap<string, Pick<ContainerOperation, "pool">>;
  /** Returns the state of each engine, by its name in the setting ENGINES. */
  engines(): Readonly<Record<string, EngineState>>;
  /** Returns the IDs of an engine's processes, without processes of this service. @default none */
  processesOf?(engine: string): readonly number[];
}

export class JobMetrics {
  readonly #registry = new Registry<PrometheusContentType>();
  readonly #ended: Counter<"operation" | "outcome">;
  readonly #wait: Histogram<"operation">;
  readonly #run: Histogram<"operation">;
  readonly #inputBytes: Counter<"operation">;
  readonly #responseBytes: readonly Counter<"operation">[];
  #countsProcess = false;

  constructor({ operations, engines, processesOf = () => [] }: JobMetricsSettings) {
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
    this.#inputBytes = new Counter({
      name: "pagewright_job_input_bytes_total",
      help: "Size of the inputs of the jobs that ended.",
      ...{ labelNames: ["operation"], registers },
    });
    // The second name is the old one. It is removed in the next release.
    this.#responseBytes = ["response", "answer"].map(
      (word) =>
        new Counter({
          name: `pagewright_job_${word}_bytes_total`,
          help: "Size of the responses of the jobs that ended, with their frames.",
          ...{ labelNames: ["operation"], registers },
        }),
    );
    addEngineMetrics(this.#registry, engines, processesOf);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  ended(operation: string, job: EndedJob): void {
    const { outcome, receivedMs, waitedMs, durationMs, inputBytes = 0, responseBytes = 0 } = job;
    this.#ended.inc({ operation, outcome });
    this.#inputBytes.inc({ operation }, inputBytes);
    for (const counter of this.#responseBytes) counter.inc({ operation }, responseBytes);
    if (receivedMs === undefined || waitedMs === undefined) return;
    this.#wait.observe({ operation }, (waitedMs - receivedMs) / 1000);
    this.#run.observe({ operation }, (durationMs - waitedMs) / 1000);
  }

  /** Returns all metrics in Prometheus' text format. */
  async text(): Promise<string> {
    // Collected only on request, because monitoring the event loop and the garbage collector takes CPU time.
    if (!this.#countsProcess) collectProcessMetrics(this.#registry, PROCESS_PREFIX);
    this.#countsProcess = true;
    return this.#registry.metrics();
  }

  #addPlaces(operations: JobMetricsSettings["operations"]): void {
    const add = (name: string, help: string, property: "waiting" | "running") =>
      new Gauge({
        ...{ name, help, labelNames: ["operation"], registers: [this.#registry] },
        collect() {
          for (const [operation, { pool }] of operations) this.set({ operation }, pool[property]);
        },
      });
    add("pagewright_jobs_waiting", "Jobs that wait for their turn.", "waiting");
    add("pagewright_jobs_running", "Jobs whose turn has come and that have not ended.", "running");
  }
}
