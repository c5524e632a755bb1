// The service on Node: serves the app, starts the engines beside it, removes expired files, and shuts down gracefully.
// Writes JSON lines to standard output. settings.ts lists its environment variables.

import type { Server } from "node:http";
import { serve } from "@hono/node-server";
import { collectLessOften } from "../container/processes/garbage-collection.ts";
import { startHeartbeat, surviveExceptions } from "../container/supervision/heartbeat.ts";
import { createApp } from "../src/app/app.ts";
import { logLine } from "../src/runtime/log-line.ts";
import { deleteJobFiles } from "../src/service/jobs/delete-job-files.ts";
import { removeOldUsage } from "../src/service/keys/usage-table.ts";
import { type Env, readConfig } from "../src/service/settings/config.ts";
import { removeExpired } from "../src/service/storage/expired.ts";
import { createStore } from "../src/service/storage/store.ts";
import { EngineServerSupervisor } from "./engine-supervisor.ts";
import { EnvironmentKeys } from "./environment-keys.ts";
import { HostMetrics } from "./host-metrics.ts";
import { serveMetrics } from "./metrics-server.ts";
import { RequestListener } from "./request-listener.ts";
import { readSettings, type Settings } from "./settings.ts";
import { MemoryImageCache } from "./storage/memory-image-cache.ts";
import { openBucket } from "./storage/open-bucket.ts";
import { ClaimDatabase } from "./storage/sqlite/claim-database.ts";
import { JobDatabase } from "./storage/sqlite/job-database.ts";
import { KeyDatabase } from "./storage/sqlite/key-database.ts";
import { UsageDatabase } from "./storage/sqlite/usage-database.ts";

const SWEEP_EVERY_MS = 10 * 60_000;
/** Longer than proxies keep a connection: the side that closes second loses a request. */
const KEEP_ALIVE_MS = 75_000;
/** Time for a whole upload: a line of 16 KB/s sends 100 MB. One that stalls is given up before. */
const RECEIVE_MS = 2 * 3_600_000;
/** Time for requests that were cut off to remove their files. */
const CLEAN_UP_MS = 2_000;
/** Time within which two Ctrl-C count as one: the terminal and npm both send it. */
const SAME_CTRL_C_MS = 300;
/** Few of the buffers that pass through this process are alive at any time, so that marking the heap frees little. */
const HEAP_GROWTH_PERCENT = 200;

let isUp = false;
let stopping: number | undefined;
surviveExceptions(log, () => isUp);
collectLessOften(HEAP_GROWTH_PERCENT);

const settings = orExit(() => readSettings(process.env));
const bucket = await orExit(() => openBucket(settings.dataFolder, process.env)).catch(exit);
const database = await KeyDatabase.open(settings.dataFolder).catch(exit);
const usage = await UsageDatabase.open(settings.dataFolder).catch(exit);
const claims = await ClaimDatabase.open(settings.dataFolder).catch(exit);
const jobs = await JobDatabase.open(settings.dataFolder).catch(exit);
const keys = new EnvironmentKeys(settings.apiKeys, database);
const engines = settings.startsEngines
  ? new EngineServerSupervisor({ output: "inherit", env: engineEnvironment() }, log)
  : undefined;
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void stop(signal));
process.on("disconnect", () => void stop("the parent is gone"));
// The parent ended while the storage was opened.
if (process.connected === false) await stop("the parent is gone");
await engines?.firstAttempt.catch(exit);

const pictures = new MemoryImageCache(settings.budgets.keptUploadBytes);
const records = { API_KEYS: keys, CLAIMS: claims, JOBS: jobs, LIMITER: usage, USAGE_RECORDS: usage };
const env = (): Env => ({ ...settings.variables, ...engines?.vars, ...records, FILES: bucket, PICTURES: pictures });
const metrics = settings.metrics ? new HostMetrics() : undefined;
const app = createApp(settings.budgets, metrics && ((request) => metrics.answered(request)));
const listener = new RequestListener({ app, env, trustedProxies: settings.trustedProxies });
if (settings.metrics && metrics) {
  await serveMetrics({ ...settings.metrics, metrics, container: env, log }).catch((error) => {
    engines?.kill();
    exit(error);
  });
}
jobs.start({
  lifetimeMs: readConfig(env()).fileLifetimeMs,
  ...{ run: listener.run, deliver: listener.deliver },
  remove: (removal) =>
    deleteJobFiles(bucket, { lifetimeMs: readConfig(env()).fileLifetimeMs, limiter: usage }, removal),
  log,
});
const server = listen(settings);
await sweep();
setInterval(sweep, SWEEP_EVERY_MS).unref();

function listen({ host, port }: Settings): Server {
  const serverOptions = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: RECEIVE_MS };
  const listening = serve({ fetch: listener.fetch, hostname: host, port, serverOptions }, ({ port }) => {
    log("host started", { host, port });
    isUp = true;
    startHeartbeat();
    if (process.connected) process.send?.({ port, pid: process.pid });
  }) as Server;
  metrics?.watch(listening);
  listening.on("error", (error) => {
    if (isUp) return log("connection not accepted", { error: String(error) });
    log("host not started", { host, port, error: String(error) });
    engines?.kill();
    process.exit(1);
  });
  return listening;
}

async function sweep(): Promise<void> {
  try {
    const { fileLifetimeMs } = readConfig(env());
    log("expired files removed", await removeExpired(bucket, fileLifetimeMs));
    await claims.sweep((ids) => createStore(bucket, { lifetimeMs: fileLifetimeMs }).remove(ids));
    usage.tidy();
    await removeOldUsage(usage);
  } catch (error) {
    log("expired files not removed", { error: String(error) });
  }
}

async function stop(why: string): Promise<void> {
  if (stopping !== undefined) {
    if (performance.now() - stopping > SAME_CTRL_C_MS) {
      engines?.kill();
      process.exit(130);
    }
    return;
  }
  stopping = performance.now();
  log("shutdown started", { why });
  try {
    await end();
  } finally {
    process.exit(0);
  }
}

async function end(): Promise<void> {
  jobs.close();
  if (isUp) {
    const closed = new Promise((resolve) => server.close(resolve));
    const quiet = closed.then(() => listener.idle());
    if (!(await endsWithin(quiet, settings.stopMs))) {
      log("requests cut off");
      server.closeAllConnections();
      await endsWithin(quiet, CLEAN_UP_MS);
    }
  }
  await engines?.close();
  database[Symbol.dispose]();
  usage[Symbol.dispose]();
  claims[Symbol.dispose]();
  jobs[Symbol.dispose]();
  bucket[Symbol.dispose]();
}

async function endsWithin(work: Promise<unknown>, limitMs: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), limitMs);
  work.then(
    () => resolve(true),
    () => resolve(true),
  );
  const hasEnded = await promise;
  clearTimeout(timer);
  return hasEnded;
}

/** Returns the environment without the secrets that the engines do not need. */
function engineEnvironment(): NodeJS.ProcessEnv {
  const isSecret = (name: string) => name === "API_KEYS" || name.startsWith("S3_") || name.startsWith("OTEL_");
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSecret(name)));
}

function orExit<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    return exit(error);
  }
}

function exit(error: unknown): never {
  log("host not started", { error: String(error) });
  process.exit(1);
}

function log(message: string, details: Record<string, unknown> = {}): void {
  console.log(logLine({ time: new Date().toISOString() }, message, details));
}
