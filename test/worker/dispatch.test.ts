// Tests the dispatch of jobs to the instances of the container, with real Durable Objects, and with real HTTP servers
// in place of the platform's container runtime.
import { createExecutionContext } from "cloudflare:test";
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { delay } from "../../src/runtime/delay.ts";
import { toServiceError } from "../../src/service/http/contract/errors.ts";
import { connectContainer } from "../../src/service/placement/container.ts";
import { dispatcher } from "../../src/service/placement/instances/dispatcher-stub.ts";
import { instance } from "../../src/service/placement/instances/instance-stub.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import type { Env } from "../../src/service/settings/config.ts";
import type { Behavior } from "../support/platform-protocol.ts";
import {
  behave,
  both,
  call,
  connect,
  env,
  held,
  never,
  release,
  restart,
  run,
  runBoth,
  soon,
  summary,
  tell,
  WATCH_MS,
  webPage,
  whoami,
} from "./instances.ts";

const app = createApp(ISOLATE_CAPACITY);

test("a job starts the first instance, and the next ones use it", async () => {
  expect(await summary()).toMatchObject({ instances: ["asleep", "asleep"] });
  for (let count = 0; count < 3; count++) expect(await run()).toBe("engines instance-0");
  expect((await tell("engines instance-0")).starts).toHaveLength(1);
  expect((await tell("engines instance-1")).starts).toHaveLength(0);
  expect(await summary()).toEqual({ instances: ["ready", "asleep"], jobs: 0, waiting: 0 });
});

test("a second instance starts when the first has a job for each processor, and is used", async () => {
  const jobs = Array.from({ length: 4 }, () => run(held));
  await expect.poll(async () => (await summary()).jobs, soon).toBe(4);
  await expect.poll(async () => (await summary()).instances, soon).toEqual(["ready", "ready"]);
  await release("engines instance-0", "engines instance-1");
  expect(new Set(await Promise.all(jobs)).size).toBeGreaterThanOrEqual(1);
  expect((await tell("engines instance-1")).starts).toHaveLength(1);
  expect(await run()).toBe("engines instance-0");
});

test("web pages have instances of their own, which alone have the internet and its settings", async () => {
  expect(await run(webPage)).toBe("web instance-0");
  expect(await run(whoami)).toBe("engines instance-0");
  const [web] = (await tell("web instance-0")).starts;
  const [engines] = (await tell("engines instance-0")).starts;
  const addresses = { URL_ALLOW: "wiki.corp", URL_DNS: "10.0.0.53" };
  expect(web).toMatchObject({ enableInternet: "true", ENGINES: "chromium,threads", ...addresses });
  expect(engines).toMatchObject({ enableInternet: "false", ENGINES: "office,ghostscript,verapdf,threads" });
  for (const name of Object.keys(addresses)) expect(engines).not.toHaveProperty(name);
});

describe("the secret", () => {
  test("is made at each start of a container, and survives the memory of the object", async () => {
    await run();
    await restart(instance(env, "engines", 0)!);
    expect(await run()).toBe("engines instance-0");
    expect((await tell("engines instance-0")).starts).toHaveLength(1);
    await call("stop", "engines instance-0");
    await expect.poll(async () => instance(env, "engines", 0)!.isRunning(), soon).toBe(false);
    expect(await run()).toMatch(/^engines instance-[01]$/);
    const secrets = [...(await tell("engines instance-0")).starts, ...(await tell("engines instance-1")).starts].map(
      ({ CONTAINER_SECRET }) => CONTAINER_SECRET,
    );
    expect(new Set(secrets).size).toBe(2);
    for (const secret of secrets) expect(secret).toMatch(/^[\w-]{43}$/);
  });

  test("that a container does not know ends the container, and the job is done by another one", async () => {
    await run();
    await behave("engines instance-0", 401);
    expect(await run()).toBe("engines instance-1");
    expect((await tell("engines instance-0")).running).toBe(false);
  });
});

