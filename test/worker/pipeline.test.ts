// Tests the pipeline with an operation declared for the test: it stores the right files, and failed or aborted requests
// leave no files.
import { expect, test } from "vitest";
import * as z from "zod";
import { EngineFailure } from "../../src/document/contract/failure.ts";
import { declareOperation, defineOperation, type Output, type Run } from "../../src/document/contract/operation.ts";
import { defineEndpoint, type RequestServices } from "../../src/service/http/contract/endpoint.ts";
import { handleRequest } from "../../src/service/http/pipeline/pipeline.ts";
import type { OperationResponse } from "../../src/service/http/responses/operation-response.ts";
import type { ConnectedContainer } from "../../src/service/placement/connection.ts";
import { edgeJob, containerJob as elsewhereAlone, type JobPlan } from "../../src/service/placement/placement.ts";
import { encodeResponse } from "../../src/service/placement/remote.ts";
import { createSemaphore } from "../../src/service/placement/semaphore.ts";
import { PART_BYTES } from "../../src/service/storage/standalone-files.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";
import { requestServices } from "./request-services.ts";

emptyBucketBeforeEach();

const service = requestServices();

function run(made: Run<null>, signal?: AbortSignal, container?: ConnectedContainer, beside = service) {
  return runJob(
    edgeJob(defineOperation({ name: "made", params: z.null(), run: made }), null),
    signal,
    container,
    beside,
  );
}

async function runJob(job: JobPlan, signal?: AbortSignal, container?: ConnectedContainer, beside = service) {
  const response = await answerOf(job, { ...beside, container }, {}, signal);
  return (await response.json()) as OperationResponse;
}

/** Returns the response to a request for the job. */
function answerOf(job: JobPlan, beside: RequestServices, headers: Record<string, string>, signal?: AbortSignal) {
  const made = defineEndpoint({
    path: "/made",
    ...{ verb: "make", title: "Make", group: "Store" },
    variants: ["private"],
    summary: "",
    inputs: { file: { kind: "one", description: "", accepts: () => true } },
    parameters: {},
    output: { kind: "files", naming: "prefix", type: "text/plain" },
    errors: [],
    createJob: () => job,
  });
  const form = new FormData();
  form.append("file", new File(["content"], "input.txt"));
  form.append("output", "made");
  const init = { method: "POST", body: form, headers, ...(signal ? { signal } : {}) };
  return handleRequest(made, new Request("https://service/made", init), beside);
}

const output = (text: string) => ({ extension: "txt", type: "text/plain", body: new TextEncoder().encode(text) });

test(
  "outputs are made ahead of those that are stored: small ones that are stored together, else a few, large " +
    "ones one",
  async () => {
    const objects = async () => (await keysInBucket()).filter((key) => !key.includes("/1")).length;
    for (const [size, ahead, stored] of [
      [10, 12, 1],
      [2 ** 20, 6, 12],
      [PART_BYTES - 10, 1, 12],
    ] as const) {
      const seen: number[] = [];
      const answer = await run(async function* () {
        for (let made = 0; made < 12; made++) {
          seen.push(made - (await objects()));
          yield { ...output(""), body: new Uint8Array(size) };
        }
      });
      expect(Math.max(...seen)).toBeLessThanOrEqual(ahead);
      expect(answer.outputId).toHaveLength(12);
      // All objects exist as soon as the response does.
      expect(await objects()).toBe(stored);
      await bucket.delete(await keysInBucket());
    }
  },
);

test.each([
  ["before its first output", 0],
  ["after two", 2],
])("an operation that fails %s leaves nothing", async (_, count) => {
  const failing = run(async function* () {
    for (let number = 0; number < count; number++) yield output("a");
    throw new EngineFailure("damaged", "for the test");
  });
  await expect(failing).rejects.toMatchObject({ reason: "damaged" });
  expect(await keysInBucket()).toEqual([]);
});

const limited = { ...service, config: { ...service.config, maxOutputBytes: 3 * 2 ** 20 } };

