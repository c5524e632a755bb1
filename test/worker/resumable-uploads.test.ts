// Tests unfinished uploads with R2, inside workerd.
// Contract: docs/api.md#resumable-uploads

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { PART_BYTES } from "../../src/service/storage/standalone-files.ts";
import { createStore } from "../../src/service/storage/store.ts";
import { ResumableUploads } from "../../src/service/storage/uploads/resumable-uploads.ts";
import { UploadConflict, type UploadWriter } from "../../src/service/storage/uploads/upload-writer.ts";
import { bucket, emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";

emptyBucketBeforeEach();

const uploads = new ResumableUploads(bucket, { lifetimeMs: 0 });
const store = createStore(bucket, { lifetimeMs: 0 });

/** Returns bytes that differ by position. */
function bytesOf(length: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; at++) bytes[at] = (at * 31 + (at >> 12) * seed + seed) & 255;
  return bytes;
}
const digestOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const create = (length: number, name = "a.bin") => uploads.create({ name, length, metadata: "" });

async function open(id: string, wholeBytes?: number): Promise<UploadWriter> {
  const writer = await uploads.open(id, wholeBytes);
  if (!writer || writer === "expired") throw new Error(`no upload: ${writer}`);
  return writer;
}
async function add(writer: UploadWriter, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += 2 ** 18) await writer.add(bytes.subarray(at, at + 2 ** 18));
}
async function offsetOf(id: string): Promise<number | string | undefined> {
  const found = await uploads.find(id);
  return typeof found === "object" ? found.offset : found;
}
async function storedDigest(id: string): Promise<string> {
  return digestOf(await new Response((await store.open(id))!.body).bytes());
}

