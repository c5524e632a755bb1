// Tests file responses in the pipeline, with an operation declared for the test: stored files, buffered data, and
// failures.
// Contract: docs/api.md#file-responses

import { expect, test } from "vitest";
import * as z from "zod";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { defineOperation, type Output, type Run } from "../../src/document/contract/operation.ts";
import { defineEndpoint, type RequestServices } from "../../src/service/http/contract/endpoint.ts";
import { Timing } from "../../src/service/http/contract/timing.ts";
import { handleRequest } from "../../src/service/http/pipeline/pipeline.ts";
import { edgeJob } from "../../src/service/placement/placement.ts";
import { createSemaphore, type Semaphore } from "../../src/service/placement/semaphore.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { PACK_BYTES } from "../../src/service/storage/packs.ts";
import { createStore } from "../../src/service/storage/store.ts";
import { readStreamedZip } from "../support/streamed-zip.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

emptyBucketBeforeEach();

const MiB = 2 ** 20;
const turns = () => createSemaphore({ concurrency: 1, maxQueued: 1, maxWaitMs: 20_000 });

interface Asked {
  readonly response: Response;
  readonly engineSemaphore: Semaphore;
  /** Runs the work that is deferred until after the response. */
  after(): Promise<void>;
}

/** @param sent body of the request. @default 1 MiB, of a known length */
async function ask(
  run: Run<null>,
  headers: Record<string, string>,
  signal?: AbortSignal,
  { inputBytes = MiB, isChunked = false }: { inputBytes?: number; isChunked?: boolean } = {},
): Promise<Asked> {
  const deferred: Promise<void>[] = [];
  const engineSemaphore = turns();
  const service: RequestServices = {
    config: {
      variant: "private",
      dialect: "2022",
      maxUploadBytes: 8 * MiB,
      maxOutputBytes: 2 ** 30,
      maxInputs: 10,
      fileLifetimeMs: 0,
      baseUrl: undefined,
    },
    store: createStore(bucket, { lifetimeMs: 0 }),
    uploadSemaphore: turns(),
    overflowSemaphore: turns(),
    uploadQuota: createMemoryQuota({ perRequest: 8 * MiB, total: 16 * MiB }),
    bufferQuota: createMemoryQuota({ perRequest: 2 * PACK_BYTES, total: 6 * PACK_BYTES }),
    bodies: createMemoryQuota({ perRequest: MiB, total: MiB }),
    budgets: ISOLATE_CAPACITY,
    engineSemaphore,
    receiveSemaphore: turns(),
    containerSemaphore: turns(),
    container: undefined,
    baseUrl: "https://service",
    timing: new Timing(),
    log: () => {},
    defer: (work) => deferred.push(work()),
  };
  const made = defineEndpoint({
    path: "/made",
    ...{ verb: "make", title: "Make", group: "Store" },
    variants: ["private"],
    summary: "",
    inputs: { file: { kind: "one", description: "", accepts: () => true } },
    parameters: {},
    output: { kind: "files", naming: "prefix", type: "text/plain" },
    createJob: () => edgeJob(defineOperation({ name: "made", params: z.null(), run }), null),
  });
  const form = new FormData();
  form.append("file", new File([new Uint8Array(inputBytes)], "input.txt"));
  form.append("output", "made");
  // A body whose length is known stays in memory.
  const sent = new Response(form);
  const type = sent.headers.get("Content-Type")!;
  const body = await sent.arrayBuffer();
  const request = new Request("https://service/made", {
    method: "POST",
    body,
    headers: {
      ...{ ...headers, "Content-Type": type },
      ...(isChunked ? {} : { "Content-Length": String(body.byteLength) }),
    },
    ...(signal ? { signal } : {}),
  });
  const response = await handleRequest(made, request, service);
  return { response, engineSemaphore, after: async () => void (await Promise.all(deferred)) };
}

const text = { extension: "txt", type: "text/plain" };
const small: Run<null> = async function* () {
  yield { ...text, body: new TextEncoder().encode("content"), notices: () => [{ code: "xfa-removed", count: 1 }] };
};

/** Yields chunks that share one buffer, as encoders do. */
function* chunks(sizeBytes: number, failAt = Number.POSITIVE_INFINITY): Generator<Uint8Array> {
  const chunk = new Uint8Array(2 ** 16);
  for (let at = 0; at < sizeBytes; at += chunk.length) {
    if (at >= failAt) throw new EngineFailure("damaged", "for the test");
    chunk.fill((at / chunk.length) % 251);
    yield chunk;
  }
}
const sized = (sizeBytes: number, more: Partial<Output> = {}): Run<null> =>
  async function* () {
    yield { ...text, body: chunks(sizeBytes), ...more };
  };

