// The service on Node: serves the app, starts the engines, deletes expired files, and shuts down gracefully. Writes the
// log to standard output as lines of JSON. settings.ts lists the environment variables.

import type { Server } from "node:http";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { collectLessOften, shrinkWhenIdle } from "../container/processes/garbage-collection.ts";
import { startHeartbeat, surviveExceptions } from "../container/supervision/heartbeat.ts";
import { createApp } from "../src/app/app.ts";
import { delay } from "../src/runtime/delay.ts";
import { logLine } from "../src/runtime/log-line.ts";
import { deleteJobFiles } from "../src/service/jobs/delete-job-files.ts";
import { JobScheduler } from "../src/service/jobs/scheduler.ts";
import { removeOldUsage } from "../src/service/keys/usage-table.ts";
import { type Env, readConfig } from "../src/service/settings/config.ts";
import { removeExpired } from "../src/service/storage/expired.ts";
import { createStore } from "../src/service/storage/store.ts";
import { FRESH_SECONDS } from "../src/service/views/image-cache.ts";
import { Alarm } from "./alarm.ts";
import { limitConnections } from "./connections.ts";
import { EngineServerSupervisor } from "./engine-supervisor.ts";
import { EnvironmentKeys } from "./environment-keys.ts";
import { HostMetrics } from "./host-metrics.ts";
import { serveMetrics } from "./metrics-server.ts";
import { RequestListener } from "./request-listener.ts";
import { engineEnvironment, readSettings, type Settings } from "./settings.ts";
import { DiskImageCache } from "./storage/disk-image-cache.ts";
import { MemoryImageCache } from "./storage/memory-image-cache.ts";
import { openBucket, storeIdentity } from "./storage/open-bucket.ts";
import { openRecords } from "./storage/open-records.ts";
import { KeyCache } from "./storage/postgres/key-cache.ts";

const SWEEP_EVERY_MS = 10 * 60_000;
/**
 * Keep-alive timeout. It is longer than the timeouts of proxies, because a proxy can lose a request on a connection
 * that the server closes first.
 */
const KEEP_ALIVE_MS = 75_000;
/** Time limit of a whole upload. It suffices for 100 MB at 16 KB/s. Stalled uploads are aborted earlier. */
const RECEIVE_MS = 2 * 3_600_000;
/** Time in which aborted requests can delete their files. */
const CLEAN_UP_MS = 2_000;
/** Interval in which several SIGINTs count as one, because both the terminal and npm send SIGINT. */
const SAME_CTRL_C_MS = 300;
/**
 * Growth of the heap between two full garbage collections. Most buffers in this process are short-lived, so frequent
 * full collections would free little memory.
 */
const HEAP_GROWTH_PERCENT = 200;

let isUp = false;
let stopping: number | undefined;
surviveExceptions(log, () => isUp);
collectLessOften(HEAP_GROWTH_PERCENT);
shrinkWhenIdle();

const settings = orExit(() => readSettings(process.env));
const bucket = await orExit(() => openBucket(settings.dataFolder, process.env)).catch(exit);
const lifetimeMs = readConfig(settings.variables as Env).fileLifetimeMs;
const database = settings.database && {
  ...settings.database,
  store: await storeIdentity(settings.dataFolder, process.env).catch(exit),
};
const records = await openRecords(settings.dataFolder, { lifetimeMs, database }).catch(exit);
const engines = settings.startsEngines
  ? new EngineServerSupervisor({ output: "inherit", env: engineEnvironment(process.env) }, log)
  : undefined;
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => void stop(signal));
process.on("disconnect", () => void stop("the parent has exited"));
// The parent process exited while the storage was being opened.
if (process.connected === false) await stop("the parent has exited");
await engines?.firstAttempt.catch(exit);

const pictureFolder = join(settings.dataFolder, "pictures");
const picturesOnDisk = await DiskImageCache.open(pictureFolder, settings.pictureCacheBytes).catch(exit);
const pictures = new MemoryImageCache(settings.budgets.uploadMemoryPerRequestBytes, picturesOnDisk);
const keys = new EnvironmentKeys(settings.apiKeys, records.keys);
const bindings = {
  API_KEYS: records.failure ? new KeyCache(keys) : keys,
  CLAIMS: records.claims,
  JOBS: { getByName: () => scheduler },
  ...{ LIMITER: records.limiter, USAGE_RECORDS: records.usage, FILES: bucket, PICTURES: pictures },
  ...(records.failure ? { RECORDS: { failure: records.failure } } : {}),
};
const env = (): Env => ({
  ...{ ...settings.variables, ...engines?.vars, ...bindings },
  ...(stopping === undefined ? {} : { ENDING: "1" }),
});
const metrics = settings.metrics ? new HostMetrics() : undefined;
const app = createApp(settings.budgets, metrics && ((request) => metrics.answered(request)));
const listener = new RequestListener({ app, env, trustedProxies: settings.trustedProxies });
if (settings.metrics && metrics) {
  await serveMetrics({ ...settings.metrics, metrics, container: env, log }).catch((error) => {
    engines?.kill();
    exit(error);
  });
}
const runDue = () => scheduler.runDue().catch((error) => log("job queue unavailable", { error: String(error) }));
const alarm = new Alarm(runDue);
const scheduler = new JobScheduler({
  ...{ store: records.jobs, run: listener.run, deliver: listener.deliver, log },
  remove: (deletion) => deleteJobFiles(bucket, { lifetimeMs, limiter: records.limiter }, deletion),
  setAlarm: (time) => alarm.set(time),
});
await runDue();
records.watchJobs?.(runDue);
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
  limitConnections(listening);
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
    log("expired files removed", await removeExpired(bucket, lifetimeMs));
    await records.sweep((ids) => createStore(bucket, { lifetimeMs }).remove(ids));
    await removeOldUsage(records.usage);
    await picturesOnDisk.sweep(Date.now() - FRESH_SECONDS * 1000);
  } catch (error) {
    log("expired files not removed", { error: String(error) });
  }
}

async function stop(reason: string): Promise<void> {
  if (stopping !== undefined) {
    if (performance.now() - stopping > SAME_CTRL_C_MS) {
      engines?.kill();
      process.exit(130);
    }
    return;
  }
  stopping = performance.now();
  log("shutdown started", { reason });
  try {
    await end();
  } finally {
    process.exit(0);
  }
}

async function end(): Promise<void> {
  scheduler.close();
  alarm.set(undefined);
  if (isUp) {
    await delay(settings.stopDelayMs);
    const closed = new Promise((resolve) => server.close(resolve));
    const quiet = closed.then(() => listener.idle());
    if (!(await endsWithin(quiet, settings.stopMs))) {
      log("requests aborted");
      server.closeAllConnections();
      await endsWithin(quiet, CLEAN_UP_MS);
    }
  }
  await engines?.close();
  await records[Symbol.asyncDispose]();
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
