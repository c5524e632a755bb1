// Tests files with a shorter lifetime than all others, with R2.
// Contract: docs/api.md#lifetime-of-files
import { describe, expect, test } from "vitest";
import type { StoredFile } from "../../src/service/storage/file.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { PART_BYTES } from "../../src/service/storage/standalone-files.ts";
import { createStore, type StoreOptions } from "../../src/service/storage/store.ts";
import { ResumableUploads } from "../../src/service/storage/uploads/resumable-uploads.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

emptyBucketBeforeEach();

const MINUTE = 60_000;
const start = Date.now();
const marks = () => ({ owner: "me", token: "secret", expires: start + 10 * MINUTE });
const at = (minutes: number, options: Partial<StoreOptions> = {}) =>
  createStore(bucket, { lifetimeMs: 60 * MINUTE, now: () => start + minutes * MINUTE, ...options });

/** Stores files of these sizes in one batch. */
async function stored(sizes: readonly number[], options: Partial<StoreOptions> = { marks }): Promise<StoredFile[]> {
  const room = createMemoryQuota({ perRequest: 4 * 2 ** 20, total: 4 * 2 ** 20 }).openReservation();
  const batch = at(0, options).batch("input", room);
  for (const size of sizes) await batch.add({ name: "a", type: "text/plain", body: new Uint8Array(size) });
  return batch.commit();
}

describe.each([
  ["alone", [10]],
  ["in parts", [PART_BYTES + 1]],
  ["together", [10, 20, 30]],
])("files that came %s", (_, sizes) => {
  test("are gone at their end, not before, and the sweep removes all of them and nothing else", async () => {
    const [others, files] = [await stored(sizes, {}), await stored(sizes)];
    const before = (await keysInBucket()).filter((key) => !key.startsWith("expiring/")).length;
    for (const { id } of files) {
      const found = (await at(9.99).find(id))!;
      expect([found.marks, found.expires]).toEqual([marks(), new Date(start + 10 * MINUTE)]);
      expect([await at(10).find(id), await at(10).open(id)]).toEqual([undefined, undefined]);
    }
    expect(await at(9.99).sweep()).toBe(0);
    // The sweep deletes these files even if all other files are stored forever.
    expect(await at(10, { lifetimeMs: 0 }).sweep()).toBe(files.length);
    for (const { id } of others) expect(await at(10).find(id)).toBeDefined();
    expect(await keysInBucket()).toHaveLength(before / 2);
    expect(await at(10).sweep()).toBe(0);
    expect(await at(61).sweep()).toBe(others.length);
    expect(await keysInBucket()).toEqual([]);
  });

  test("keep their marks when one is removed", async () => {
    const files = await stored([...sizes, 5, 6]);
    await at(0).remove([files[0]!.id]);
    const found = await Promise.all(files.slice(1).map(({ id }) => at(1).find(id)));
    expect(found.map((file) => file?.marks)).toEqual(files.slice(1).map(marks));
    await at(10).sweep();
    expect(await keysInBucket()).toEqual([]);
  });
});

test("a lifetime that is longer than that of all files changes nothing", async () => {
  const [file] = await stored([10], { marks: () => ({ expires: start + 600 * MINUTE }) });
  expect((await at(1).find(file!.id))!.expires!.getTime()).toBeLessThanOrEqual(start + 61 * MINUTE);
  expect(await at(62).find(file!.id)).toBeUndefined();
});

test("more files than a page has are removed in one sweep", async () => {
  for (let count = 0; count < 12; count++) {
    const names = Array.from({ length: 100 }, (_, at) => `${String(start - 1).padStart(13, "0")}-${count}-${at}`);
    await Promise.all(names.map((name) => bucket.put(`expiring/${name}`, "")));
  }
  const files = await stored([10, 20]);
  expect(await at(10).sweep()).toBe(files.length);
  expect(await keysInBucket()).toEqual([]);
});

test("an unfinished upload ends with its file's lifetime, and leaves nothing", async () => {
  const uploads = (minutes: number) =>
    new ResumableUploads(bucket, { lifetimeMs: 0, now: () => start + minutes * MINUTE });
  const id = await uploads(0).create({ name: "a", length: 3, metadata: "", marks: marks() });
  expect(await uploads(9).find(id)).toMatchObject({ expires: new Date(start + 10 * MINUTE) });
  expect(await uploads(10).find(id)).toBe("expired");
  expect([await uploads(9).sweep(), await uploads(10).sweep()]).toEqual([0, 1]);
  expect(await keysInBucket()).toEqual([]);
});

test("a finished upload has the marks of its creation", async () => {
  const uploads = new ResumableUploads(bucket, { lifetimeMs: 0 });
  const id = await uploads.create({ name: "a", length: 3, metadata: "", marks: marks() });
  const writer = await uploads.open(id);
  if (!writer || writer === "expired") throw new Error("no upload");
  await writer.add(Uint8Array.of(1, 2, 3));
  await writer.finish();
  expect((await at(1).find(id))!.marks).toEqual(marks());
  expect(await at(10).sweep()).toBe(1);
  expect(await keysInBucket()).toEqual([]);
});
