// Tests the container's HTTP interface with operations declared for these tests: limits, ends of jobs, remaining files.
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep, setImmediate as turn } from "node:timers/promises";
import { type ServerType, serve } from "@hono/node-server";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createApp } from "../../../container/jobs/app.ts";
import type { ContainerJob, ContainerOperation } from "../../../container/jobs/container-job.ts";
import { JobMetrics } from "../../../container/jobs/job-metrics.ts";
import { JobPool, type JobPoolLimits } from "../../../container/jobs/job-pool.ts";
import { Scratch } from "../../../container/scratch/scratch.ts";
import { EngineFailure, OutOfRange } from "../../../src/document/contract/failure.ts";
import type { Output } from "../../../src/document/contract/operation.ts";
import { FRAME_VERSION, FRAME_VERSION_HEADER } from "../../../src/service/placement/frame-version.ts";
import { encodeResponse } from "../../../src/service/placement/remote.ts";
import { type ContainerAddress, carryOut, memoryInput, post } from "../../support/container-client.ts";
import { eventually } from "../../support/eventually.ts";
import { readSamples, sumOf } from "../../support/prometheus.ts";

const MiB = 2 ** 20;
const secret = "a secret of this test";

interface Running extends ContainerAddress {
  readonly logged: Record<string, unknown>[];
  end(reason: unknown): void;
}

let parent: string;
let scratch: Scratch;
const servers: ServerType[] = [];

beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), "app-test-"));
  scratch = await Scratch.open(parent);
});
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    if ("closeAllConnections" in server) server.closeAllConnections();
  }
  await scratch[Symbol.asyncDispose]();
  await rm(parent, { recursive: true });
});

const roomy: JobPoolLimits = { atOnce: 4, waiting: 4, maxWaitMs: 60_000 };

async function start(
  operations: Record<string, (job: ContainerJob) => AsyncIterable<Output>>,
  { limits = roomy, timeoutMs = 60_000, maxInputBytes = 100 * MiB } = {},
): Promise<Running> {
  const ending = new AbortController();
  const logged: Record<string, unknown>[] = [];
  const hosted = Object.entries(operations).map(([name, run]): [string, ContainerOperation] => [
    name,
    { pool: new JobPool(limits), timeoutMs, run: (job) => encodeResponse(run(job)) },
  ]);
  const places = new Map(hosted);
  const { fetch } = createApp({
    secret,
    operations: places,
    metrics: new JobMetrics({ operations: places, engines: () => ({ office: "warm", chromium: "failed" }) }),
    scratch,
    maxInputBytes,
    ending: ending.signal,
    isEnding: () => ending.signal.aborted,
    ...{ engines: async () => ({}), health: () => ({ mood: "good" }) },
    log: (message, details) => logged.push({ message, ...details }),
  });
  const server = await new Promise<ServerType>((resolve) => {
    const listening = serve({ fetch, port: 0, hostname: "127.0.0.1" }, () => resolve(listening));
  });
  servers.push(server);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, secret, logged, end: (reason) => ending.abort(reason) };
}

const left = () => readdir(scratch.path);
const nothingIsLeft = () => eventually(async () => expect(await left()).toEqual([]));
const text = (value: string) => new TextEncoder().encode(value);

/** Returns the inputs, with the names of their files. */
async function* echo({ inputs }: ContainerJob): AsyncGenerator<Output> {
  for (const { path, stream } of inputs)
    yield { extension: path.split("/").at(-1)!, type: "text/plain", body: stream() };
}

const failing = (error: unknown) =>
  async function* (): AsyncGenerator<Output> {
    yield* await Promise.reject<Output[]>(error);
  };

/** Returns an operation that runs until it is aborted. */
function waiting() {
  const jobs: ContainerJob[] = [];
  const run = async function* (job: ContainerJob): AsyncGenerator<Output> {
    jobs.push(job);
    await writeFile(join(job.folder, "half a result"), "…");
    job.signal.throwIfAborted();
    await new Promise((_, reject) => job.signal.addEventListener("abort", () => reject(job.signal.reason)));
  };
  return { jobs, run };
}

