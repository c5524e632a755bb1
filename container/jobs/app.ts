// Serves the container's HTTP interface: POST /{operation}, whose body and response are frames (placement/remote.ts),
// GET /up, GET /ready and GET /metrics. Each job gets a folder, a permit and a time limit, which are released at its
// end.

import { createHash, timingSafeEqual } from "node:crypto";
import { closeSync, createWriteStream, openSync, writeSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { ReadableStream } from "node:stream/web";
import type { HttpBindings } from "@hono/node-server";
import { Hono } from "hono";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { isStaged } from "../../src/operations/stages.ts";
import { describeError } from "../../src/runtime/log-line.ts";
import { ONE_CLIENT_HEADER } from "../../src/service/placement/connection.ts";
import { FRAME_VERSION, FRAME_VERSION_HEADER, sameFrames } from "../../src/service/placement/frame-version.ts";
import {
  decodeRequest,
  encodeFailure,
  type RemoteRequest,
  responseOutcome,
} from "../../src/service/placement/remote.ts";
import { CONTAINER_LIMITS } from "../limits.ts";
import { Priority } from "../processes/priority.ts";
import { asFile, type FileInput } from "../scratch/file-input.ts";
import type { JobFolder, Scratch } from "../scratch/scratch.ts";
import {
  type ContainerJob,
  type ContainerOperation,
  type ContainerStep,
  runSteps,
  spoolPath,
} from "./container-job.ts";
import type { EndedJob, JobMetrics, JobOutcome } from "./job-metrics.ts";
import { JobTrace } from "./job-trace.ts";
import { engineReadiness, type ReadinessSettings } from "./readiness.ts";

export interface AppSettings {
  /** The secret that callers must send in `Authorization: Bearer`. */
  readonly secret: string;
  /** Operations, by their name in the path. */
  readonly operations: ReadonlyMap<string, ContainerOperation>;
  readonly scratch: Scratch;
  /** Maximum total size of a job's inputs, in bytes. */
  readonly maxInputBytes: number;
  /** When aborted, all jobs end. */
  readonly ending: AbortSignal;
  /** Reports whether the service is shutting down. Running jobs then continue, and new ones are rejected. */
  isEnding(): boolean;
  /** Returns additional fields for the health response. */
  health(): Record<string, unknown>;
  /** Returns the engines' health for GET /ready. */
  engines: ReadinessSettings["engines"];
  readonly metrics: JobMetrics;
  log(message: string, details?: Record<string, unknown>): void;
}

type App = Hono<{ Bindings: HttpBindings }>;

/** Retry-After in seconds. By then, another instance or this one, restarted, can run the job. */
const RETRY_AFTER_S = "5";
/** Time in which a client can read the error of a timed-out job. Then the connection is closed. */
const LAST_WORDS_MS = 5_000;

export function createApp(settings: AppSettings): App {
  const app: App = new Hono();
  const isSecret = comparison(settings.secret);

  app.get("/up", (c) => {
    const ending = settings.isEnding();
    const jobs = Object.fromEntries([...settings.operations].map(([name, { pool }]) => [name, pool.counts]));
    return c.json({ status: ending ? "ending" : "OK", jobs, ...settings.health() }, ending ? 503 : 200);
  });

  app.get("/ready", async (c) => {
    const ready = await engineReadiness(settings);
    return c.json(ready, ready.status === "OK" ? 200 : 503);
  });

  app.get("/metrics", async (c) => {
    if (!isSecret(c.req.header("Authorization") ?? "")) return c.json({ error: "wrong secret" }, 401);
    return c.body(await settings.metrics.text(), 200, { "Content-Type": settings.metrics.contentType });
  });

  app.post("/:operation", (c) => {
    if (!isSecret(c.req.header("Authorization") ?? "")) return c.json({ error: "wrong secret" }, 401);
    if (!sameFrames(c.req.header(FRAME_VERSION_HEADER))) {
      const headers = { [FRAME_VERSION_HEADER]: FRAME_VERSION };
      return c.json({ error: `only frames of version ${FRAME_VERSION}` }, 409, headers);
    }
    const operation = c.req.param("operation");
    const hosted = settings.operations.get(operation);
    if (!hosted) return c.json({ error: "no such operation" }, 404);
    if (settings.isEnding()) return c.json({ error: "the service ends" }, 503, { "Retry-After": RETRY_AFTER_S });
    const requestId = c.req.header("X-Request-Id") ?? crypto.randomUUID();
    const trace = JobTrace.begin(c.req.raw.headers, { operation, engine: hosted.engine ?? operation });
    const ids = { requestId, ...(trace ? { traceId: trace.traceId } : {}), operation };
    const log: AppSettings["log"] = (message, details) => settings.log(message, { ...ids, ...details });
    const client = { id: c.req.header("X-Client") ?? "", one: c.req.header(ONE_CLIENT_HEADER) };
    const signal = AbortSignal.any([c.req.raw.signal, settings.ending]);
    const onJobEnd = (job: EndedJob) => {
      settings.metrics.ended(operation, job);
      if (job.outcome === "answered") hosted.onSuccess?.();
    };
    const job = carryOut(hosted, c.env, client, signal, { ...settings, log, onJobEnd, trace });
    const headers = { "Content-Type": "application/octet-stream", [FRAME_VERSION_HEADER]: FRAME_VERSION };
    return new Response(ReadableStream.from(job) as globalThis.ReadableStream<Uint8Array<ArrayBuffer>>, { headers });
  });

  app.notFound((c) => c.json({ error: "no such operation" }, 404));
  app.onError((error, c) => {
    settings.log("request failed", { error: String(error), stack: error.stack });
    return c.json({ error: "failed" }, 500);
  });
  return app;
}

/**
 * Returns a check of the Authorization header. The check takes constant time, so that its duration reveals nothing
 * about the secret.
 */
function comparison(secret: string): (header: string) => boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  const expected = digest(`Bearer ${secret}`);
  return (header) => timingSafeEqual(digest(header), expected);
}

