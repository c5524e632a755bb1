// Prometheus metrics of the engines: state, process events (such as restarts) and memory.

import { Counter, Gauge, type PrometheusContentType, type Registry } from "@prometheus-io/client";
import { ENGINE_TITLES, type EngineName } from "../engine-selection.ts";
import { pssBytes } from "../processes/proc.ts";
import { type EngineEvent, eventsOf } from "../supervision/engine-events.ts";
import { ENGINE_STATES, type EngineState } from "../supervision/engine-state.ts";

const EVENTS: Readonly<Record<EngineEvent, { readonly name: string; readonly help: string }>> = {
  restart: { name: "pagewright_engine_restarts_total", help: "Processes and threads that ended unexpectedly." },
  kill: { name: "pagewright_engine_kills_total", help: "Processes and threads that the service killed." },
  fallback: { name: "pagewright_engine_fallbacks_total", help: "Jobs that ran in the fallback of their engine." },
};

/**
 * @param engines returns the state of each engine, by name
 * @param processesOf returns the process IDs of an engine
 */
export function addEngineMetrics(
  registry: Registry<PrometheusContentType>,
  engines: () => Readonly<Record<string, EngineState>>,
  processesOf: (engine: string) => readonly number[],
): void {
  const registers = [registry];
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
  for (const [event, about] of Object.entries(EVENTS) as [EngineEvent, (typeof EVENTS)[EngineEvent]][]) {
    new Counter({
      ...{ ...about, labelNames: ["engine"], registers },
      collect() {
        this.reset();
        for (const engine of Object.keys(engines())) {
          this.inc({ engine }, eventsOf(ENGINE_TITLES[engine as EngineName], event));
        }
      },
    });
  }
  new Gauge({
    name: "pagewright_engine_memory_bytes",
    help: "Memory of the processes of the engine; what several share is divided among them.",
    ...{ labelNames: ["engine"], registers },
    async collect() {
      for (const engine of Object.keys(engines())) {
        const sizes = await Promise.all(processesOf(engine).map(pssBytes));
        this.set(
          { engine },
          sizes.reduce((sum, size) => sum + size, 0),
        );
      }
    },
  });
}
