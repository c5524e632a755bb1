// The container service: starts the engines, listens for requests, and shuts down gracefully. Writes JSON lines to
// standard output.
//
// Environment variables:
// - CONTAINER_SECRET (required)
// - PORT, HOST
// - JOBS: number of jobs of each kind that run at a time
// - SCRATCH_DIR: a folder that other users can pass through
// - MEMORY_SCRATCH_DIR: a folder with the same permissions in memory, /dev/shm by default
// - URL_ALLOW: addresses that web pages may visit beside the public web, see engines/chromium/web-addresses.ts
// - URL_DNS: the DNS servers to ask

import { createReadStream, readFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { serve } from "@hono/node-server";
import { EngineFailure } from "../src/core/failure.ts";
import type { Notice } from "../src/core/notice.ts";
import { type LimitImagesParams, mayChange } from "../src/operations/limit-images.ts";
import { encodeAnswer } from "../src/placement/remote.ts";
import { Chromium } from "./engines/chromium/chromium.ts";
import { startGhostscript } from "./engines/ghostscript/ghostscript.ts";
import { PdfRewriter } from "./engines/ghostscript/pdf.ts";
import { startLibreOffice } from "./engines/libreoffice/libreoffice.ts";
import { startVeraPdf, type VeraPdf } from "./engines/verapdf/verapdf.ts";
import { createApp } from "./jobs/app.ts";
import { describeError, type Hosted, type HostedJob } from "./jobs/hosted.ts";
import { Places } from "./jobs/pool.ts";
import { SlowLane, slowPlaces } from "./jobs/slow-lane.ts";
import { Threads } from "./jobs/threads.ts";
import { Watched } from "./jobs/watched.ts";
import { htmlToPdf, htmlToPdfParams } from "./operations/html-to-pdf.ts";
import { fileMayChange } from "./operations/limit-images.ts";
import { officeToPdf, officeToPdfParams } from "./operations/office-to-pdf.ts";
import { pdfToPdfa, pdfToPdfaParams } from "./operations/pdf-to-pdfa.ts";
import { postscriptToPdf, postscriptToPdfParams } from "./operations/postscript-to-pdf.ts";
import { warmUp } from "./pdfa/warm-up.ts";
import { outliveExceptions, showLife } from "./processes/supervised.ts";
import type { FileInput } from "./scratch/file-input.ts";
import { Scratch } from "./scratch/scratch.ts";

const MIB = 2 ** 20;
const MAX_INPUT_BYTES = 1024 * MIB;
/** Maximum size of an edge engine's Wasm heap in this service. */
const ENGINE_HEAP_BYTES = 1024 * MIB;
const OFFICE_TIMEOUT_MS = 120_000;
const HTML_TIMEOUT_MS = 120_000;
const POSTSCRIPT_TIMEOUT_MS = 120_000;
const PDFA_TIMEOUT_MS = 280_000;
const THREAD_TIMEOUT_MS = 280_000;
/** Running time after which a job gives up its place to the next job and continues in the slow lane. */
const SLOW_AFTER_MS = 3_000;
/** Time jobs have to end when the service ends. Platforms kill after ten seconds or more. */
const GRACE_MS = 4_000;

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
const slow = { lane, afterMs: SLOW_AFTER_MS };
const limits = { atOnce: jobs, waiting: 8 * jobs, maxWaitMs: 60_000, slow };
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

const operations = new Map<string, Hosted>([
  ["compress-pdf", inThreads("compress-pdf")],
  ["flatten-transparency", inThreads("flatten-transparency")],
  ["html-to-pdf", { places: new Places(limits), timeoutMs: HTML_TIMEOUT_MS, run: runHtml }],
  ["image-to-pdf", inThreads("image-to-pdf")],
  ["linearize-pdf", inThreads("linearize-pdf")],
  ["merge-pdfs", inThreads("merge-pdfs")],
  ["office-to-pdf", { places: new Places(limits), onlyInputs: true, timeoutMs: OFFICE_TIMEOUT_MS, run: runOffice }],
  ["pdf-to-pdfa", { places: new Places(limits), timeoutMs: PDFA_TIMEOUT_MS, run: runPdfa }],
  ["postscript-to-pdf", { places: new Places(limits), timeoutMs: POSTSCRIPT_TIMEOUT_MS, run: runPostscript }],
  ["rasterize-pdf", inThreads("rasterize-pdf")],
  ["split-pdf", inThreads("split-pdf")],
]);

async function* runOffice({ inputs, params, signal, log }: HostedJob) {
  const { tagged, ...images } = officeToPdfParams.parse(params);
  await using exported = await officeToPdf(await office.ready(signal), inputs, { tagged }, { signal });
  yield* withImages(images, exported, signal, log);
}

async function* runHtml({ inputs, params, folder, signal, log }: HostedJob) {
  const { lossless, maxImageDpi, ...printing } = htmlToPdfParams.parse(params);
  const images = { lossless, ...(maxImageDpi === undefined ? {} : { maxImageDpi }) };
  const exported = await htmlToPdf(await chromium.ready(signal), folder, inputs, printing, { signal });
  yield* withImages(images, exported, signal, log);
}

/** Maximum size of a PDF that is sent as one frame of the answer. */
const AT_ONCE_BYTES = 2 ** 20;

/** A PDF that an engine made, and its known losses. */
interface Exported {
  readonly path: string;
  readonly size: number;
  readonly notices?: readonly Notice[];
}

/** Yields the answer for an exported PDF, with its images limited as the client asked. */
async function* withImages(
  images: LimitImagesParams,
  { path, size, notices = [] }: Exported,
  signal: AbortSignal,
  log: HostedJob["log"],
) {
  const small = size <= AT_ONCE_BYTES ? readFileSync(path) : undefined;
  if (small ? mayChange(small, images) : await fileMayChange(path, images)) {
    const job = { operation: "limit-images", inputs: [{ name: "result.pdf", size, path }], params: images, notices };
    yield* threads.run({ ...job, heapLimitBytes: ENGINE_HEAP_BYTES }, signal, log);
    return;
  }
  const body = small ?? createReadStream(path);
  yield* encodeAnswer([{ extension: "pdf", type: "application/pdf", body, notices: () => notices }], (error) =>
    log("failed", describeError(error)),
  );
}

async function* runPostscript({ inputs, params, folder, signal, log }: HostedJob) {
  const engine = await ghostscript.ready(signal);
  const settings = postscriptToPdfParams.parse(params);
  const made = await postscriptToPdf(engine, folder, inputs, settings, { signal });
  yield* withImages({ ...settings, onlyBilevel: true }, made, signal, log);
}

const machinesWith = (validator: VeraPdf) => ({ threads, validator, rewriter, heapLimitBytes: ENGINE_HEAP_BYTES });

async function* runPdfa(job: HostedJob) {
  const validator = await verapdf.ready(job.signal);
  const outputs = pdfToPdfa(machinesWith(validator), pdfToPdfaParams.parse(job.params), job);
  yield* encodeAnswer(outputs, (error) => job.log("failed", describeError(error)));
}

verapdf.running
  .then(async (validator) => {
    await using folder = await scratch.folder("job");
    await warmUp(machinesWith(validator), folder.path, ending.signal);
  })
  // An engine that fails here starts again with the first job.
  .catch((error) => log("PDF/A is not warmed up", { error: String(error) }));

function inThreads(operation: string): Hosted {
  return {
    places: new Places(limits),
    timeoutMs: THREAD_TIMEOUT_MS,
    run: ({ inputs, params, signal, log }) => inThread(operation, inputs, params, signal, log),
  };
}

function inThread(
  operation: string,
  inputs: readonly FileInput[],
  params: unknown,
  signal: AbortSignal,
  log: HostedJob["log"],
) {
  const files = inputs.map(({ name, size, path }) => ({ name, size, path }));
  return threads.run({ operation, inputs: files, params, heapLimitBytes: ENGINE_HEAP_BYTES }, signal, log);
}

const app = createApp({
  secret,
  operations,
  scratch,
  maxInputBytes: MAX_INPUT_BYTES,
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
process.on("SIGTERM", () => void stop("SIGTERM", GRACE_MS));
process.on("SIGINT", () => void stop("SIGINT", GRACE_MS));
// The parent that started this service is gone, and nobody waits for an answer.
process.on("disconnect", () => void stop("the parent is gone", 0));

function log(message: string, details: Record<string, unknown> = {}): void {
  console.log(JSON.stringify({ time: new Date().toISOString(), message, ...details }));
}
