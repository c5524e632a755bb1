// Tests file IDs that are derived from a seed, with a folder as storage.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBucket } from "../../../../host/storage/open-bucket.ts";
import { DerivedIds, FIRST_IDS, removeDerived } from "../../../../src/service/storage/derived-ids.ts";
import { createMemoryQuota } from "../../../../src/service/storage/memory-quota.ts";
import { createStore } from "../../../../src/service/storage/store.ts";

const folder = mkdtempSync(join(tmpdir(), "derived-ids-"));
let bucket: Awaited<ReturnType<typeof openBucket>>;

beforeAll(async () => {
  bucket = await openBucket(folder, {});
});
afterAll(() => {
  bucket[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const room = () => createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 }).openReservation();
const keysIn = async () => (await bucket.list({})).objects.map(({ key }) => key);
const text = (content: string) => ({ name: "a.txt", type: "text/plain", body: new TextEncoder().encode(content) });

test("everything stored under the ids of a seed is removed, and nothing else", async () => {
  const reserved: number[] = [];
  const reserve = async (count: number) => void reserved.push(count);
  const others = createStore(bucket, { lifetimeMs: 0 }).batch("output", room());
  await others.add(text("other"));
  const [other] = await others.commit();
  const store = createStore(bucket, { lifetimeMs: 0, ids: new DerivedIds("seed", reserve) });
  const ids: string[] = [];
  // Standalone files and packs, of inputs and outputs.
  for (let number = 0; number < FIRST_IDS; number++) {
    const batch = store.batch(number % 2 === 0 ? "input" : "output", room());
    for (let file = 0; file <= number % 3; file++) await batch.add(text(`${number} ${file}`));
    ids.push(...(await batch.commit()).map(({ id }) => id));
  }
  expect(reserved).toEqual([]);
  expect(await keysIn()).toHaveLength(1 + FIRST_IDS);
  for (const id of ids) expect((await store.find(id))?.id).toBe(id);
  await removeDerived(bucket, "another seed", FIRST_IDS);
  expect(await keysIn()).toHaveLength(1 + FIRST_IDS);
  await removeDerived(bucket, "seed", FIRST_IDS);
  for (const id of ids) expect(await createStore(bucket, { lifetimeMs: 0 }).find(id)).toBeUndefined();
  expect(await keysIn()).toEqual([expect.stringContaining(other!.id)]);
});

test("more ids are used only after their number is noted", async () => {
  let noted = FIRST_IDS;
  const ids = new DerivedIds("seed", async (count) => {
    await new Promise((resolve) => setImmediate(resolve));
    noted = count;
  });
  const made: string[] = [];
  const make = async () => {
    made.push(await ids.standalone("output"));
    expect(made.length).toBeLessThanOrEqual(noted);
  };
  await Promise.all(Array.from({ length: 5 * FIRST_IDS }, make));
  expect(new Set(made).size).toBe(5 * FIRST_IDS);
  expect(noted).toBe(8 * FIRST_IDS);
});

test("no id is made if its number cannot be noted", async () => {
  const ids = new DerivedIds("seed", () => Promise.reject(new Error("lost")));
  for (let count = 0; count < FIRST_IDS; count++) await ids.standalone("output");
  await expect(ids.packed("output", 2)).rejects.toThrow("lost");
});