test.each([
  ["many small outputs", 40, 100_000],
  ["outputs of a part each", 2, 2 ** 21],
  ["one output without end", 1, Number.POSITIVE_INFINITY],
])("outputs beyond the limit of a request are refused, and nothing of them stays: %s", async (_, count, size) => {
  let made = 0;
  const large = run(
    async function* () {
      for (let number = 0; number < count; number++) yield { ...output(""), body: zeros(size) };
    },
    undefined,
    undefined,
    limited,
  );
  await expect(large).rejects.toMatchObject({ status: 413, message: "The output exceeds the maximum size of 3 MB." });
  expect(await keysInBucket()).toEqual([]);
  expect(made).toBeLessThan(2 ** 22);

  function* zeros(size: number) {
    for (let at = 0; at < size; at += 2 ** 16) {
      const chunk = new Uint8Array(Math.min(2 ** 16, size - at));
      made += chunk.length;
      yield chunk;
    }
  }
});

test("an answer that is a file has the same limit: refused while it is held, broken off once it is sent", async () => {
  const job = (size: number) =>
    edgeJob(
      defineOperation({
        ...{ name: "made", params: z.null() },
        async *run() {
          yield { ...output(""), body: Array.from({ length: size / 2 ** 16 }, () => new Uint8Array(2 ** 16)) };
        },
      }),
      null,
    );
  const headers = { Accept: "text/plain" };
  const within = await answerOf(job(2 ** 20), limited, headers);
  expect((await within.arrayBuffer()).byteLength).toBe(2 ** 20);
  const beyond = answerOf(job(2 ** 22), limited, headers).then((answer) => answer.arrayBuffer());
  await expect(beyond).rejects.toThrow();
  expect(await keysInBucket()).toEqual([]);
});

test("a client that goes away ends the job, and nothing is left", async () => {
  const leaving = new AbortController();
  let made = 0;
  const left = run(async function* () {
    for (;;) {
      if (++made === 3) leaving.abort(new Error("gone"));
      yield output("a");
    }
  }, leaving.signal);
  await expect(left).rejects.toThrow("gone");
  expect(made).toBe(3);
  expect(await keysInBucket()).toEqual([]);
});

test("the input is read from memory or from storage alike, and stays", async () => {
  const answer = await run(async function* ([input]) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of input!.stream()) chunks.push(chunk.slice());
    expect(new TextDecoder().decode(await input!.bytes())).toBe("content");
    yield { extension: "txt", type: "text/plain", body: chunks };
  });
  const file = await service.store.open(String(answer.outputId));
  expect(await new Response(file!.body).text()).toBe("content");
  expect(await service.store.find(String(answer.inputId))).toMatchObject({ name: "input.txt", size: 7 });
});

/** Returns a container that produces one output for every request, and records the requests. */
function elsewhere() {
  const asked: string[] = [];
  const container: ConnectedContainer = {
    prepareRetry: async () => false,
    prewarm() {},
    async post(operation) {
      asked.push(operation.name);
      const made = async function* () {
        yield output("made elsewhere");
      };
      return encodeResponse(made());
    },
  };
  return { asked, container };
}

const tooLargeAfter = (count: number): Run<null> =>
  async function* () {
    for (let number = 0; number < count; number++) yield output("made here");
    const body = async function* () {
      yield new TextEncoder().encode("half");
      throw new EngineFailure("too-large", "for the test");
    };
    yield { ...output(""), body: body() };
  };

test("a job that turns out too large here is done in the container", async () => {
  const { asked, container } = elsewhere();
  const answer = await run(tooLargeAfter(0), undefined, container);
  expect(asked).toEqual(["made"]);
  const file = await service.store.open(String(answer.outputId));
  expect(await new Response(file!.body).text()).toBe("made elsewhere");
  // The keys of the input and the output; keys of digests are not counted.
  expect((await keysInBucket()).filter((key) => key.startsWith("files/"))).toHaveLength(2);
});