describe("who may ask", () => {
  test("without the secret nothing is carried out", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run });
    for (const authorization of [undefined, "", "Bearer ", `Bearer ${secret}x`, secret, "Basic YTpi"]) {
      const response = await fetch(`${running.url}/run`, {
        method: "POST",
        headers: authorization === undefined ? {} : { Authorization: authorization },
      });
      expect(response.status, authorization).toBe(401);
    }
    expect(jobs).toEqual([]);
  });

  test("health needs none", async () => {
    const running = await start({ echo });
    const response = await fetch(`${running.url}/up`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "OK", jobs: { echo: { working: 0, present: 0 } }, mood: "good" });
  });

  test("another version of the frames: 409, with the own version, before anything is read", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run });
    for (const version of [undefined, "0", `${FRAME_VERSION}0`]) {
      const headers = { Authorization: `Bearer ${secret}`, ...(version ? { [FRAME_VERSION_HEADER]: version } : {}) };
      const response = await fetch(`${running.url}/run`, { method: "POST", headers, body: "no frames" });
      expect([response.status, response.headers.get(FRAME_VERSION_HEADER)]).toEqual([409, FRAME_VERSION]);
    }
    expect(jobs).toEqual([]);
  });

  test("what is not there: 404", async () => {
    const running = await start({ echo });
    const nothing = async function* () {};
    expect((await post(running, "other", nothing())).status).toBe(404);
    expect((await fetch(running.url, { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(404);
  });
});

describe("a job", () => {
  test("gets its inputs as files, and its outputs go back", async () => {
    const running = await start({ echo });
    const large = Buffer.alloc(5 * MiB, "large ");
    const made = await carryOut(running, "echo", [
      memoryInput(text("one"), "Report.DOCX"),
      memoryInput(large, "../../etc/passwd"),
      memoryInput(text(""), "a.'; rm -rf *"),
    ]);
    expect(made.map(({ extension }) => extension)).toEqual(["input-0.docx", "input-1", "input-2"]);
    expect(made.map(({ bytes }) => bytes.equals(large))).toEqual([false, true, false]);
    expect(made[0]!.bytes.toString()).toBe("one");
    await nothingIsLeft();
  });

  test("says why it failed, and the log has the request's id", async () => {
    const running = await start({
      locked: failing(new EngineFailure("password-protected", "asked for a password")),
      beyond: failing(new OutOfRange("pages", "9")),
      bug: failing(new TypeError("x is undefined")),
    });
    await expect(carryOut(running, "locked", [])).rejects.toMatchObject({ reason: "password-protected" });
    await expect(carryOut(running, "beyond", [])).rejects.toMatchObject({ parameter: "pages", value: "9" });
    await expect(carryOut(running, "bug", [])).rejects.toMatchObject({ reason: "crashed" });
    const headers = {
      Authorization: `Bearer ${secret}`,
      "X-Request-Id": "the id of a request",
      [FRAME_VERSION_HEADER]: FRAME_VERSION,
    };
    await (await fetch(`${running.url}/bug`, { method: "POST", headers, body: "not frames" })).arrayBuffer();
    const ended = { requestId: "the id of a request", operation: "bug", outcome: "failed" };
    await eventually(() => expect(running.logged).toContainEqual(expect.objectContaining(ended)));
    await nothingIsLeft();
  });

  test("is refused when its inputs are larger than the limit", async () => {
    const running = await start({ echo }, { maxInputBytes: 1000 });
    await expect(carryOut(running, "echo", [memoryInput(new Uint8Array(1001), "a")])).rejects.toMatchObject({
      reason: "too-large",
    });
    await nothingIsLeft();
  });
});

describe("too many jobs", () => {
  test("as many as there are places work, some wait, the rest are told at once", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run, echo }, { limits: { atOnce: 2, waiting: 1, maxWaitMs: 60_000 } });
    const gone = new AbortController();
    const first = [1, 2, 3].map(() => carryOut(running, "run", [], {}, gone.signal));
    for (const job of first) job.catch(() => {});
    const areRunning = (counts: object) =>
      eventually(async () => {
        const { jobs } = (await (await fetch(`${running.url}/up`)).json()) as { jobs: Record<string, unknown> };
        expect(jobs.run).toEqual(counts);
      });
    await areRunning({ working: 2, present: 3 });
    await eventually(() => expect(jobs).toHaveLength(2));
    await expect(carryOut(running, "run", [])).rejects.toMatchObject({ reason: "busy" });
    // The job is rejected even during a long upload.
    const large = memoryInput(new Uint8Array(40 * MiB), "a");
    await expect(carryOut(running, "run", [large])).rejects.toMatchObject({ reason: "busy" });
    // Each operation has separate permits.
    await expect(carryOut(running, "echo", [])).resolves.toEqual([]);
    gone.abort(new Error("enough"));
    await Promise.allSettled(first);
    await nothingIsLeft();
    await areRunning({ working: 0, present: 0 });
  });

  test("whoever waited too long is told", async () => {
    const { run } = waiting();
    const running = await start({ run }, { limits: { atOnce: 1, waiting: 5, maxWaitMs: 50 } });
    const gone = new AbortController();
    const first = carryOut(running, "run", [], {}, gone.signal);
    first.catch(() => {});
    await eventually(async () => expect(await left()).toHaveLength(1));
    await expect(carryOut(running, "run", [])).rejects.toMatchObject({ reason: "busy" });
    gone.abort(new Error("enough"));
    await expect(first).rejects.toThrow("enough");
  });
});

