// The container service: starts the engines, listens for requests, and shuts down gracefully. Writes JSON lines to
// standard output.
//
// Environment variables:
// - CONTAINER_SECRET (required)
// - PORT, HOST
// - ENGINES: names of the engines to start (engine-selection.ts). Default: all. Operations of other engines return 404
// - JOB_CONCURRENCY (old name: JOBS): number of concurrent jobs per operation
// - SHUTDOWN_GRACE_SECONDS (old name: GRACE_MS): time for running jobs after SIGTERM. Default: graceMs in limits.ts
// - SCRATCH_DIR: a folder that other users can enter
// - MEMORY_SCRATCH_DIR: a folder in memory with the same permissions. Default: /dev/shm
// - FONTS_DIR: a folder with fonts for all jobs, in addition to the installed ones
// - SHARED_RENDERERS: `off` gives each HTML document a renderer of its own
// - URL_ALLOW: addresses that `url` and web pages can load in addition to the public web
//   (engines/chromium/network/web-addresses.ts)
// - URL_DNS: DNS servers to use

import { totalmem } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { EngineFailure } from "../src/document/contract/failure.ts";
import type { Operation } from "../src/document/contract/operation.ts";
import { CONTAINER_OPERATIONS } from "../src/operations/index.ts";
import type { EngineHealth } from "../src/service/placement/container-health.ts";
import { EngineProbes } from "./engine-lifecycle/engine-probes.ts";
import { RunningEngines } from "./engine-lifecycle/running-engines.ts";
import { ENGINE_NAMES, type EngineName, MISCONFIGURED, selectedEngines } from "./engine-selection.ts";
import { readWebSettings } from "./engines/web/web-settings.ts";
import { deployFonts } from "./fonts/added-fonts.ts";
import { createApp } from "./jobs/app.ts";
import type { ContainerJob, ContainerOperation } from "./jobs/container-job.ts";
import { JobMetrics } from "./jobs/job-metrics.ts";
import { JobPool } from "./jobs/job-pool.ts";
import { runPartitioned, ThreadAllocator } from "./jobs/partitions.ts";
import { SlowLane, slowLaneCapacity } from "./jobs/slow-lane.ts";
import { CONTAINER_LIMITS } from "./limits.ts";
import { NATIVE_OPERATIONS } from "./operations/index.ts";
import type { NativeOperation } from "./operations/native.ts";
import { collectLessOften, shrinkWhenIdle } from "./processes/garbage-collection.ts";
import { threadJob } from "./processes/thread-job.ts";
import { Scratch } from "./scratch/scratch.ts";
import { readServerSettings } from "./settings.ts";
import { startHeartbeat, surviveExceptions } from "./supervision/heartbeat.ts";

const { CONTAINER_SECRET: secret, PORT = "8080", HOST = "127.0.0.1", SCRATCH_DIR } = process.env;
const { MEMORY_SCRATCH_DIR = "/dev/shm" } = process.env;
if (!secret) leave("CONTAINER_SECRET is not set: it is what the Worker shows with every request.");
const { jobs, graceMs, fontsFolder, sharesRenderers } = orLeave(() => readServerSettings(process.env));
const selected = orLeave(() => selectedEngines(process.env.ENGINES));
const web = orLeave(() => readWebSettings(process.env));

/** Interval between checks for running jobs during shutdown. */
const LOOK_MS = 50;
/** Maximum time in which clients can read their responses before their connections are closed. */
const LAST_ANSWERS_MS = 500;

let isUp = false;
surviveExceptions(log, () => isUp);
collectLessOften();
shrinkWhenIdle();

const memoryBytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
const lane = new SlowLane(slowLaneCapacity(jobs, memoryBytes));
const slow = { lane, afterMs: CONTAINER_LIMITS.slowAfterMs };
const { jobsWaitingPerPlace, placeWaitMs: maxWaitMs } = CONTAINER_LIMITS;
const limits = { atOnce: jobs, waiting: jobsWaitingPerPlace * jobs, maxWaitMs, slow };
/** Number of documents that an engine can have open concurrently, in quick and slow jobs together. */
const children = jobs + lane.places;
const ending = new AbortController();
const scratch = await Scratch.open(SCRATCH_DIR, MEMORY_SCRATCH_DIR);
if (fontsFolder !== undefined) {
  const { path } = await scratch.folder("fonts");
  await deployFonts(fontsFolder, path, log).catch((error) => leave(`The fonts of FONTS_DIR cannot be read: ${error}`));
}
const claims = new ThreadAllocator(jobs);
const engines = new RunningEngines({ scratch, selected, jobs, children, web, sharesRenderers, log });
const proofs = new EngineProbes<EngineName>({
  names: ENGINE_NAMES,
  stateOf: (name) => engines.states[name],
  prove: (name, signal) => engines.prove(name, signal),
  restart: (name, reason) => engines.replace(name, reason),
  log,
});
const hosted = selected.has("threads") ? CONTAINER_OPERATIONS : [];
const native = NATIVE_OPERATIONS.filter(({ engine }) => selected.has(engine));
const operations = new Map<string, ContainerOperation>([
  ...hosted.map((operation) => [operation.name, inThreads(operation)] as const),
  ...native.map((operation) => [operation.name, withEngines(operation)] as const),
]);

