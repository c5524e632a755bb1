// Tests the Durable Objects of idempotent requests, in workerd. Only time is faked.
/// <reference types="@cloudflare/vitest-plugin/types" />
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env as bindings } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { ClaimObject } from "../../src/service/jobs/claim-object.ts";
import type { Env } from "../../src/service/settings/config.ts";
import { randomIds } from "../../src/service/storage/file.ts";
import { putFile } from "../../src/service/storage/standalone-files.ts";
import { claimConformance } from "../support/claim-conformance.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

const { CLAIMS } = bindings as unknown as { CLAIMS: DurableObjectNamespace<ClaimObject> };
const stub = (name: string) => CLAIMS.getByName(name);

emptyBucketBeforeEach();
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});
const passes = (ms: number) => vi.setSystemTime(Date.now() + ms);

describe("conformance", () => {
  claimConformance({ claim: (name) => (bindings as unknown as Env).CLAIMS.getByName(name), passes });
});

test("a claim survives the memory of its object", async () => {
  await stub("survivor").acquire("a", "content");
  const restart = () => runInDurableObject(stub("survivor"), (_, state) => state.abort("deployed")).catch(() => {});
  await restart();
  expect(await stub("survivor").acquire("b", "content")).toEqual({ kind: "busy" });
  await stub("survivor").complete("a", "content", { status: 200, headers: [], text: "made" });
  await restart();
  expect(await stub("survivor").acquire("b", "content")).toMatchObject({ kind: "kept", answer: { text: "made" } });
});

describe("the alarm", () => {
  const storedKeys = (name: string) =>
    runInDurableObject(stub(name), (_, { storage }) => [...storage.kv.list()].map(([key]) => key));
  const alarmOf = (name: string) => runInDurableObject(stub(name), (_, { storage }) => storage.getAlarm());

  test("is 24 hours after the answer, and leaves nothing", async () => {
    await stub("over").acquire("a", "content");
    passes(20_000);
    await stub("over").complete("a", "content", { status: 200, headers: [], text: "x".repeat(2_000_000) });
    expect(await alarmOf("over")).toBe(Date.now() + 24 * 3_600_000);
    expect(await storedKeys("over")).toHaveLength(5);
    passes(24 * 3_600_000);
    expect(await runDurableObjectAlarm(stub("over"))).toBe(true);
    expect(await storedKeys("over")).toEqual([]);
  });

  test("comes for a request that was killed, too", async () => {
    await stub("killed").acquire("a", "content");
    expect(await runDurableObjectAlarm(stub("killed"))).toBe(true);
    expect(await storedKeys("killed")).toEqual([]);
  });

  test("does not come for a claim that was freed", async () => {
    await stub("freed").acquire("a", "content");
    await stub("freed").release("a");
    expect(await storedKeys("freed")).toEqual([]);
    expect(await runDurableObjectAlarm(stub("freed"))).toBe(false);
  });

  test.each([
    [true, 0],
    [false, 1],
  ])("removes a file of the claim's own: %s", async (isOwn, left) => {
    const file = { name: "a.txt", type: "text/plain", bytes: new TextEncoder().encode("text"), sha256: "" };
    const { id } = await putFile(bucket, { kind: "output", ids: randomIds, marks: () => ({}) }, file);
    await stub(`file ${isOwn}`).acquire("a", "content");
    await stub(`file ${isOwn}`).complete("a", "content", { status: 200, headers: [], text: "", file: { id, isOwn } });
    await runDurableObjectAlarm(stub(`file ${isOwn}`));
    expect(await keysInBucket()).toHaveLength(left);
  });
});