describe("a job that its instance does not take or finish is done by another one", () => {
  test.each<[Behavior, string]>([
    [401, "gone"],
    [404, "gone"],
    [429, "not-started"],
    [500, "gone"],
    [502, "gone"],
    [503, "not-started"],
    ["hangs-up", "gone"],
    ["breaks-off", "gone"],
    ["full", "full"],
    ["old", "other-version"],
    ["does-not-start", "not-started"],
  ])("%s", async (behavior, trouble) => {
    await behave("engines instance-0", behavior);
    expect(await run()).toBe("engines instance-1");
    expect((await tell("engines instance-1")).jobs).toEqual(["whoami"]);
    // The faulted instance gets no further jobs for a while. On a slow machine, a short fault can already be over.
    const [first] = (await summary()).instances;
    expect([trouble, "asleep", "ready"]).toContain(first);
  });

  test.each<Behavior>([401, 429, 500, "hangs-up", "breaks-off", "full", "old", "does-not-start"])(
    "and if the other one is no better (%s): 503 with Retry-After, after one attempt each",
    async (behavior) => {
      await Promise.all([0, 1].map((number) => behave(`engines instance-${number}`, behavior)));
      const error = await run().then(
        (name) => name,
        (reason: unknown) => toServiceError(reason),
      );
      expect(error).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
      const jobs = await Promise.all([0, 1].map(async (number) => (await tell(`engines instance-${number}`)).jobs));
      expect(jobs.map(({ length }) => length)).toEqual(behavior === "does-not-start" ? [0, 0] : [1, 1]);
      expect((await summary()).jobs).toBe(0);
    },
  );

  test("a container that is killed in the middle of a job", async () => {
    const name = run(held);
    await expect.poll(async () => (await tell("engines instance-0")).jobs, soon).toEqual(["held"]);
    await release("engines instance-1");
    await call("stop", "engines instance-0");
    expect(await name).toBe("engines instance-1");
  });

  test.each(["frozen", "lost"] as const)("a container that is %s in the middle of a job", async (behavior) => {
    const name = run(held);
    await expect.poll(async () => (await tell("engines instance-0")).jobs, soon).toEqual(["held"]);
    await release("engines instance-1");
    await behave("engines instance-0", behavior);
    expect(await name).toBe("engines instance-1");
    expect(await tell("engines instance-0")).toMatchObject({ running: false });
  });

  test("containers that run and cannot be reached: they are ended, so that jobs start them again", async () => {
    await runBoth();
    await Promise.all(both((name) => behave(name, "out-of-reach")));
    await expect(run()).rejects.toThrow("the container is away");
    const running = async () => (await Promise.all(both(tell))).map(({ running }) => running);
    await expect.poll(running, soon).toEqual([false, false]);
    await Promise.all(both((name) => behave(name, "works")));
    await expect.poll(() => run().catch(String), soon).toMatch(/^engines instance-\d$/);
  });

  test("a container that breaks one connection goes on", async () => {
    await behave("engines instance-0", "hangs-up");
    expect(await run()).toBe("engines instance-1");
    await delay(3 * WATCH_MS);
    expect(await tell("engines instance-0")).toMatchObject({ running: true });
  });
});