function inThreads(operation: Operation<unknown>): ContainerOperation {
  const { threads, heapLimitBytes } = engines;
  const { longJobMs: timeoutMs, shareAheadBytes: aheadBytes } = CONTAINER_LIMITS;
  async function* run({ inputs, params, signal, log }: ContainerJob): AsyncGenerator<Uint8Array> {
    const isDivisible = operation.partition?.(params, { share: 0, shares: jobs }) !== undefined;
    using claim = claims.take(isDivisible ? jobs : 1);
    const inThread = (params: unknown, signal: AbortSignal) =>
      threads.run(threadJob(operation, inputs, params, heapLimitBytes), signal, log);
    if (claim.count === 1) return yield* inThread(params, signal);
    const share = (share: number, shares: number, signal: AbortSignal) =>
      inThread(operation.partition!(params, { share, shares }), signal);
    yield* runPartitioned({ claim, aheadBytes, signal, run: share });
  }
  return {
    pool: new JobPool(limits),
    timeoutMs,
    run,
    engine: "threads",
    onSuccess: () => proofs.recordJob("threads"),
  };
}

function withEngines({
  engine,
  countsAsProbe = true,
  run,
  timeoutMs,
  onlyInputs = false,
}: NativeOperation): ContainerOperation {
  const onSuccess = () => {
    if (countsAsProbe) proofs.recordJob(engine);
  };
  return {
    ...{ pool: new JobPool(limits), timeoutMs, onlyInputs, engine, onSuccess },
    run: (job) => run(job, job.params, engines),
  };
}

async function provedEngines() {
  const proved = Object.entries(await proofs.current()) as [EngineName, EngineHealth][];
  const entries = proved.map(async ([name, engine]) => {
    const lacks = engine.state === "off" ? [] : await engines.lacks(name);
    return [name, { ...engine, ...(lacks.length > 0 ? { lacks } : {}) }] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

let stopping = false;
const app = createApp({
  secret,
  operations,
  scratch,
  maxInputBytes: CONTAINER_LIMITS.jobInputBytes,
  ending: ending.signal,
  isEnding: () => stopping,
  engines: provedEngines,
  health: () => ({ engines: engines.states, slow: lane.taken }),
  metrics: new JobMetrics({
    operations,
    engines: () => engines.states,
    processesOf: (name) => engines.processesOf(name as EngineName),
  }),
  log,
});
const listening = {
  ...{ fetch: app.fetch, hostname: HOST, port: Number(PORT) },
  // Half a second after a response, it would close a connection whose request it takes for unread, and which can carry
  // the next request by then. Node itself reads the rest of a request.
  autoCleanupIncoming: false,
  // Must differ from the five seconds after which clients (Workers, and Node) close an idle connection: with equal
  // times, a request can arrive at a connection that is just being closed.
  serverOptions: { keepAliveTimeout: 65_000 },
};
const server = serve(listening, ({ port }) => {
  log("server started", { port, jobs, engines: [...selected].join(",") });
  isUp = true;
  startHeartbeat();
  if (process.connected) process.send?.({ port, pid: process.pid });
});
server.on("error", (error) => {
  if (isUp) return log("connection not accepted", { error: String(error) });
  log("server not started", { error: String(error) });
  process.exit(1);
});

engines.start();

async function stop(reason: string, graceMs: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  log("shutdown started", { reason });
  try {
    await end(graceMs);
  } finally {
    process.exit(0);
  }
}

/** Waits a limited time for running jobs. Meanwhile, the service listens and rejects new jobs. */
async function end(graceMs: number): Promise<void> {
  engines.holdStarts();
  const until = performance.now() + graceMs;
  while (isBusy() && performance.now() < until) await sleep(LOOK_MS);
  ending.abort(new EngineFailure("busy", "the service ends"));
  const closed = new Promise((resolve) => server.close(resolve));
  await Promise.race([closed, sleep(LAST_ANSWERS_MS)]);
  await engines.close();
  await scratch[Symbol.asyncDispose]();
}

function isBusy(): boolean {
  return [...operations.values()].some(({ pool }) => pool.counts.present > 0);
}

function orLeave<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return leave((error as Error).message);
  }
}

function leave(reason: string): never {
  console.error(reason);
  process.exit(MISCONFIGURED);
}

process.on("SIGTERM", () => void stop("SIGTERM", graceMs));
process.on("SIGINT", () => void stop("SIGINT", graceMs));
// The process that started this service has ended, so no one waits for a response.
process.on("disconnect", () => void stop("the parent is gone", 0));
// That process had ended before this one could observe it, for example because the supervisor has just restarted the
// service.
if (process.connected === false) void stop("the parent is gone", 0);

function log(message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), message, ...details }));
}
