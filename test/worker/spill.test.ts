// Tests in which region's containers a job runs, with real Durable Objects for each region.
import { describe, expect, test } from "vitest";
import { createApp } from "../../src/app/app.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { toServiceError } from "../../src/service/http/contract/errors.ts";
import type { Readiness } from "../../src/service/http/health/readiness.ts";
import { dispatcher } from "../../src/service/placement/instances/dispatcher-stub.ts";
import { EngineContainer, WebContainer } from "../../src/service/placement/instances/engine-container.ts";
import * as regionalContainers from "../../src/service/placement/instances/regional-containers.ts";
import type { PoolName } from "../../src/service/placement/instances/regional-pools.ts";
import { REGIONS as REGIONS_OF_PLATFORM } from "../../src/service/regions/regions.ts";
import { ISOLATE_CAPACITY } from "../../src/service/settings/capacity.ts";
import type { Env } from "../../src/service/settings/config.ts";
import type { Behavior } from "../support/platform-protocol.ts";
import { behave, connect, env, held, never, release, run, soon, tell, whoami } from "./instances.ts";

const REGIONS = "weur,enam,apac";
const INSTANCES = [0, 1];

/** Returns the environment of a request in a region, whose jobs can spill over to others. */
const at = (region: string, ...spill: readonly string[]): Env => ({
  ...env,
  ...{ REGIONS, REGION: region },
  ...(spill.length > 0 ? { SPILL: spill.join() } : {}),
});
const runAt = (from: Env, operation = whoami, client = "a client") => run(operation, never, connect(client, from));
const behaveAll = (prefix: string, behavior: Behavior) =>
  Promise.all(INSTANCES.map((number) => behave(`${prefix} instance-${number}`, behavior)));
const startsOf = async (prefix: string) =>
  (await Promise.all(INSTANCES.map((number) => tell(`${prefix} instance-${number}`)))).flatMap(({ starts }) => starts);
const summaryOf = (pool: PoolName) => dispatcher(env, pool)!.summary(pool);

test("each region has classes of containers", () => {
  const kinds = Object.entries({ EngineContainer, WebContainer });
  const expected = REGIONS_OF_PLATFORM.flatMap(({ name }) =>
    kinds.map(([kind, base]) => [`${kind}${name[0]!.toUpperCase()}${name.slice(1)}`, base]),
  );
  const found = Object.entries(regionalContainers).map(([name, kind]) => [name, Object.getPrototypeOf(kind)]);
  expect(new Map(found as [string, unknown][])).toEqual(new Map(expected as [string, unknown][]));
});

test("a job runs in the containers of its region, and the default region has those of a deployment without regions", async () => {
  expect(await run()).toBe("engines instance-0");
  expect(await runAt(at("weur", "enam"))).toBe("engines instance-0");
  expect(await runAt(at("enam", "weur"))).toBe("engines enam instance-0");
  expect(await startsOf("engines")).toHaveLength(1);
  expect(await startsOf("engines apac")).toEqual([]);
});

test("an instance is started ahead in the region of the request", async () => {
  const { container, settled } = connect("a client", at("apac", "enam"));
  container.prewarm(whoami);
  await settled();
  expect(await summaryOf("apac/engines")).toMatchObject({ instances: ["ready", "asleep"] });
  expect(await startsOf("engines")).toEqual([]);
});

test("a job that its region refuses runs in the first of the other regions that has a slot", async () => {
  await Promise.all([behaveAll("engines enam", "does-not-start"), behaveAll("engines", "does-not-start")]);
  expect(await runAt(at("enam", "weur", "apac"))).toBe("engines apac instance-0");
  await behaveAll("engines enam", "works");
  await expect.poll(async () => (await summaryOf("enam/engines")).instances, soon).toContain("ready");
  expect(await runAt(at("enam", "weur", "apac"))).toMatch(/^engines enam/);
});

test("a job that no region takes: 503 with Retry-After", async () => {
  await Promise.all(["engines enam", "engines apac"].map((prefix) => behaveAll(prefix, "does-not-start")));
  const failure = await runAt(at("enam", "apac")).catch(toServiceError);
  expect(failure).toMatchObject({ status: 503, headers: { "Retry-After": "5" } });
});

test("a job that must stay in its region does not spill over", async () => {
  await behaveAll("engines enam", "does-not-start");
  expect(await runAt(at("enam")).catch(toServiceError)).toMatchObject({ status: 503 });
  expect([...(await startsOf("engines")), ...(await startsOf("engines apac"))]).toEqual([]);
});

describe("a region whose slots are all in use", () => {
  const SLOTS = INSTANCES.length * (LIMITS.instanceJobs + LIMITS.instanceSlowJobs);

  /** Uses all slots of a region for jobs that end when its instances are released. */
  async function fill(): Promise<readonly Promise<string>[]> {
    const jobs = Array.from({ length: SLOTS }, (_, client) => runAt(at("enam"), held, `client ${client}`));
    await expect.poll(async () => (await summaryOf("enam/engines")).jobs, soon).toBe(SLOTS);
    return jobs;
  }

  test("keeps the jobs that wait in it, and other regions help until it has a slot", async () => {
    const jobs = await fill();
    expect(await runAt(at("enam", "apac"), whoami, "late")).toBe("engines apac instance-0");
    await expect.poll(() => summaryOf("enam/engines"), soon).toMatchObject({ jobs: SLOTS, waiting: 0 });
    await Promise.all(INSTANCES.map((number) => release(`engines enam instance-${number}`)));
    await Promise.all(jobs);
    expect(await runAt(at("enam", "apac"))).toMatch(/^engines enam/);
    expect(await summaryOf("apac/engines")).toMatchObject({ jobs: 0, waiting: 0 });
  });

  test("gets the job if it has the first slot, and no other region keeps one", async () => {
    await behaveAll("engines apac", "starts-late");
    const jobs = await fill();
    const late = runAt(at("enam", "apac"), whoami, "late");
    await expect.poll(async () => (await startsOf("engines apac")).length, soon).toBe(1);
    await Promise.all(INSTANCES.map((number) => release(`engines enam instance-${number}`)));
    expect(await late).toMatch(/^engines enam/);
    await Promise.all(jobs);
    await release("engines apac instance-0");
    await expect.poll(() => summaryOf("apac/engines"), soon).toMatchObject({ jobs: 0, waiting: 0 });
  });
});

test("a job of a region whose dispatcher is unreachable runs in another one", async () => {
  const namespace = env.DISPATCHER!;
  const cutOff = namespace.idFromName("enam/engines");
  const DISPATCHER = {
    idFromName: (name: string) => namespace.idFromName(name),
    get(id: DurableObjectId) {
      if (id.equals(cutOff)) throw new Error("Network connection lost.");
      return namespace.get(id);
    },
  } as unknown as DurableObjectNamespace;
  expect(await runAt({ ...at("enam", "apac"), DISPATCHER })).toBe("engines apac instance-0");
  expect(await startsOf("engines enam")).toEqual([]);
});

test("GET /ready reports on the region in which the request runs", async () => {
  await behaveAll("engines enam", "does-not-start");
  await runAt(at("enam")).catch(() => {});
  const reasonsAt = async (region: string) => {
    const response = await createApp(ISOLATE_CAPACITY).fetch(new Request("http://localhost/ready"), at(region));
    return ((await response.json()) as Readiness).reasons;
  };
  expect(await reasonsAt("enam")).toEqual(["The container for documents does not start."]);
  expect(await reasonsAt("weur")).toEqual([]);
});