test("but not once something is stored, nor where there is none, nor for another reason", async () => {
  const { asked, container } = elsewhere();
  await expect(run(tooLargeAfter(1), undefined, container)).rejects.toMatchObject({ reason: "too-large" });
  await expect(run(tooLargeAfter(0))).rejects.toMatchObject({ reason: "too-large" });
  const damaged: Run<null> = async function* () {
    yield* await Promise.reject<Output[]>(new EngineFailure("damaged", "for the test"));
  };
  await expect(run(damaged, undefined, container)).rejects.toMatchObject({ reason: "damaged" });
  expect(asked).toEqual([]);
  expect(await keysInBucket()).toEqual([]);
});

/**
 * Returns a container that is lost during its first requests, after one and a half outputs.
 * @param lost number of lost requests
 */
function losing(lost: number) {
  const told: string[] = [];
  const container: ConnectedContainer = {
    async prepareRetry() {
      told.push("waited for");
      return true;
    },
    prewarm() {},
    async post() {
      const isLost = told.filter((what) => what === "asked").length < lost;
      told.push("asked");
      const made = async function* () {
        yield output(isLost ? "lost" : "made");
        yield output(isLost ? "lost too, and longer than what is left of it" : "made too");
      };
      const whole = encodeResponse(made());
      if (!isLost) return whole;
      return (async function* () {
        for await (const chunk of whole) {
          yield chunk.length > 60 ? chunk.subarray(0, 70) : chunk;
          if (chunk.length > 60) throw new TypeError("Network connection lost.");
        }
      })();
    },
  };
  return { told, container };
}

const remoteJob = elsewhereAlone(declareOperation({ name: "made", params: z.null() }), null);

test("a job whose connection to the container breaks is begun again, and what it had stored is gone", async () => {
  const { told, container } = losing(1);
  const { outputId } = await runJob(remoteJob, undefined, container);
  expect(told).toEqual(["asked", "waited for", "asked"]);
  const texts = await Promise.all(
    [outputId].flat().map(async (id) => new Response((await service.store.open(id))!.body).text()),
  );
  expect(texts).toEqual(["made", "made too"]);
  // The keys of the input, and of a pack with two outputs.
  expect(await keysInBucket()).toHaveLength(2);
});

test("but once only", async () => {
  const { told, container } = losing(2);
  await expect(runJob(remoteJob, undefined, container)).rejects.toMatchObject({ reason: "lost" });
  expect(told).toEqual(["asked", "waited for", "asked"]);
  expect(await keysInBucket()).toEqual([]);
});

test("a client that goes away while the container is waited for ends the job", async () => {
  const gone = new AbortController();
  const { told, container } = losing(1);
  const waiting: ConnectedContainer = {
    ...container,
    async prepareRetry(_error, signal) {
      gone.abort(new Error("the client went away"));
      signal.throwIfAborted();
      return true;
    },
  };
  await expect(runJob(remoteJob, gone.signal, waiting)).rejects.toThrow();
  expect(told).toEqual(["asked"]);
  expect(await keysInBucket()).toEqual([]);
});

test("jobs that the container works at take no turn from others until something comes of them", async () => {
  const slow = Promise.withResolvers<void>();
  let asked = 0;
  const container: ConnectedContainer = {
    prepareRetry: async () => false,
    prewarm() {},
    async post() {
      if (++asked === 1) await slow.promise;
      return encodeResponse(
        (async function* () {
          yield output("made there");
        })(),
      );
    },
  };
  const needsRoom: Run<null> = async function* () {
    yield* await Promise.reject<Output[]>(new EngineFailure("too-large", "for a test"));
  };
  const roomy = { ...service, containerSemaphore: createSemaphore({ concurrency: 2, maxQueued: 0, maxWaitMs: 1000 }) };
  const first = run(needsRoom, undefined, container, roomy);
  while (asked === 0) await scheduler.wait(1);
  await run(needsRoom, undefined, container, roomy);
  slow.resolve();
  await first;
  expect(asked).toBe(2);
});
