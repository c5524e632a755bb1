// The container service: starts the engines, listens, and ends gracefully. Environment: CONTAINER_SECRET (required), PORT,
// HOST, JOBS (how many of a kind at a time), SCRATCH_DIR (a folder that other users can pass through). Writes JSON lines to
// standard output.

import { availableParallelism } from "node:os";
import { serve } from "@hono/node-server";
import { EngineFailure } from "../src/operations/operation.ts";
import { encodeAnswer } from "../src/operations/remote.ts";
import { createApp } from "./app.ts";
import { type LibreOffice, startLibreOffice } from "./engines/libreoffice.ts";
import type { Hosted } from "./hosted.ts";
import { describeError } from "./hosted.ts";
import { officeToPdf, officeToPdfParams } from "./operations/office-to-pdf.ts";
import { Places } from "./pool.ts";
import { Scratch } from "./process.ts";
import { Threads } from "./threads.ts";

const MIB = 2 ** 20;
const MAX_INPUT_BYTES = 1024 * MIB;
/** The most bytes an edge engine's Wasm heap may grow to here. */
const ENGINE_HEAP_BYTES = 1024 * MIB;
const OFFICE_TIMEOUT_MS = 120_000;
const THREAD_TIMEOUT_MS = 280_000;
/** What jobs get to end in when the service ends; platforms kill after ten seconds or more. */
const GRACE_MS = 4_000;

const { CONTAINER_SECRET: secret, PORT = "8080", HOST = "127.0.0.1", JOBS, SCRATCH_DIR } = process.env;
if (!secret) {
  console.error("CONTAINER_SECRET is not set: it is what the Worker shows with every request.");
  process.exit(1);
}

const jobs = Math.max(1, Number(JOBS) || Math.max(2, availableParallelism()));
const limits = { atOnce: jobs, waiting: 8 * jobs, maxWaitMs: 60_000 };
const ending = new AbortController();
const scratch = await Scratch.open(SCRATCH_DIR);
const threads = new Threads({ size: jobs, heapMiB: 512, log });
const office = startLibreOffice({ scratch, children: jobs, log });
let officeMode = "starting";
office.then(
  ({ mode }) => {
    officeMode = mode;
  },
  (error) => {
    officeMode = "failed";
    log("LibreOffice cannot be started", { error: String(error) });
  },
);

const operations = new Map<string, Hosted>([
  ["office-to-pdf", { places: new Places(limits), timeoutMs: OFFICE_TIMEOUT_MS, run: runOffice }],
  ["rasterize-pdf", inThreads("rasterize-pdf")],
]);

async function* runOffice({ inputs, params, folder, signal, log }: Parameters<Hosted["run"]>[0]) {
  const outputs = officeToPdf(await started(office, signal), folder, inputs, officeToPdfParams.parse(params), {
    signal,
  });
  yield* encodeAnswer(outputs, (error) => log("failed", describeError(error)));
}

/** Whoever comes while LibreOffice starts waits for it, but not when the job is ended. */
async function started(starting: Promise<LibreOffice>, signal: AbortSignal): Promise<LibreOffice> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([starting, aborted]);
  } catch (error) {
    signal.throwIfAborted();
    throw new EngineFailure("busy", `LibreOffice cannot be started: ${error}`, { cause: error });
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function inThreads(operation: string): Hosted {
  return {
    places: new Places(limits),
    timeoutMs: THREAD_TIMEOUT_MS,
    run: ({ inputs, params, signal, log }) => {
      const files = inputs.map(({ name, size, path }) => ({ name, size, path }));
      return threads.run({ operation, inputs: files, params, heapLimitBytes: ENGINE_HEAP_BYTES }, signal, log);
    },
  };
}

const app = createApp({
  secret,
  operations,
  scratch,
  maxInputBytes: MAX_INPUT_BYTES,
  ending: ending.signal,
  health: () => ({ office: officeMode }),
  log,
});
const server = serve({ fetch: app.fetch, hostname: HOST, port: Number(PORT) }, ({ port }) => {
  log("listening", { port, jobs });
  process.send?.({ port });
});
server.on("error", (error) => {
  log("cannot listen", { error: String(error) });
  process.exit(1);
});

let stopping = false;
async function stop(why: string, graceMs: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  log("ending", { why });
  for (const { places } of operations.values()) places.close();
  const closed = new Promise((resolve) => server.close(resolve));
  const timer = setTimeout(() => ending.abort(new EngineFailure("busy", "the service ends")), graceMs);
  await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, graceMs + 500))]);
  clearTimeout(timer);
  await threads[Symbol.asyncDispose]();
  if (officeMode !== "starting") await office.then((engine) => engine.close()).catch(() => {});
  await scratch[Symbol.asyncDispose]();
  // What was still starting ends with this process.
  process.exit(0);
}
process.on("SIGTERM", () => void stop("SIGTERM", GRACE_MS));
process.on("SIGINT", () => void stop("SIGINT", GRACE_MS));
// The parent that wanted this service is gone, and nobody waits for an answer.
process.on("disconnect", () => void stop("the parent is gone", 0));

function log(message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), message, ...details }));
}