function isRight(bytes: Uint8Array, from = 0): boolean {
  for (let at = from; at < bytes.length; at += 4099) {
    if (bytes[at] !== Math.floor(at / 2 ** 16) % 251) return false;
  }
  return true;
}

const file = { Accept: "text/plain" };

test("a small one: nothing is stored at any time, neither it nor what was sent", async () => {
  const { response, after } = await ask(async function* (...job) {
    expect(await keysInBucket()).toEqual([]);
    yield* small(...job);
  }, file);
  expect(await keysInBucket()).toEqual([]);
  expect(Object.fromEntries(response.headers)).toMatchObject({
    "content-type": "text/plain",
    "content-disposition": "attachment; filename=made_1.txt",
    "content-length": "7",
    notices: '"the XFA form was removed, its AcroForm was kept"',
    "x-content-type-options": "nosniff",
  });
  expect(response.headers.get("Output-Id")).toBeNull();
  expect(await response.text()).toBe("content");
  await after();
  expect(await keysInBucket()).toEqual([]);
});

test("one of 4 MiB is complete before its status, whatever the request sent and how", async () => {
  for (const isChunked of [false, true]) {
    const sent = { inputBytes: 500_000, isChunked };
    const { response, after } = await ask(sized(4 * MiB), file, undefined, sent);
    expect(response.headers.get("Content-Length")).toBe(String(4 * MiB));
    await response.arrayBuffer();
    await after();
    expect(await keysInBucket()).toEqual([]);
  }
});

test("stored too where the client prefers that: one object, whose id is told", async () => {
  const { response, after } = await ask(small, { ...file, Prefer: "wait=1, return=representation; store" });
  await after();
  const id = response.headers.get("Output-Id")!;
  expect(id).toMatch(/^2/);
  expect(response.headers.get("Preference-Applied")).toBe("return=representation");
  expect(await response.text()).toBe("content");
  expect((await keysInBucket()).filter((key) => !key.startsWith("files/2"))).toEqual([]);
  const stored = await createStore(bucket, { lifetimeMs: 0 }).open(id);
  expect(await new Response(stored!.body).text()).toBe("content");
});

test.each([1, 3, 5, 12])("of %i MiB: the same bytes", async (size) => {
  const { response, after } = await ask(sized(size * MiB), file);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect([bytes.length, isRight(bytes)]).toEqual([size * MiB, true]);
  await after();
  expect(await keysInBucket()).toEqual([]);
});

test("a large one is made while it is taken, and the job ends with it", async () => {
  let made = 0;
  const { response, engineSemaphore, after } = await ask(async function* () {
    const body = (function* () {
      for (const chunk of chunks(40 * MiB)) {
        made += chunk.length;
        yield chunk;
      }
    })();
    yield { ...text, body };
  }, file);
  expect(made).toBeLessThan(6 * MiB);
  const { signal } = new AbortController();
  await expect(engineSemaphore.acquire(AbortSignal.any([signal, AbortSignal.timeout(50)]))).rejects.toThrow();
  expect((await response.arrayBuffer()).byteLength).toBe(40 * MiB);
  await after();
  using _turn = await engineSemaphore.acquire(signal);
});

test.each([
  ["stored bytes, and then all of them", false],
  ["nothing more", true],
])("the job of a client that takes a chunk and waits ends without it; then it takes %s", async (_, leaves) => {
  const { response, engineSemaphore, after } = await ask(sized(12 * MiB), file);
  const reader = response.body!.getReader();
  const { value } = await reader.read();
  (await engineSemaphore.acquire(new AbortController().signal))[Symbol.dispose]();
  const parts = [value!];
  if (leaves) await reader.cancel();
  else for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
  if (!leaves) {
    const bytes = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    expect([bytes.length, isRight(bytes)]).toEqual([12 * MiB, true]);
  }
  await after();
  expect(await keysInBucket()).toEqual([]);
});

test("a failure while its client waits breaks the body off, and nothing is left", async () => {
  const { response, engineSemaphore, after } = await ask(sized(8 * MiB, { body: chunks(8 * MiB, 6 * MiB) }), file);
  const reader = response.body!.getReader();
  await reader.read();
  (await engineSemaphore.acquire(new AbortController().signal))[Symbol.dispose]();
  const readAll = async () => {
    while (!(await reader.read()).done);
  };
  await expect(readAll()).rejects.toThrow();
  await after();
  expect(await keysInBucket()).toEqual([]);
});