/** Observers of a job. */
interface Observed {
  /** Called once, when the job ends for any reason. */
  onJobEnd(job: EndedJob): void;
  readonly trace: JobTrace | undefined;
}

/**
 * Runs one job, from the request's body to the end of the response. Always deletes the job's folder and releases its
 * permit.
 */
async function* carryOut(
  hosted: ContainerOperation,
  { incoming, outgoing }: HttpBindings,
  client: { readonly id: string; readonly one: string | undefined },
  signal: AbortSignal,
  { operations, scratch, maxInputBytes, log, onJobEnd, trace }: AppSettings & Observed,
): AsyncGenerator<Uint8Array> {
  const started = performance.now();
  const details: Record<string, unknown> & { receivedMs?: number; waitedMs?: number } = {};
  const spans = (last: Uint8Array) =>
    trace && responseOutcome(last) !== undefined
      ? trace.frame({ ...details, outcome, durationMs: since(started) })
      : undefined;
  let outcome: JobOutcome = "left";
  const priority = new Priority();
  const slowed = () => {
    details.slow = true;
    priority.lower();
  };
  try {
    using entry = hosted.pool.enter({ client: client.id, slowed });
    // Otherwise, Node would destroy the unread rest of the body, and thereby close the connection before the response.
    const request = await decodeRequest(incoming.iterator({ destroyOnReturn: false }));
    const steps = stepsOf(request, operations);
    const inputBytes = request.inputs.reduce((sum, { size }) => sum + size, 0);
    details.inputBytes = inputBytes;
    if (inputBytes > maxInputBytes) {
      throw new EngineFailure("too-large", `${inputBytes} bytes of input, the limit is ${maxInputBytes}`);
    }
    const onlyInputs = steps.length === 1 && hosted.onlyInputs;
    await using folder = await scratch.folder("job", onlyInputs ? inputBytes : undefined);
    const inputs = await spool(request, folder, signal);
    details.receivedMs = since(started);
    await entry.acquire(signal);
    details.waitedMs = since(started);
    using limit = timeLimit(timeoutOf(steps), () => outgoing.destroy());
    const ends = AbortSignal.any([signal, limit.signal]);
    const withoutPermit: ContainerJob["withoutPermit"] = (work) => entry.withoutPermit(work, ends);
    const job = { inputs, oneClient: client.one, folder: folder.path, log, withoutPermit, signal: ends };
    for await (const frame of priority.within(runSteps(steps, job))) {
      details.responseBytes = Number(details.responseBytes ?? 0) + frame.length;
      outcome = outcomeOf(frame, signal);
      // Recorded before the last frame is sent: clients close the connection after it, which must not count as an
      // abort.
      if (responseOutcome(frame) !== undefined) details.outcome = "answered";
      const traced = spans(frame);
      if (traced) yield traced;
      yield frame;
    }
    details.outcome = "answered";
  } catch (error) {
    details.outcome = "failed";
    Object.assign(details, describeError(error));
    const failure = encodeFailure(error);
    outcome = outcomeOf(failure, signal);
    const traced = spans(failure);
    if (traced) yield traced;
    yield failure;
  } finally {
    const durationMs = since(started);
    log("job ended", { outcome: "left by the client", ...details, durationMs });
    onJobEnd({ ...details, outcome, durationMs });
  }
}