describe("an upload", () => {
  test.each([
    [10, [10]],
    [10, [3, 7]],
    [PART_BYTES, [PART_BYTES]],
    [PART_BYTES + 1, [PART_BYTES, 1]],
    [2 * PART_BYTES, [1, 2 * PART_BYTES - 1]],
    [3 * PART_BYTES + 77, [PART_BYTES - 1, 2, 2 * PART_BYTES, PART_BYTES + 76]],
  ])("of %i bytes in requests of %o", async (length, sizes) => {
    const bytes = bytesOf(length);
    const id = await create(length, "prüfung.bin");
    expect(id).toMatch(/^1[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    let offset = 0;
    for (const size of sizes) {
      expect(await offsetOf(id)).toBe(offset);
      expect(await store.find(id)).toBeUndefined();
      const writer = await open(id);
      expect(writer.received).toBe(offset);
      await add(writer, bytes.subarray(offset, offset + size));
      offset += size;
      if (writer.missing === 0) await writer.finish();
      else await writer.save();
    }
    expect(await uploads.find(id)).toBeUndefined();
    expect(await store.find(id)).toMatchObject({ name: "prüfung.bin", size: length });
    expect(await storedDigest(id)).toBe(digestOf(bytes));
    expect(await keysInBucket()).toEqual([`files/${id}`]);
  });

  test("of nothing is a file at once", async () => {
    const id = await create(0);
    expect(await store.find(id)).toMatchObject({ size: 0 });
    expect(await uploads.find(id)).toBeUndefined();
  });

  test("has the media type of its content, whatever the sizes of the requests", async () => {
    const pdf = new TextEncoder().encode(`%PDF-1.7\n${" ".repeat(PART_BYTES)}`);
    const id = await create(pdf.length, "scan");
    for (const [from, to] of [
      [0, 3],
      [3, pdf.length],
    ] as const) {
      const writer = await open(id);
      await add(writer, pdf.subarray(from, to));
      await (writer.missing === 0 ? writer.finish() : writer.save());
    }
    expect((await store.find(id))!.type).toBe("application/pdf");
  });

  test("a request that is lost leaves the bytes that were stored", async () => {
    const bytes = bytesOf(2 * PART_BYTES + 5);
    const id = await create(bytes.length);
    const first = await open(id);
    await add(first, bytes.subarray(0, 1000));
    await first.save();
    const lost = await open(id);
    await add(lost, bytes.subarray(1000, PART_BYTES + 2000));
    const offset = Number(await offsetOf(id));
    expect([1000, PART_BYTES]).toContain(offset);
    const next = await open(id);
    expect(next.received).toBe(offset);
    await add(next, bytes.subarray(offset));
    await next.finish();
    expect(await storedDigest(id)).toBe(digestOf(bytes));
  });
});

describe("requests at the same time", () => {
  test("one of two goes on, and no byte of the other gets into the file", async () => {
    const [ours, theirs] = [bytesOf(3 * PART_BYTES, 1), bytesOf(3 * PART_BYTES, 2)];
    const id = await create(ours.length);
    const writers = [await open(id), await open(id)] as const;
    const write = async (writer: UploadWriter, bytes: Uint8Array) => {
      await add(writer, bytes);
      await writer.finish();
    };
    const results = await Promise.allSettled([write(writers[0], ours), write(writers[1], theirs)]);
    const failures = results.filter((result) => result.status === "rejected");
    expect(failures).toHaveLength(1);
    expect(failures[0]!.reason).toBeInstanceOf(UploadConflict);
    const won = results[0].status === "fulfilled" ? ours : theirs;
    expect(await storedDigest(id)).toBe(digestOf(won));
  });

  test("small requests too", async () => {
    const id = await create(20);
    const writers = [await open(id), await open(id)] as const;
    await writers[0].add(bytesOf(10, 1));
    await writers[1].add(bytesOf(10, 2));
    await writers[1].save();
    await expect(writers[0].save()).rejects.toThrow(UploadConflict);
    const last = await open(id);
    await last.add(bytesOf(10, 3));
    await last.finish();
    const file = await new Response((await store.open(id))!.body).bytes();
    expect([...file]).toEqual([...bytesOf(10, 2), ...bytesOf(10, 3)]);
  });

  test("a part that a left request stores late is not that of the request that followed", async () => {
    const bytes = bytesOf(4 * PART_BYTES, 1);
    const id = await create(bytes.length);
    const left = await open(id);
    await add(left, bytes.subarray(0, PART_BYTES));
    const next = await open(id);
    await add(next, bytes.subarray(next.received, 2 * PART_BYTES));
    await next.save();
    // The first part of different content: R2 would let it replace a part with the same number.
    await add(left, bytesOf(PART_BYTES, 9)).catch((error: unknown) => expect(error).toBeInstanceOf(UploadConflict));
    await expect(left.save()).rejects.toThrow(UploadConflict);
    const last = await open(id);
    expect(last.received).toBe(2 * PART_BYTES);
    await add(last, bytes.subarray(2 * PART_BYTES));
    await last.finish();
    expect(await storedDigest(id)).toBe(digestOf(bytes));
  });

  test("a request fails when the upload is removed, and nothing remains", async () => {
    const id = await create(3 * PART_BYTES);
    const writer = await open(id);
    await add(writer, bytesOf(PART_BYTES));
    await uploads.remove(id);
    const rest = async () => {
      await add(writer, bytesOf(2 * PART_BYTES));
      await writer.finish();
    };
    await expect(rest()).rejects.toThrow(UploadConflict);
    expect(await keysInBucket()).toEqual([]);
  });
});

describe("a request that counts as a whole", () => {
  test("stores nothing before it is saved", async () => {
    const bytes = bytesOf(3 * PART_BYTES);
    const id = await create(bytes.length);
    const first = await open(id);
    await add(first, bytes.subarray(0, 100));
    await first.save();
    const wrong = await open(id, 2 * PART_BYTES);
    await add(wrong, bytesOf(2 * PART_BYTES, 5));
    expect(await offsetOf(id)).toBe(100);
    const right = await open(id, bytes.length);
    await add(right, bytes.subarray(100));
    await right.finish();
    expect(await storedDigest(id)).toBe(digestOf(bytes));
  });
});

describe("expiry", () => {
  test("counts from the last change; sweep removes what is over, with its parts", async () => {
    const hour = 3_600_000;
    let time = Date.now();
    const mortal = new ResumableUploads(bucket, { lifetimeMs: hour, now: () => time });
    const id = await mortal.create({ name: "a", length: 2 * PART_BYTES, metadata: "filename YQ==" });
    const writer = (await mortal.open(id)) as UploadWriter;
    await add(writer, bytesOf(PART_BYTES + 1));
    await writer.save();
    const late = (await mortal.open(id)) as UploadWriter;
    const found = await mortal.find(id);
    expect(found).toMatchObject({ offset: PART_BYTES + 1, metadata: "filename YQ==" });
    expect(typeof found === "object" && Math.abs(found.expires!.getTime() - time - hour)).toBeLessThan(60_000);
    expect(await mortal.sweep()).toBe(0);
    time += hour + 60_000;
    expect([await mortal.find(id), await mortal.open(id)]).toEqual(["expired", "expired"]);
    expect(await uploads.sweep()).toBe(0);
    expect(await mortal.sweep()).toBe(1);
    expect(await mortal.find(id)).toBeUndefined();
    expect(await keysInBucket()).toEqual([]);
    await expect(add(late, bytesOf(PART_BYTES - 1))).rejects.toThrow(UploadConflict);
  });

  test("that an earlier request finishes is taken, also while its state is still there", async () => {
    const id = await create(3 * PART_BYTES);
    const [stored, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const pausing = new Proxy(bucket, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        if (name !== "delete") return value.bind(target);
        return async (keys: string) => {
          stored.resolve();
          await mayGoOn.promise;
          await target.delete(keys);
        };
      },
    });
    const first = await new ResumableUploads(pausing, { lifetimeMs: 0 }).open(id, 3 * PART_BYTES);
    if (!first || first === "expired") throw new Error("no upload");
    await add(first, bytesOf(PART_BYTES));
    const late = await open(id, 3 * PART_BYTES);
    await add(late, bytesOf(PART_BYTES, 9));
    await add(first, bytesOf(2 * PART_BYTES));
    const finishing = first.finish();
    await stored.promise;
    await expect(add(late, bytesOf(PART_BYTES, 9))).rejects.toThrow(UploadConflict);
    mayGoOn.resolve();
    await finishing;
  });

  test("an upload of which too many requests were lost is over", async () => {
    const id = await create(PART_BYTES + 1);
    const writer = await open(id);
    await add(writer, bytesOf(PART_BYTES));
    const key = `uploads/${id}`;
    const object = (await bucket.get(key))!;
    const text = (await object.text()).replace(/"freeNumber":\d+/, '"freeNumber":9999');
    await bucket.put(key, text, { customMetadata: { ...object.customMetadata, facts: String(text.indexOf("}") + 1) } });
    expect([await uploads.find(id), await uploads.open(id)]).toEqual(["expired", "expired"]);
  });
});

test("ids that no upload can have are unknown", async () => {
  for (const id of ["", "x", "../files", `2${crypto.randomUUID()}`, `1${crypto.randomUUID().slice(0, -1)}1`]) {
    expect([await uploads.find(id), await uploads.open(id)]).toEqual([undefined, undefined]);
  }
});
