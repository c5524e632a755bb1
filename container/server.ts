// The container service: starts the engines, listens for requests, and shuts down gracefully. Writes JSON lines to
// standard output.
//
// Environment variables:
// - CONTAINER_SECRET (required)
// - PORT, HOST
// - JOBS: number of jobs of each kind that run at a time
// - SCRATCH_DIR: a folder that other users can pass through
// - MEMORY_SCRATCH_DIR: a folder with the same permissions in memory, /dev/shm by default
// - URL_ALLOW: addresses that `url` and web pages may visit beside the public web, see engines/chromium/web-addresses.ts
// - URL_DNS: the DNS servers to ask

import { availableParallelism, totalmem } from "node:os";
import { serve } from "@hono/node-server";
import { EngineFailure } from "../src/core/failure.ts";
import type { Operation } from "../src/core/operation.ts";
import { HOSTED_OPERATIONS } from "../src/operations/index.ts";
import { Chromium } from "./engines/chromium/chromium.ts";
import { startGhostscript } from "./engines/ghostscript/ghostscript.ts";
import { PdfRewriter } from "./engines/ghostscript/pdf.ts";
import { startLibreOffice } from "./engines/libreoffice/libreoffice.ts";
import { startVeraPdf } from "./engines/verapdf/verapdf.ts";
import { WebFiles } from "./engines/web/web-files.ts";
import { createApp } from "./jobs/app.ts";
import type { Hosted } from "./jobs/hosted.ts";
import { Places } from "./jobs/pool.ts";
import { SlowLane, slowPlaces } from "./jobs/slow-lane.ts";
import { Threads } from "./jobs/threads.ts";
import { Watched } from "./jobs/watched.ts";
import { CONTAINER_LIMITS } from "./limits.ts";
import { NATIVE_OPERATIONS } from "./operations/index.ts";
import type { Engines, NativeOperation } from "./operations/native.ts";
import { warmUp } from "./operations/warm-up.ts";
import { outliveExceptions, showLife } from "./processes/supervised.ts";
import { threadJob } from "./processes/thread-job.ts";
import { Scratch } from "./scratch/scratch.ts";

const { CONTAINER_SECRET: secret, PORT = "8080", HOST = "127.0.0.1", JOBS, SCRATCH_DIR } = process.env;
const { MEMORY_SCRATCH_DIR = "/dev/shm" } = process.env;
if (!secret) {
  console.error("CONTAINER_SECRET is not set: it is what the Worker shows with every request.");
  process.exit(1);
}

let isUp = false;
outliveExceptions(log, () => isUp);

const jobs = Math.max(1, Number(JOBS) || Math.max(2, availableParallelism()));
const memoryBytes = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem());
const lane = new SlowLane(slowPlaces(jobs, memoryBytes));
const slow = { lane, afterMs: CONTAINER_LIMITS.slowAfterMs };
const { jobsWaitingPerPlace, placeWaitMs: maxWaitMs } = CONTAINER_LIMITS;
const limits = { atOnce: jobs, waiting: jobsWaitingPerPlace * jobs, maxWaitMs, slow };
/** Engines have room for both quick and slow jobs. */
const children = jobs + lane.places;
const ending = new AbortController();
const scratch = await Scratch.open(SCRATCH_DIR, MEMORY_SCRATCH_DIR);
const threads = new Threads({ size: jobs, heapMiB: 512, log });
const office = new Watched({ name: "LibreOffice", start: () => startLibreOffice({ scratch, children, log }), log });
const ghostscript = new Watched({
  name: "Ghostscript",
  start: () => startGhostscript({ scratch, children, log }),
  log,
});
const verapdf = new Watched({ name: "veraPDF", start: () => startVeraPdf({ scratch, processes: jobs, log }), log });
const rewriter = new PdfRewriter(scratch);

const { URL_ALLOW, URL_DNS } = process.env;
const web = { allow: URL_ALLOW ?? "", ...(URL_DNS ? { dnsServers: URL_DNS.split(",") } : {}) };
const chromium = new Watched({
  name: "Chromium",
  start: () => Chromium.start({ scratch, ready: jobs + 1, web, log }),
  log,
});

const engines: Engines = {
  chromium,
  ghostscript,
  office,
  verapdf,
  rewriter,
  threads,
  web: new WebFiles(web),
  heapLimitBytes: CONTAINER_LIMITS.threadHeapBytes,
};
const operations = new Map<string, Hosted>([
  ...HOSTED_OPERATIONS.map((operation) => [operation.name, inThreads(operation)] as const),
  ...NATIVE_OPERATIONS.map((operation) => [operation.name, withEngines(operation)] as const),
]);

function inThreads(operation: Operation<unknown>): Hosted {
  return {
    places: new Places(limits),
    timeoutMs: CONTAINER_LIMITS.longJobMs,
    run: ({ inputs, params, signal, log }) =>
      threads.run(threadJob(operation, inputs, params, CONTAINER_LIMITS.threadHeapBytes), signal, log),
  };
}

function withEngines({ run, timeoutMs, onlyInputs = false }: NativeOperation): Hosted {
  return { places: new Places(limits), timeoutMs, onlyInputs, run: (job) => run(job, job.params, engines) };
}

verapdf.running
  .then(async (validator) => {
    await using folder = await scratch.folder("job");
    await warmUp({ ...engines, validator }, folder.path, ending.signal);
  })
  // An engine that fails here starts again with the first job.
  .catch((error) => log("PDF/A is not warmed up", { error: String(error) }));

const app = createApp({
  secret,
  operations,
  scratch,
  maxInputBytes: CONTAINER_LIMITS.jobInputBytes,
  ending: ending.signal,
  health: () => ({
    office: office.mode,
    chromium: chromium.mode,
    ghostscript: ghostscript.mode,
    verapdf: verapdf.mode,
    slow: lane.taken,
  }),
  log,
});
const listening = {
  ...{ fetch: app.fetch, hostname: HOST, port: Number(PORT) },
  // Workers, like Node, close a connection that was idle for five seconds. If both sides use the same time, the side
  // that closes second loses a request.
  serverOptions: { keepAliveTimeout: 65_000 },
};
const server = serve(listening, ({ port }) => {
  log("listening", { port, jobs });
  isUp = true;
  showLife();
  process.send?.({ port, pid: process.pid });
});
server.on("error", (error) => {
  if (isUp) return log("a connection was not accepted", { error: String(error) });
  log("cannot listen", { error: String(error) });
  process.exit(1);
});

let stopping = false;
async function stop(why: string, graceMs: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  log("ending", { why });
  try {
    await end(graceMs);
  } finally {
    process.exit(0);
  }
}

async function end(graceMs: number): Promise<void> {
  for (const { places } of operations.values()) places.close();
  const closed = new Promise((resolve) => server.close(resolve));
  const timer = setTimeout(() => ending.abort(new EngineFailure("busy", "the service ends")), graceMs);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, graceMs + 500))]);
  clearTimeout(timer);
  await threads[Symbol.asyncDispose]();
  await Promise.all([office.close(), chromium.close(), ghostscript.close(), verapdf.close()]);
  await scratch[Symbol.asyncDispose]();
}
process.on("SIGTERM", () => void stop("SIGTERM", CONTAINER_LIMITS.graceMs));
process.on("SIGINT", () => void stop("SIGINT", CONTAINER_LIMITS.graceMs));
// The parent that started this service has ended, and no one waits for an answer.
process.on("disconnect", () => void stop("the parent is gone", 0));

function log(message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), message, ...details }));
}