describe("a slot", () => {
  test("is free when its job has ended, failed or was left by its client", async () => {
    await run();
    expect(await summary()).toMatchObject({ jobs: 0, waiting: 0 });
    const gone = new AbortController();
    const left = run(held, gone.signal);
    left.catch(() => {});
    await expect.poll(async () => (await summary()).jobs, soon).toBe(1);
    gone.abort(new Error("the client went away"));
    await expect(left).rejects.toThrow("the client went away");
    expect(await summary()).toMatchObject({ jobs: 0, waiting: 0 });
  });

  test("a client that goes away while it waits for one leaves the queue", async () => {
    await behave("engines instance-0", "starts-late");
    const gone = new AbortController();
    const waits = run(whoami, gone.signal);
    waits.catch(() => {});
    await expect
      .poll(async () => await summary(), soon)
      .toMatchObject({ instances: ["starting", "asleep"], waiting: 1 });
    gone.abort(new Error("the client went away"));
    await expect(waits).rejects.toThrow("the client went away");
    expect(await summary()).toMatchObject({ waiting: 0 });
    await release("engines instance-0");
  });

  test("a dispatcher that has lost its memory finds the instance that runs", async () => {
    await behave("engines instance-0", "does-not-start");
    await run();
    await behave("engines instance-0", "works");
    await restart(dispatcher(env, "engines")!);
    expect(await run()).toBe("engines instance-1");
    expect((await summary()).instances).toEqual(["asleep", "ready"]);
  });
});

test("an instance that starts ahead of a job is the one that does it", async () => {
  const { container, settled } = connect();
  container.prewarm(whoami);
  container.prewarm(whoami);
  await settled();
  expect(await summary()).toEqual({ instances: ["ready", "asleep"], jobs: 0, waiting: 0 });
  expect(await run()).toBe("engines instance-0");
  expect((await tell("engines instance-0")).starts).toHaveLength(1);
});

test("an instance starts while the rest of the upload arrives", async () => {
  const begin = [
    "--bound",
    'Content-Disposition: form-data; name="file"; filename="letter.doc"',
    "",
    `{\\rtf1 ${"Hello ".repeat(20_000)}`,
  ].join("\r\n");
  const arrives = Promise.withResolvers<void>();
  const body = new ReadableStream({
    type: "bytes",
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(begin));
      await arrives.promise;
      controller.error(new Error("enough"));
    },
  });
  const headers = { "Content-Type": "multipart/form-data; boundary=bound" };
  const request = new Request("http://localhost/pdf", { method: "POST", headers, body });
  const answer = app.fetch(request, env, createExecutionContext());
  await expect.poll(async () => (await tell("engines instance-0")).starts.length, soon).toBe(1);
  expect((await tell("web instance-0")).starts).toEqual([]);
  arrives.resolve();
  expect((await answer).status).toBe(400);
});

describe("a container with an address", () => {
  /** Starts a container at a URL, and returns the settings with which the Worker connects to it. */
  async function start(changed: Record<string, string> = {}) {
    const settings = { CONTAINER_SECRET: "a secret of this test", ...changed };
    const { port } = await call<{ port: number }>("start", "alone", settings);
    return { ...settings, CONTAINER_URL: `http://127.0.0.1:${port}` };
  }
  const connectTo = (settings: Partial<Env>) => ({
    container: connectContainer({ ...env, ...settings }, { requestId: "r", client: "c", waitUntil: () => {} })!,
    settled: async () => {},
  });

  test("does jobs", async () => {
    expect(await run(whoami, never, connectTo(await start()))).toBe("alone");
  });

  test.each<[Behavior, number]>([
    [401, 1],
    [429, 1],
    ["full", 1],
    ["old", 1],
    [500, 2],
    [503, 2],
    ["hangs-up", 2],
    ["breaks-off", 2],
  ])("that is in trouble (%s): 503 after %i attempts", async (behavior, attempts) => {
    const settings = await start();
    await behave("alone", behavior);
    const failure = await run(whoami, never, connectTo(settings)).catch(toServiceError);
    expect(failure).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
    expect((await tell("alone")).jobs).toHaveLength(attempts);
  });

  test("that ends in a job is waited for", async () => {
    const settings = await start();
    const job = run(held, never, connectTo(settings));
    await expect.poll(async () => (await tell("alone")).jobs, soon).toEqual(["held"]);
    await call("stop", "alone");
    await release("alone");
    await start({ PORT: new URL(settings.CONTAINER_URL).port });
    expect(await job).toBe("alone");
  });
});