test.each([0, MiB])("a failure after %i bytes is the answer", async (at) => {
  const failing = ask(sized(8 * MiB, { body: chunks(8 * MiB, at) }), file);
  await expect(failing).rejects.toMatchObject({ reason: "damaged" });
  expect(await keysInBucket()).toEqual([]);
});

test("a failure after 6 MiB breaks the body off, and nothing is left", async () => {
  const { response, engineSemaphore, after } = await ask(sized(8 * MiB, { body: chunks(8 * MiB, 6 * MiB) }), file);
  expect(response.status).toBe(200);
  await expect(response.arrayBuffer()).rejects.toThrow();
  await after();
  expect(await keysInBucket()).toEqual([]);
  using _turn = await engineSemaphore.acquire(new AbortController().signal);
});

test("so does a failure after the last byte", async () => {
  const { response, after } = await ask(async function* () {
    yield { ...text, body: chunks(8 * MiB) };
    throw new EngineFailure("crashed", "for the test");
  }, file);
  await expect(response.arrayBuffer()).rejects.toThrow();
  await after();
});

test.each(["cancels", "goes away"])("a client that %s ends the job", async (how) => {
  const leaving = new AbortController();
  let isEnded = false;
  const body = (function* () {
    try {
      yield* chunks(40 * MiB);
    } finally {
      isEnded = true;
    }
  })();
  const { response, engineSemaphore, after } = await ask(sized(0, { body }), file, leaving.signal);
  const reader = response.body!.getReader();
  await reader.read();
  if (how === "cancels") await reader.cancel();
  else leaving.abort(new Error("gone"));
  await after();
  expect(isEnded).toBe(true);
  using _turn = await engineSemaphore.acquire(new AbortController().signal);
  expect(await keysInBucket()).toEqual([]);
});

test.each([1, 8])("an output of %i MiB whose first bytes are known last", async (size) => {
  const { response, after } = await ask(sized(size * MiB, { headerPatch: () => new Uint8Array([9, 8, 7]) }), file);
  const bytes = new Uint8Array(await response.arrayBuffer());
  expect([...bytes.subarray(0, 4)]).toEqual([9, 8, 7, 0]);
  expect([bytes.length, isRight(bytes, 4099)]).toEqual([size * MiB, true]);
  await after();
  expect(await keysInBucket()).toEqual([]);
});

const several = (sizes: readonly number[], more: Partial<Output> = {}): Run<null> =>
  async function* () {
    for (const size of sizes) yield { ...text, body: chunks(size), total: sizes.length, ...more };
  };

test.each([
  ["small ones", [1, 2 ** 16, 2 ** 18], {}],
  ["large ones", [MiB, 9 * MiB, 3 * MiB], {}],
  ["with first bytes that are known last", [MiB, 9 * MiB], { headerPatch: () => new Uint8Array([0, 0, 0]) }],
] as const)("several outputs as an archive: %s", async (_, sizes, more) => {
  const { response, after } = await ask(several(sizes, more), { Accept: "application/zip" });
  expect(response.headers.get("Content-Disposition")).toBe("attachment; filename=made.zip");
  const entries: [string, number][] = [];
  for (const [name, bytes] of await readStreamedZip(response.body!)) {
    expect(isRight(bytes, 4099)).toBe(true);
    entries.push([name, bytes.length]);
  }
  const whole = (size: number) => Math.ceil(size / 2 ** 16) * 2 ** 16;
  expect(entries).toEqual(sizes.map((size, index) => [`made_${index + 1}.txt`, whole(size)]));
  await after();
  expect(await keysInBucket()).toEqual([]);
});

test("several outputs as one file: 406, and nothing is stored or left", async () => {
  const failing = ask(several([1, 1]), file);
  await expect(failing).rejects.toMatchObject({
    status: 406,
    message: "The response is available only as application/json, application/zip.",
  });
  expect(await keysInBucket()).toEqual([]);
});

test("several outputs as JSON, if that is the next best: all are stored, and the input", async () => {
  const { response } = await ask(several([1, 1]), { Accept: "text/plain, application/json;q=0.5" });
  expect(((await response.json()) as { outputId: string[] }).outputId).toHaveLength(2);
  expect((await keysInBucket()).filter((key) => key.includes("/1"))).toHaveLength(1);
});
