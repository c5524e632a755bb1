// The pipeline with an operation made for the test: what it stores, and that nothing stays of a request that fails or is left.
import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { endpoint, handle, job, type Service } from "../../src/endpoint.ts";
import { outputName } from "../../src/fields.ts";
import { EngineFailure, type Operation } from "../../src/operations/operation.ts";
import { createStore } from "../../src/store.ts";
import { createTurns } from "../../src/turns.ts";

const bucket = (env as unknown as { FILES: R2Bucket }).FILES;
const keysInBucket = async () => (await bucket.list()).objects.map(({ key }) => key);
beforeEach(async () => {
  for (const key of await keysInBucket()) await bucket.delete(key);
});

const turns = () => createTurns({ atOnce: 1, waiting: 1, maxWaitMs: 1000 });
const service: Service = {
  config: { variant: "private", maxUploadBytes: 2 ** 20, fileLifetimeMs: 0, baseUrl: undefined },
  store: createStore(bucket, { lifetimeMs: 0 }),
  uploadTurns: turns(),
  engineTurns: turns(),
  baseUrl: "https://service",
  log: () => {},
  defer: () => {},
};

function run(operation: Operation<null>, signal?: AbortSignal) {
  const made = endpoint({
    path: "/made",
    variants: ["private"],
    summary: "",
    source: { kind: "file-or-id", description: "", accepts: () => true },
    fields: { output: outputName("") },
    naming: "prefix",
    heavy: true,
    errors: [],
    prepare: () => job(operation, null),
  });
  const form = new FormData();
  form.append("file", new File(["content"], "input.txt"));
  form.append("output", "made");
  const request = new Request("https://service/made", { method: "POST", body: form, ...(signal ? { signal } : {}) });
  return handle(made, request, service);
}

const output = (text: string) => ({ extension: "txt", type: "text/plain", body: new TextEncoder().encode(text) });

test("each output is stored before the next is made", async () => {
  const stored: number[] = [];
  const answer = await run(async function* () {
    for (let number = 1; number <= 3; number++) {
      stored.push((await keysInBucket()).filter((key) => key.startsWith("files/2")).length);
      yield output(String(number));
    }
  });
  expect(stored).toEqual([0, 1, 2]);
  expect(answer.outputId).toHaveLength(3);
  expect((await keysInBucket()).length).toBe(4);
});

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
  expect(await service.store.find(answer.inputId!)).toMatchObject({ name: "input.txt", size: 7 });
});
