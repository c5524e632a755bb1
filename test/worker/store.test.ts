// Tests the store with R2, inside workerd.
// Contract: docs/api.md#ids

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../../src/document/contract/limits.ts";
import type { FileKind, NewFile, StoredFile } from "../../src/service/storage/file.ts";
import { createMemoryQuota } from "../../src/service/storage/memory-quota.ts";
import { MAX_FILE_BYTES } from "../../src/service/storage/packs.ts";
import { PART_BYTES } from "../../src/service/storage/standalone-files.ts";
import { createStore, type Store } from "../../src/service/storage/store.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

emptyBucketBeforeEach();

const store = createStore(bucket, { lifetimeMs: 0 });

async function put(inStore: Store, { kind = "output", ...file }: NewFile & { kind?: FileKind }): Promise<StoredFile> {
  const batch = inStore.batch(kind, room());
  await batch.add(file);
  return (await batch.commit())[0]!;
}
const room = () => createMemoryQuota({ perRequest: 4 * 2 ** 20, total: 4 * 2 ** 20 }).openReservation();
const bytesOf = async (id: string, range?: { offset: number; length: number }) =>
  new Response((await store.open(id, range))!.body).bytes();

test("a file that a client removed is known as such for a day, and then nothing is left of it", async () => {
  const files = [10, 20, MAX_FILE_BYTES + 1].map((size) => ({
    name: "a",
    type: "text/plain",
    body: new Uint8Array(size),
  }));
  const stored: StoredFile[] = [];
  for (const file of files) stored.push(await put(store, file));
  const ids = stored.map(({ id }) => id);
  const kept = await put(store, files[0]!);
  await store.remove([ids[0]!]);
  await store.retire(stored.slice(1));
  for (const id of ids) expect(await store.find(id)).toBeUndefined();
  expect(await Promise.all([...ids, kept.id, "x"].map(store.isRetired))).toEqual([false, true, true, false, false]);
  const later = createStore(bucket, { lifetimeMs: 0, now: () => Date.now() + LIMITS.retiredMs });
  expect(await later.isRetired(ids[1]!)).toBe(false);
  await store.sweep();
  expect(await keysInBucket()).toHaveLength(3);
  await later.sweep();
  expect(await keysInBucket()).toHaveLength(1);
});

