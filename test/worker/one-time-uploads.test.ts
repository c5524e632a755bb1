// Tests upload URLs with R2, with fake time.
// Contract: docs/api.md#upload-urls

import { beforeEach, expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { OneTimeUploads } from "../../src/service/storage/uploads/one-time-uploads.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

emptyBucketBeforeEach();

let now = 0;
beforeEach(() => {
  now = Date.now();
});
const uploads = new OneTimeUploads(bucket, () => now);

async function taken(token: string) {
  const hold = await uploads.reserve(token);
  if (typeof hold === "string") throw new Error(`The address is ${hold}.`);
  return hold;
}

test("an address is taken once, and tells the id of its file", async () => {
  const { token } = await uploads.create("report.pdf", {});
  const hold = await taken(token);
  expect(hold.name).toBe("report.pdf");
  expect(await uploads.reserve(token)).toBe("taken");
  expect(await hold.settle("1abc")).toBe(true);
  expect(await uploads.find(token)).toMatchObject({ state: "done", id: "1abc", name: "report.pdf" });
  expect(await uploads.reserve(token)).toBe("used");
});

test("an address whose upload failed can be taken again", async () => {
  const { token } = await uploads.create("a", {});
  expect(await (await taken(token)).settle(undefined)).toBe(true);
  expect(await (await taken(token)).settle("1abc")).toBe(true);
});

test("a request that was lost does not hold an address for ever, and has no say afterwards", async () => {
  const { token } = await uploads.create("a", {});
  const lost = await taken(token);
  now += LIMITS.oneTimeHoldMs - 1;
  expect(await uploads.reserve(token)).toBe("taken");
  now += 1;
  const next = await taken(token);
  expect(await lost.settle("1old")).toBe(false);
  expect(await next.settle("1new")).toBe(true);
  expect(await uploads.find(token)).toMatchObject({ id: "1new" });
});

test("an address expires, and its record is removed later", async () => {
  const { token, expires } = await uploads.create("a", {});
  expect(expires.getTime()).toBe(now + LIMITS.oneTimeUploadMs);
  now += LIMITS.oneTimeUploadMs;
  expect([await uploads.find(token), await uploads.reserve(token)]).toEqual(["expired", "expired"]);
  expect(await uploads.sweep()).toBe(0);
  now += LIMITS.oneTimeUploadMs + 1_000;
  expect(await uploads.sweep()).toBe(1);
  expect(await keysInBucket()).toEqual([]);
  expect(await uploads.reserve(token)).toBe("unknown");
});

test.each(["", "0".repeat(64), "../files/x", "G".repeat(64)])("%j is no address", async (token) => {
  expect(await uploads.find(token)).toBeUndefined();
  expect(await uploads.reserve(token)).toBe("unknown");
});
