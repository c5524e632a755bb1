// Tests with R2 that objects derived from the pages of a file do not outlive the file.
// Contract: docs/api.md#page-images

import { expect, test } from "vitest";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { createStore, type Store } from "../../src/service/storage/store.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

emptyBucketBeforeEach();

const HOUR_MS = 3_600_000;
const BYTES = Uint8Array.of(1, 2, 3, 4);

const pageKeys = async () => (await keysInBucket()).filter((key) => key.startsWith("pages/"));

async function stored(store: Store) {
  const batch = store.batch("output", createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 }).openReservation());
  await batch.add({ name: "a.pdf", type: "application/pdf", body: BYTES });
  return (await batch.commit())[0]!;
}

test("are read whole or in part, and are not files", async () => {
  const store = createStore(bucket, { lifetimeMs: 0 });
  const file = await stored(store);
  await store.pageFiles.put(file, "facts", BYTES);
  expect(await store.pageFiles.read(file.id, "facts")).toEqual(BYTES);
  expect(await store.pageFiles.read(file.id, "facts", { offset: 2, length: 99 })).toEqual(BYTES.subarray(2));
  expect(await store.pageFiles.read(file.id, "others")).toBeUndefined();
  expect(await store.find("facts")).toBeUndefined();
});

test("go with their file, and no others", async () => {
  const store = createStore(bucket, { lifetimeMs: 0 });
  const [file, other] = [await stored(store), await stored(store)];
  for (let page = 0; page < 5; page++) await store.pageFiles.put(file, `page-${page}`, BYTES);
  await store.pageFiles.put(other, "facts", BYTES);
  await store.remove([file.id]);
  expect(await pageKeys()).toEqual([`pages/${other.id}/facts`]);
});

test("are not kept when the file was removed in the meantime", async () => {
  const store = createStore(bucket, { lifetimeMs: 0 });
  const file = await stored(store);
  await store.remove([file.id]);
  await store.pageFiles.put(file, "facts", BYTES);
  expect(await pageKeys()).toEqual([]);
});

test("end with the lifetime of their file, although they were stored later", async () => {
  let now = Date.now();
  const store = createStore(bucket, { lifetimeMs: HOUR_MS, now: () => now });
  const file = await stored(store);
  await store.pageFiles.put({ ...file, modified: new Date(now - HOUR_MS / 2) }, "facts", BYTES);
  now += 0.6 * HOUR_MS;
  expect(await store.sweep()).toBe(0);
  expect(await pageKeys()).toEqual([]);
  expect(await store.find(file.id)).toBeDefined();
});