describe("a file", () => {
  test("keeps name, media type, size and SHA-256, of small files and of large ones", async () => {
    for (const size of [10, PART_BYTES + 10]) {
      const bytes = new Uint8Array(size).fill(7);
      const file = await put(store, { kind: "output", name: "prüfung 日本.bin", type: "image/png", body: bytes });
      expect(await store.find(file.id)).toMatchObject({ name: "prüfung 日本.bin", type: "image/png", size });
      expect(await store.sha256(file.id)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
  });

  test("a head replaces the first bytes, whatever the size", async () => {
    for (const size of [16, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES + 5]) {
      const file = await put(store, {
        kind: "output",
        name: "a.tif",
        type: "image/tiff",
        body: new Uint8Array(size).fill(1),
        head: () => Uint8Array.of(9, 8, 7),
      });
      const bytes = await bytesOf(file.id);
      expect(bytes.length).toBe(size);
      expect([...bytes.subarray(0, 5)]).toEqual([9, 8, 7, 1, 1]);
      expect(bytes.at(-1)).toBe(1);
      expect(await store.sha256(file.id)).toBe(createHash("sha256").update(bytes).digest("hex"));
    }
  });

  test("a body that throws leaves nothing", async () => {
    for (const size of [10, PART_BYTES * 2]) {
      const body = (function* () {
        yield new Uint8Array(size);
        throw new Error("broken");
      })();
      await expect(put(store, { kind: "output", name: "a", type: "text/plain", body })).rejects.toThrow("broken");
    }
    expect(await keysInBucket()).toEqual([]);
  });

  test(
    "files end with their lifetime: they are not found any more, " + "and sweep removes them; 0 is for ever",
    async () => {
      let time = Date.now();
      const hour = 3_600_000;
      const mortal = createStore(bucket, { lifetimeMs: hour, now: () => time });
      const files = [];
      for (const size of [10, PART_BYTES + 1]) {
        files.push(await put(mortal, { kind: "input", name: "a", type: "text/plain", body: new Uint8Array(size) }));
      }
      expect(await mortal.sweep()).toBe(0);
      time += hour - 60_000;
      expect(await mortal.find(files[0]!.id)).toBeDefined();
      time += 120_000;
      expect(await mortal.find(files[0]!.id)).toBeUndefined();
      expect(await mortal.open(files[1]!.id)).toBeUndefined();
      expect(await store.sweep()).toBe(0);
      expect(await store.find(files[0]!.id)).toBeDefined();
      expect(await mortal.sweep()).toBe(2);
      expect(await keysInBucket()).toEqual([]);
    },
  );

  test("remove takes more ids than one call of R2 does", async () => {
    const file = await put(store, { kind: "input", name: "a", type: "text/plain", body: new Uint8Array(1) });
    await store.remove([...Array.from({ length: 1200 }, () => `1${crypto.randomUUID()}`), file.id]);
    expect(await keysInBucket()).toEqual([]);
  });
});

describe("small files that came together", () => {
  const text = (index: number) => `${"x".repeat(index)} file ${index}`;
  async function several(count: number, inStore = store, make = text): Promise<StoredFile[]> {
    const batch = inStore.batch("output", room());
    for (let index = 0; index < count; index++) {
      const body = new TextEncoder().encode(make(index));
      await batch.add({ name: `prüfung ${index}.txt`, type: "text/plain", body });
    }
    return batch.commit();
  }

  test("are one object, and each is a file of its own", async () => {
    const files = await several(100);
    expect(await keysInBucket()).toEqual([`packs/${files[0]!.id.slice(0, 19)}`]);
    expect(new Set(files.map(({ id }) => id)).size).toBe(100);
    for (const [index, file] of files.entries()) {
      expect(file.id).toMatch(/^2[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(await store.find(file.id)).toEqual(file);
      expect(file).toMatchObject({ name: `prüfung ${index}.txt`, type: "text/plain", size: text(index).length });
      expect(new TextDecoder().decode(await bytesOf(file.id))).toBe(text(index));
      expect(new TextDecoder().decode(await bytesOf(file.id, { offset: 1, length: 5 }))).toBe(text(index).slice(1, 6));
      expect(await store.sha256(file.id)).toBe(createHash("sha256").update(text(index)).digest("hex"));
    }
    expect(new Set(files.map(({ etag }) => etag)).size).toBe(100);
  });

  test("are read from any place of it, without a byte too", async () => {
    const files = await several(5, store, (index) => "ab"[index % 2]!.repeat(index === 4 ? 0 : 60_000));
    expect(await keysInBucket()).toHaveLength(1);
    for (const [index, { id }] of files.entries()) {
      const text = new TextDecoder().decode(await bytesOf(id));
      expect(text).toBe("ab"[index % 2]!.repeat(index === 4 ? 0 : 60_000));
    }
    // Reads in the same way as operations.
    const reader = (await store.open(files[0]!.id))!.body.getReader({ mode: "byob" });
    expect((await reader.readAtLeast(60_000, new Uint8Array(60_000))).value).toHaveLength(60_000);
  });

  test("are as many objects as they need, and large ones lie alone", async () => {
    const long = "n".repeat(200);
    const batch = store.batch("input", room());
    for (let index = 0; index < 600; index++) {
      await batch.add({ name: `${index}${long}`, type: "text/plain", body: Uint8Array.of(index) });
    }
    for (const size of [2 ** 19, 2 ** 19, 2 ** 19, 2 ** 19 + 1]) {
      await batch.add({ name: "a", type: "text/plain", body: new Uint8Array(size) });
    }
    const files = await batch.commit();
    for (const [index, { id, size }] of files.entries()) {
      expect([(await store.find(id))!.size, (await bytesOf(id)).length]).toEqual([size, size]);
      if (index < 600) expect((await store.find(id))!.name).toBe(`${index}${long}`);
    }
    const keys = await keysInBucket();
    expect(keys.filter((key) => key.startsWith("files/"))).toEqual([`files/${files.at(-1)!.id}`]);
    expect(keys.length).toBeLessThan(10);
  });

  test("wait for others only where there is room for them", async () => {
    const kept = createMemoryQuota({ perRequest: 100, total: 100 });
    const [one, other] = [kept.openReservation(), kept.openReservation()];
    const batch = store.batch("input", one);
    const body = new Uint8Array(40);
    for (let index = 0; index < 3; index++) await batch.add({ name: "a", type: "text/plain", body });
    // Two files of 40 bytes fit in memory. They were stored when the third file came, which still waits in memory.
    expect([other.tryReserve(60), other.tryReserve(1)]).toEqual([true, false]);
    for (let index = 0; index < 2; index++) await batch.add({ name: "a", type: "text/plain", body });
    expect((await batch.commit()).map(({ id }) => id.slice(0, 19))).toHaveLength(5);
    expect((await keysInBucket()).map((key) => key.split("/")[0]).toSorted()).toEqual([
      "files",
      "files",
      "files",
      "packs",
    ]);
    expect([other.tryReserve(40), other.tryReserve(1)]).toEqual([true, false]);
  });

  test("wait on where a large one comes between", async () => {
    const batch = store.batch("output", room());
    for (const size of [10, 2 ** 20, 20, 2 ** 20, 30]) {
      await batch.add({ name: "a", type: "text/plain", body: new Uint8Array(size) });
    }
    expect((await batch.commit()).map(({ size }) => size)).toEqual([10, 2 ** 20, 20, 2 ** 20, 30]);
    expect((await keysInBucket()).map((key) => key.split("/")[0]).toSorted()).toEqual(["files", "files", "packs"]);
  });

  test("know no other id, not even one that begins as theirs", async () => {
    const [{ id }] = (await several(2)) as [StoredFile, StoredFile];
    const other = id.slice(0, 20) + (id[20] === "0" ? "1" : "0") + id.slice(21);
    expect(await store.find(other)).toBeUndefined();
    expect(await store.open(other)).toBeUndefined();
    await store.remove([other]);
    expect(await store.find(id)).toBeDefined();
  });

  test("go one by one, and nothing stays of what went", async () => {
    const files = await several(3);
    await store.remove([files[1]!.id]);
    const [key] = await keysInBucket();
    expect(await (await bucket.get(key!))!.text()).not.toMatch(/file 1|prüfung 1/);
    expect(await store.find(files[1]!.id)).toBeUndefined();
    expect(await store.find(files[2]!.id)).toEqual(files[2]);
    expect(new TextDecoder().decode(await bytesOf(files[2]!.id))).toBe(text(2));
    await store.remove([files[0]!.id, files[2]!.id]);
    expect(await keysInBucket()).toEqual([]);
  });

  test("go at the same time", async () => {
    const files = await several(6);
    await Promise.all(files.slice(1).map(({ id }) => store.remove([id])));
    expect(await Promise.all(files.map(({ id }) => store.find(id)))).toEqual([files[0], ...Array(5).fill(undefined)]);
    await Promise.all([store.remove([files[0]!.id]), store.remove([files[0]!.id])]);
    expect(await keysInBucket()).toEqual([]);
  });

  test("end with their lifetime, also where one was removed later", async () => {
    let time = Date.now();
    const mortal = createStore(bucket, { lifetimeMs: 3_600_000, now: () => time });
    const files = await several(3, mortal);
    const { uploaded } = (await bucket.list()).objects[0]!;
    await new Promise((resolve) => setTimeout(resolve, 20));
    await mortal.remove([files[0]!.id]);
    expect((await bucket.list()).objects[0]!.uploaded.getTime()).toBeGreaterThan(uploaded.getTime());
    time = uploaded.getTime() + 3_599_999;
    expect([await mortal.sweep(), await mortal.find(files[1]!.id)]).toMatchObject([0, files[1]!]);
    time++;
    expect([await mortal.find(files[1]!.id), await mortal.open(files[2]!.id)]).toEqual([undefined, undefined]);
    expect(await mortal.sweep()).toBe(2);
    expect(await keysInBucket()).toEqual([]);
  });

  test("are none when storage fails, or the request does", async () => {
    const failing = new Proxy(bucket, {
      get: (target, name) =>
        name === "put" ? () => Promise.reject(new Error("no storage")) : Reflect.get(target, name).bind(target),
    });
    await expect(several(3, createStore(failing, { lifetimeMs: 0 }))).rejects.toThrow("no storage");
    const batch = store.batch("output", room());
    for (let index = 0; index < 3; index++) {
      await batch.add({ name: "a", type: "text/plain", body: new Uint8Array(600_000) });
      const arrival = await batch.add({ name: "a", type: "text/plain", body: new Uint8Array(6) });
      if (index === 1) batch.flush();
      if (index === 2) expect(arrival.bytes).toHaveLength(6);
    }
    await batch.discard();
    expect(await keysInBucket()).toEqual([]);
  });
});