describe("a job that is ended", () => {
  test("by the limit of time: told, and its place is free", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run }, { limits: { atOnce: 1, waiting: 1, maxWaitMs: 60_000 }, timeoutMs: 100 });
    // On a busy machine, the time limit can pass before the operation starts.
    while (jobs.length < 2) {
      const made = carryOut(running, "run", [memoryInput(text("x"), "a")]);
      await expect(made).rejects.toMatchObject({ reason: "timed-out" });
    }
    expect(jobs.map(({ signal }) => signal.aborted)).toEqual([true, true]);
    await nothingIsLeft();
  });

  test("by its client, while it works", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run });
    const gone = new AbortController();
    const answer = carryOut(running, "run", [memoryInput(text("x"), "a")], {}, gone.signal);
    await eventually(() => expect(jobs).toHaveLength(1));
    gone.abort(new Error("the client went away"));
    await expect(answer).rejects.toThrow("the client went away");
    await eventually(() => expect(jobs[0]!.signal.aborted).toBe(true));
    await nothingIsLeft();
    await eventually(() => expect(running.logged.at(-1)).toMatchObject({ message: "job ended" }));
  });

  test("by its client, in the middle of what it sends", async () => {
    const running = await start({ echo });
    const gone = new AbortController();
    const endless = async function* () {
      yield headerOf({ steps: [{ operation: "echo" }], inputs: [{ name: "a", size: 99_999 }] });
      for (;;) {
        yield Uint8Array.of(2, 0, 0, 0, 1, 0);
        await turn();
      }
    };
    const answer = post(running, "echo", endless(), gone.signal).then((response) => response.arrayBuffer());
    answer.catch(() => {});
    await eventually(async () => expect(await left()).toHaveLength(1));
    gone.abort(new Error("the client went away"));
    await expect(answer).rejects.toThrow();
    await nothingIsLeft();
  });

  test("by its client, in the middle of what it gets", async () => {
    let made = 0;
    const running = await start({
      async *endless() {
        const body = async function* () {
          for (;;) {
            made++;
            yield new Uint8Array(MiB);
          }
        };
        yield { extension: "bin", type: "application/octet-stream", body: body() };
      },
    });
    const gone = new AbortController();
    const response = await post(running, "endless", nothingToRead(), gone.signal);
    await response.body!.getReader().read();
    await eventually(async () => {
      const madeWhileNobodyRead = made;
      await sleep(300);
      expect(made, "nothing is made that nobody takes").toBe(madeWhileNobodyRead);
    });
    gone.abort();
    await nothingIsLeft();
  });

  test("by the end of the service", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run });
    const answer = carryOut(running, "run", []);
    answer.catch(() => {});
    await eventually(() => expect(jobs).toHaveLength(1));
    running.end(new EngineFailure("busy", "the service ends"));
    await expect(answer).rejects.toMatchObject({ reason: "busy" });
    expect((await fetch(`${running.url}/up`)).status).toBe(503);
    await nothingIsLeft();
  });
});

