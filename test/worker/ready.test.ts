// Tests GET /ready of a Worker with instances: the reported state of the instances, of the storage, and of a missing
// container.
import { expect, test } from "vitest";
import { createApp } from "../../src/app/app.ts";
import type { Readiness } from "../../src/service/http/health/readiness.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import type { Env } from "../../src/service/settings/config.ts";
import { behave, both, env, run, runBoth, soon, tell } from "./instances.ts";

const app = createApp(ISOLATE_CAPACITY);

const ready = async (changed: Partial<Env> = {}) => {
  const response = await createApp(ISOLATE_CAPACITY).fetch(new Request("http://localhost/ready"), {
    ...env,
    ...changed,
  });
  expect([200, 503]).toContain(response.status);
  const body = (await response.json()) as Readiness;
  expect(body.status).toBe(response.status === 200 ? "OK" : "unavailable");
  return body;
};

test("200 while the containers sleep, which it does not wake", async () => {
  const response = await app.fetch(new Request("http://localhost/ready"), env);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    status: "OK",
    storage: "OK",
    container: { engines: "OK", web: "OK" },
    engines: Object.fromEntries(
      ["office", "ghostscript", "verapdf", "threads", "chromium"].map((name) => [name, { state: "asleep" }]),
    ),
    queue: { waiting: 0, room: expect.any(Number) },
    reasons: [],
    notes: [],
  });
  expect((await tell("engines instance-0")).starts).toEqual([]);
});

test("the engines of an instance that runs, as it has them", async () => {
  await run();
  const { engines, reasons } = await ready();
  expect(engines).toMatchObject({ office: { state: "warm", proof: { by: "job" } }, chromium: { state: "asleep" } });
  expect(reasons).toEqual([]);
});

test("503 once no container could be started, until one can be", async () => {
  await Promise.all([0, 1].map((index) => behave(`engines instance-${index}`, "does-not-start")));
  await run().catch(() => {});
  expect(await ready()).toMatchObject({
    storage: "OK",
    container: { engines: "failed", web: "OK" },
    reasons: ["The container for documents does not start."],
  });
  await behave("engines instance-0", "works");
  await expect.poll(async () => (await ready()).reasons, soon).toEqual([]);
});

test("503 while both containers run and cannot be reached", async () => {
  await runBoth();
  await Promise.all(both((name) => behave(name, "out-of-reach")));
  expect(await ready()).toMatchObject({ reasons: ["The container for documents does not answer."] });
});

test("503 if the storage does not answer", async () => {
  const away = () => Promise.reject(new Error("R2 is away"));
  const readOnly = { put: away } as unknown as R2Bucket;
  expect(await ready({ FILES: readOnly })).toMatchObject({
    storage: "failed",
    reasons: ["The storage cannot be written."],
  });
  const unreadable = { put: async () => {}, get: away, delete: async () => {} } as unknown as R2Bucket;
  expect(await ready({ FILES: unreadable })).toMatchObject({ reasons: ["The storage does not answer."] });
});

test("a flood of questions writes to the storage once, and leaves nothing there", async () => {
  const flooded = createApp(ISOLATE_CAPACITY);
  let writes = 0;
  const FILES = new Proxy(env.FILES, {
    get(bucket, name) {
      if (name === "put") writes++;
      const value = Reflect.get(bucket, name) as unknown;
      return typeof value === "function" ? value.bind(bucket) : value;
    },
  });
  const ask = async () => (await flooded.fetch(new Request("http://localhost/ready"), { ...env, FILES })).status;
  expect(new Set(await Promise.all(Array.from({ length: 50 }, ask)))).toEqual(new Set([200]));
  expect(writes).toBe(1);
  expect((await env.FILES.list({ prefix: "ready/" })).objects).toEqual([]);
});

test("503 without a container", async () => {
  const { DISPATCHER: _, ...without } = env;
  const response = await app.fetch(new Request("http://localhost/ready"), without);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ reasons: ["CONTAINER_URL is not set."] });
  expect(await ready({ CONTAINER_URL: "http://127.0.0.1:9" })).toMatchObject({
    reasons: ["CONTAINER_SECRET is not set."],
  });
  const away = { CONTAINER_URL: "http://127.0.0.1:9", CONTAINER_SECRET: "any" };
  expect(await ready(away)).toMatchObject({ reasons: ["The container does not answer."] });
});
