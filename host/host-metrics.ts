// Collects the host's metrics for Prometheus, and appends the container's. docs/metrics.md lists them.

import type { Server } from "node:http";
import type { Socket } from "node:net";
import { Counter, Gauge, Histogram, type PrometheusContentType, Registry } from "@prometheus-io/client";
import { collectProcessMetrics, DURATION_BUCKETS } from "../container/processes/process-metrics.ts";
import type { CompletedRequest } from "../src/service/ports/completed-request.ts";

/** Prefix of the metrics of this process. The container's process metrics have a different prefix. */
const PROCESS_PREFIX = "pagewright_host_";
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);
/** Label for requests whose route or method is unknown. */
const OTHER = "other";

export class HostMetrics {
  readonly #registry = new Registry<PrometheusContentType>();
  readonly #requests: Counter<"route" | "method" | "status">;
  readonly #durations: Histogram<"route" | "method">;
  readonly #containerUp: Gauge;
  readonly #traffic = new Traffic();

  constructor() {
    const registers = [this.#registry];
    this.#requests = new Counter({
      name: "pagewright_requests_total",
      help: "Completed requests.",
      ...{ labelNames: ["route", "method", "status"], registers },
    });
    this.#durations = new Histogram({
      name: "pagewright_request_duration_seconds",
      help: "Time from the request headers to the response headers.",
      ...{ labelNames: ["route", "method"], buckets: DURATION_BUCKETS, registers },
    });
    const traffic = this.#traffic;
    new Counter({
      name: "pagewright_received_bytes_total",
      help: "Bytes that clients sent, with the headers of HTTP.",
      registers,
      collect() {
        this.reset();
        this.inc(traffic.total("bytesRead"));
      },
    });
    new Counter({
      name: "pagewright_sent_bytes_total",
      help: "Bytes that were sent to clients, with the headers of HTTP.",
      registers,
      collect() {
        this.reset();
        this.inc(traffic.total("bytesWritten"));
      },
    });
    this.#containerUp = new Gauge({
      name: "pagewright_container_up",
      help: "1 if the container's metrics follow, 0 if it did not respond or there is none.",
      registers,
    });
    collectProcessMetrics(this.#registry, PROCESS_PREFIX);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Counts the bytes of a server's connections. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#traffic.add(socket));
  }

  answered({ route: pattern, method: name, status, durationMs }: CompletedRequest): void {
    const route = pattern.endsWith("*") ? OTHER : pattern;
    const method = METHODS.has(name) ? name : OTHER;
    this.#requests.inc({ route, method, status });
    this.#durations.observe({ route, method }, durationMs / 1000);
  }

  /**
   * Returns all metrics in Prometheus' text format.
   * @param container the container's metrics in the same format; undefined if the container did not respond
   */
  async text(container: string | undefined): Promise<string> {
    this.#containerUp.set(container === undefined ? 0 : 1);
    return `${await this.#registry.metrics()}${container ?? ""}`;
  }
}

/** Counts the bytes of connections. Reads the counters of the sockets on demand, so that chunks cause no overhead. */
class Traffic {
  readonly #open = new Set<Socket>();
  readonly #closed = { bytesRead: 0, bytesWritten: 0 };

  add(socket: Socket): void {
    this.#open.add(socket);
    socket.once("close", () => {
      this.#open.delete(socket);
      this.#closed.bytesRead += socket.bytesRead;
      this.#closed.bytesWritten += socket.bytesWritten;
    });
  }

  total(direction: "bytesRead" | "bytesWritten"): number {
    return [...this.#open].reduce((sum, socket) => sum + socket[direction], this.#closed[direction]);
  }
}