/** Returns the time limit of all steps: the longest of a step, or of a job if there are stages. */
const timeoutOf = (steps: readonly ContainerStep[]): number =>
  Math.max(...steps.map(({ operation }) => operation.timeoutMs), isStaged(steps) ? CONTAINER_LIMITS.longJobMs : 0);

/** Returns the operations of a request. @throws EngineFailure `crashed` if this instance lacks one of them */
function stepsOf({ steps }: RemoteRequest, operations: AppSettings["operations"]): readonly ContainerStep[] {
  return steps.map(({ operation: name, params, begins }) => {
    const operation = operations.get(name);
    if (!operation) throw new EngineFailure("crashed", `no operation ${name}`);
    return { operation, params, ...(begins ? { begins } : {}) };
  });
}

/**
 * Returns the outcome of a job if its response ends with these frames, or is aborted after them. Must be called before
 * the frames are sent, because the client closes its connection once it has received them.
 */
function outcomeOf(frames: Uint8Array, signal: AbortSignal): JobOutcome {
  const end = responseOutcome(frames);
  // An aborted operation can throw any error.
  if (end === "answered" || !signal.aborted) return end ?? "left";
  return signal.reason instanceof EngineFailure ? signal.reason.reason : "left";
}

const since = (start: number) => Math.round(performance.now() - start);

/** Writes each input to its own file. */
async function spool(
  { inputs, bodies }: RemoteRequest,
  folder: JobFolder,
  signal: AbortSignal,
): Promise<readonly FileInput[]> {
  const spooled: FileInput[] = [];
  for await (const bytes of bodies) {
    const facts = inputs[spooled.length]!;
    const path = spoolPath(folder.path, `input-${spooled.length}`, facts.name);
    await pipeline(bytes, folder.memory ? writer(path) : createWriteStream(path, { mode: 0o600 }), { signal });
    spooled.push(asFile(facts, path));
  }
  return spooled;
}

/**
 * Returns a function that writes synchronously. Writes to memory do not block, so a stream would only add turns of the
 * event loop.
 */
function writer(path: string): (source: AsyncIterable<Uint8Array>) => Promise<void> {
  return async (source) => {
    const file = openSync(path, "wx", 0o600);
    try {
      for await (const chunk of source) writeSync(file, chunk);
    } finally {
      closeSync(file);
    }
  };
}

/** @param leave called {@link LAST_WORDS_MS} after the timeout, unless the client has read the failure by then */
function timeLimit(timeoutMs: number, leave: () => void): Disposable & { readonly signal: AbortSignal } {
  const deadline = new AbortController();
  let timer = setTimeout(() => {
    deadline.abort(new EngineFailure("timed-out", `not done after ${timeoutMs} ms`));
    timer = setTimeout(leave, LAST_WORDS_MS);
  }, timeoutMs);
  return { signal: deadline.signal, [Symbol.dispose]: () => clearTimeout(timer) };
}