/** Returns the first frame of a request. */
function headerOf(header: unknown): Uint8Array {
  const json = text(JSON.stringify(header));
  return Uint8Array.of(1, 0, 0, 0, json.length, ...json);
}

async function* nothingToRead() {
  yield headerOf({ inputs: [] });
}

describe("metrics", () => {
  const metricsOf = async ({ url }: Running) => {
    const response = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${secret}` } });
    expect(response.headers.get("Content-Type")).toContain("version=0.0.4");
    return readSamples(await response.text());
  };

  test("need the secret", async () => {
    const running = await start({ echo });
    for (const headers of [{}, { Authorization: `Bearer ${secret}x` }]) {
      expect((await fetch(`${running.url}/metrics`, { headers })).status).toBe(401);
    }
  });

  test("count what clients were told, of each operation and outcome", async () => {
    const running = await start(
      { echo, locked: failing(new EngineFailure("password-protected", "")), beyond: failing(new OutOfRange("a", "b")) },
      { maxInputBytes: 1000, limits: { atOnce: 2, waiting: 2, maxWaitMs: 60_000 } },
    );
    const told = new Map<string, number>();
    const client = async (rounds: number, operation: string, sizeBytes: number) => {
      for (let round = 0; round < rounds; round++) {
        const outcome = await carryOut(running, operation, [memoryInput(new Uint8Array(sizeBytes), "a")]).then(
          () => "answered",
          (error: { reason?: string }) => error.reason ?? "out-of-range",
        );
        const key = `${operation} ${outcome}`;
        told.set(key, (told.get(key) ?? 0) + 1);
      }
    };
    const echoes = Array.from({ length: 8 }, () => client(10, "echo", 10));
    await Promise.all([...echoes, client(7, "echo", 1001), client(5, "locked", 1), client(3, "beyond", 1)]);
    // A job ends after its response, and its folder is deleted then.
    await eventually(async () => {
      const samples = await metricsOf(running);
      const counted = samples
        .filter(({ name }) => name === "pagewright_jobs_ended_total")
        .map(({ labels: { operation, outcome }, value }): [string, number] => [`${operation} ${outcome}`, value]);
      expect(Object.fromEntries(counted)).toEqual(Object.fromEntries(told));
      const ran = [told.get("echo answered"), told.get("locked password-protected"), told.get("beyond out-of-range")];
      for (const name of ["pagewright_job_wait_seconds_count", "pagewright_job_run_seconds_count"]) {
        const counts = ["echo", "locked", "beyond"].map((operation) => sumOf(samples, name, { operation }));
        expect(counts).toEqual(ran);
      }
    });
  });

  test("tell who waits and who runs, who left, and how the engines are", async () => {
    const { jobs, run } = waiting();
    const running = await start({ run, echo }, { limits: { atOnce: 2, waiting: 3, maxWaitMs: 60_000 } });
    const gone = new AbortController();
    const all = Array.from({ length: 5 }, () => carryOut(running, "run", [], {}, gone.signal));
    for (const job of all) job.catch(() => {});
    const places = async () => {
      const samples = await metricsOf(running);
      const names = ["pagewright_jobs_waiting", "pagewright_jobs_running"];
      return names.map((name) => [sumOf(samples, name, { operation: "run" }), sumOf(samples, name)]);
    };
    await eventually(async () =>
      expect(await places()).toEqual([
        [3, 3],
        [2, 2],
      ]),
    );
    await eventually(() => expect(jobs).toHaveLength(2));
    gone.abort(new Error("enough"));
    await Promise.allSettled(all);
    await eventually(async () =>
      expect(await places()).toEqual([
        [0, 0],
        [0, 0],
      ]),
    );
    const samples = await metricsOf(running);
    expect(sumOf(samples, "pagewright_jobs_ended_total", { outcome: "left" })).toBe(5);
    expect(sumOf(samples, "pagewright_jobs_ended_total")).toBe(5);
    const states = samples.filter(({ name, value }) => name === "pagewright_engine_state" && value === 1);
    expect(states.map(({ labels }) => Object.values(labels).join())).toEqual(["office,warm", "chromium,failed"]);
  });
});
