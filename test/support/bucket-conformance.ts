// Tests that every bucket must pass: R2, the file system and S3. They use only the declarations of
// src/service/ports/bucket.ts, and run in workerd and in Node.

import { Buffer } from "node:buffer";
import { expect, test } from "vitest";
import type { Bucket, BucketObject, MultipartUpload } from "../../src/service/ports/bucket.ts";

const PART_BYTES = 5 * 2 ** 20;
const text = (value: string) => new TextEncoder().encode(value);
const textOf = async (bucket: Bucket, key: string) => new TextDecoder().decode(await (await bucket.get(key))!.bytes());
const isMissing = async (bucket: Bucket, key: string) =>
  (await bucket.head(key)) === null && (await bucket.get(key)) === null;

/** Returns a part whose bytes differ from those of other parts. */
function part(fill: number, bytes = PART_BYTES): Uint8Array {
  const part = new Uint8Array(bytes).fill(fill);
  part[0] = 255 - fill;
  return part;
}

/** Reports whether two arrays have the same bytes. Unlike `toEqual`, a failed expectation does not print the arrays. */
const isSame = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) === 0;

function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bytes of parts) {
    whole.set(bytes, at);
    at += bytes.length;
  }
  return whole;
}

async function allOf(bucket: Bucket, prefix: string): Promise<BucketObject[]> {
  const objects: BucketObject[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await bucket.list({ prefix, include: ["customMetadata"], ...(cursor ? { cursor } : {}) });
    objects.push(...page.objects);
    if (!page.truncated) return objects;
    cursor = page.cursor;
  }
}

export interface ConformanceOptions {
  /** Reopens the bucket, as a restarted process does. @default does nothing, because each request opens the bucket */
  readonly reopen?: () => Promise<void>;
  /** True if the bucket distinguishes uploads that no client can resume. @default false */
  readonly hasTransientUploads?: boolean;
  /** The reason to skip the test of concurrent writes. Undefined to run it. */
  readonly race?: { readonly skipped: string } | undefined;
}

/** @param bucket returns the bucket, which is empty when a test begins */
export function testBucket(
  bucket: () => Bucket,
  { reopen = async () => {}, race, hasTransientUploads = false }: ConformanceOptions = {},
): void {
  if (race) console.log(`The test of writes on the same condition at the same time is skipped: ${race.skipped}`);
  testObjects(bucket);
  testStreams(bucket);
  testConditions(bucket);
  if (!race) testRace(bucket);
  testLists(bucket);
  testUploads(bucket, "an upload", (key) => bucket().createMultipartUpload(key, properties));
  if (hasTransientUploads)
    testUploads(bucket, "a transient upload", (key) => bucket().createTransientUpload!(key, properties));
  testResumedUploads(bucket, reopen);
  testFailedUploads(bucket, reopen);
}

function testObjects(bucket: () => Bucket): void {
  test("an object keeps its bytes and properties", async () => {
    const before = Date.now();
    const put = await bucket().put("files/a", text("hello"), {
      httpMetadata: { contentType: "image/svg+xml" },
      customMetadata: { name: "pr%C3%BCfung.txt", sha256: "0".repeat(64) },
    });
    const head = (await bucket().head("files/a"))!;
    const got = (await bucket().get("files/a"))!;
    for (const object of [put, head, got]) {
      expect(object).toMatchObject({ key: "files/a", size: 5, etag: put.etag });
      expect(object.httpMetadata).toMatchObject({ contentType: "image/svg+xml" });
      expect(object.customMetadata).toEqual({ name: "pr%C3%BCfung.txt", sha256: "0".repeat(64) });
      // S3 reports times in whole seconds.
      expect(object.uploaded.getTime()).toBeGreaterThan(before - 2000);
      expect(object.uploaded.getTime()).toBeLessThan(Date.now() + 2000);
    }
    expect(new TextDecoder().decode(await got.bytes())).toBe("hello");
  });

  test("an object without bytes and without properties is one", async () => {
    const put = await bucket().put("sha256/empty", new Uint8Array(0), { customMetadata: { sha256: "e3b0" } });
    expect(put.size).toBe(0);
    const got = (await bucket().get("sha256/empty"))!;
    expect(got.customMetadata).toEqual({ sha256: "e3b0" });
    expect(await got.bytes()).toHaveLength(0);
    expect(await new Response((await bucket().get("sha256/empty"))!.body).bytes()).toHaveLength(0);
    await bucket().put("files/bare", text("x"));
    expect((await bucket().head("files/bare"))!.customMetadata).toEqual({});
  });

  test("what is not there is null", async () => {
    expect(await isMissing(bucket(), "files/none")).toBe(true);
    expect(await bucket().get("files/none", { range: { offset: 0, length: 1 } })).toBeNull();
  });
}

function testStreams(bucket: () => Bucket): void {
  test("bytes are streamed, whole and in ranges, which end with the object", async () => {
    const bytes = concat(part(1, 300_000), part(2, 300_001));
    await bucket().put("files/a", bytes);
    const streamed = await new Response((await bucket().get("files/a"))!.body).bytes();
    expect(isSame(streamed, bytes)).toBe(true);
    for (const [offset, length] of [
      [0, 1],
      [299_999, 2],
      [600_000, 1],
      [100, 400_000],
      [500_000, 900_000],
    ] as const) {
      const range = { offset, length };
      const wanted = bytes.slice(offset, offset + length);
      const got = (await bucket().get("files/a", { range }))!;
      expect(got.size).toBe(bytes.length);
      expect(isSame(await got.bytes(), wanted), `bytes of ${offset}+${length}`).toBe(true);
      const body = (await bucket().get("files/a", { range }))!.body;
      expect(isSame(await new Response(body).bytes(), wanted), `body of ${offset}+${length}`).toBe(true);
    }
  });

  test("a body that is canceled leaves the object as it is", async () => {
    await bucket().put("files/a", part(1));
    const reader = (await bucket().get("files/a"))!.body.getReader();
    await reader.read();
    await reader.cancel();
    expect((await bucket().head("files/a"))!.size).toBe(PART_BYTES);
  });

  test("a second write replaces bytes, properties and entity tag", async () => {
    const first = await bucket().put("files/a", text("first, and longer"), { customMetadata: { name: "one" } });
    const second = await bucket().put("files/a", text("second"), { customMetadata: { count: "2" } });
    expect(second.etag).not.toBe(first.etag);
    expect(await textOf(bucket(), "files/a")).toBe("second");
    expect((await bucket().head("files/a"))!.customMetadata).toEqual({ count: "2" });
  });

  test("delete takes one key or many, and ignores what is not there", async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `files/${index}`);
    await Promise.all(keys.map((key) => bucket().put(key, text(key))));
    await bucket().delete("files/0");
    await bucket().delete("files/0");
    expect(await isMissing(bucket(), "files/0")).toBe(true);
    const unknown = Array.from({ length: 1000 - keys.length }, (_, index) => `files/none-${index}`);
    await bucket().delete([...keys, ...unknown]);
    expect(await allOf(bucket(), "")).toEqual([]);
  });
}

function testConditions(bucket: () => Bucket): void {
  test("a read on condition gives the bytes, or the object alone if it has changed", async () => {
    const { etag } = await bucket().put("packs/a", text("one"));
    const same = (await bucket().get("packs/a", { onlyIf: { etagMatches: etag } }))!;
    expect("body" in same && new TextDecoder().decode(await same.bytes())).toBe("one");
    const changed = await bucket().put("packs/a", text("two"));
    const other = (await bucket().get("packs/a", { onlyIf: { etagMatches: etag }, range: { offset: 0, length: 1 } }))!;
    expect("body" in other).toBe(false);
    expect(other.etag).toBe(changed.etag);
    expect(await bucket().get("packs/none", { onlyIf: { etagMatches: etag } })).toBeNull();
  });

  test("a write on condition happens only if the object is unchanged and there", async () => {
    const { etag } = await bucket().put("packs/a", text("one"));
    const onlyIf = { etagMatches: etag };
    const changed = await bucket().put("packs/a", text("two"), { onlyIf, customMetadata: { count: "1" } });
    expect(changed!.customMetadata).toEqual({ count: "1" });
    expect(await bucket().put("packs/a", text("three"), { onlyIf })).toBeNull();
    expect(await textOf(bucket(), "packs/a")).toBe("two");
    await bucket().delete("packs/a");
    expect(await bucket().put("packs/a", text("four"), { onlyIf: { etagMatches: changed!.etag } })).toBeNull();
    expect(await isMissing(bucket(), "packs/a")).toBe(true);
  });
}

function testRace(bucket: () => Bucket): void {
  test("of many writes on the same condition one happens", async () => {
    const { etag } = await bucket().put("packs/a", text("none"));
    const onlyIf = { etagMatches: etag };
    const values = Array.from({ length: 10 }, (_, index) => `winner ${index}`);
    const puts = await Promise.all(values.map((value) => bucket().put("packs/a", text(value), { onlyIf })));
    const winners = values.filter((_, index) => puts[index] !== null);
    expect(winners).toHaveLength(1);
    expect(await textOf(bucket(), "packs/a")).toBe(winners[0]);
  });
}

function testLists(bucket: () => Bucket): void {
  test("a list has the objects with a prefix, in order, with their properties", async () => {
    for (const key of ["files/b", "files/a", "filesystem/c", "packs/d"]) {
      await bucket().put(key, text(key), { customMetadata: { name: key } });
    }
    const objects = await allOf(bucket(), "files/");
    expect(objects.map(({ key }) => key)).toEqual(["files/a", "files/b"]);
    for (const listed of objects) {
      const { etag, size, uploaded } = (await bucket().head(listed.key))!;
      expect(listed).toMatchObject({ etag, size, customMetadata: { name: listed.key } });
      expect(Math.abs(listed.uploaded.getTime() - uploaded.getTime())).toBeLessThan(1000);
    }
    expect((await allOf(bucket(), "files/a")).map(({ key }) => key)).toEqual(["files/a"]);
    expect(await allOf(bucket(), "none/")).toEqual([]);
    expect(await allOf(bucket(), "")).toHaveLength(4);
  });

  test("a long list comes in pages, while its objects are removed", { timeout: 240_000 }, async () => {
    const keys = Array.from({ length: 1005 }, (_, index) => `files/${String(index).padStart(4, "0")}`);
    for (let at = 0; at < keys.length; at += 15) {
      await Promise.all(keys.slice(at, at + 15).map((key) => bucket().put(key, new Uint8Array(0))));
    }
    const listed: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = await bucket().list({ prefix: "files/", ...(cursor ? { cursor } : {}) });
      expect(page.objects.length).toBeLessThanOrEqual(1000);
      listed.push(...page.objects.map(({ key }) => key));
      await bucket().delete(page.objects.map(({ key }) => key));
      if (!page.truncated) break;
      cursor = page.cursor;
    }
    expect(listed).toEqual(keys);
    expect((await bucket().list()).objects).toEqual([]);
  });
}

const properties = { httpMetadata: { contentType: "image/tiff" }, customMetadata: { name: "a.tif" } };

type Begin = (key: string) => Promise<MultipartUpload>;

function testUploads(bucket: () => Bucket, kind: string, begin: Begin): void {
  test(`${kind} in parts is one object, and nothing is seen of it before`, async () => {
    const parts = [part(1), part(2), part(3, 1234)];
    const upload = await begin("files/a");
    const uploaded = [];
    for (const [index, bytes] of parts.entries()) uploaded.push(await upload.uploadPart(index + 1, bytes));
    expect(await isMissing(bucket(), "files/a")).toBe(true);
    expect(await allOf(bucket(), "files/")).toEqual([]);
    const object = await upload.complete(uploaded);
    expect(object).toMatchObject({ key: "files/a", size: 2 * PART_BYTES + 1234 });
    const got = (await bucket().get("files/a"))!;
    expect(got).toMatchObject({ size: object.size, etag: object.etag, customMetadata: { name: "a.tif" } });
    expect(got.httpMetadata).toMatchObject({ contentType: "image/tiff" });
    expect(isSame(await new Response(got.body).bytes(), concat(...parts))).toBe(true);
  });

  test(`parts of ${kind} come in any order, and ranges cross them`, async () => {
    const parts = [part(1), part(2), part(3, 99)];
    const upload = await begin("files/a");
    const third = await upload.uploadPart(3, parts[2]!);
    const second = await upload.uploadPart(2, parts[1]!);
    const first = await upload.uploadPart(1, parts[0]!);
    await upload.complete([first, second, third]);
    const whole = concat(...parts);
    expect(isSame(await (await bucket().get("files/a"))!.bytes(), whole)).toBe(true);
    for (const offset of [PART_BYTES - 10, 2 * PART_BYTES - 10, 2 * PART_BYTES + 1]) {
      const range = { offset, length: 20 };
      const wanted = whole.slice(offset, offset + 20);
      expect(isSame(await (await bucket().get("files/a", { range }))!.bytes(), wanted)).toBe(true);
      expect(isSame(await new Response((await bucket().get("files/a", { range }))!.body).bytes(), wanted)).toBe(true);
    }
  });

  test(`a part of ${kind} may be the only one, and the buffer of a part is the caller's again`, async () => {
    const upload = await begin("files/a");
    const bytes = part(1, 10);
    const uploaded = await upload.uploadPart(1, bytes);
    bytes.fill(9);
    await upload.complete([uploaded]);
    expect(isSame(await (await bucket().get("files/a"))!.bytes(), part(1, 10))).toBe(true);
  });

  test(`${kind} that is aborted leaves nothing`, async () => {
    const upload = await begin("files/a");
    await upload.uploadPart(1, part(1));
    await upload.abort();
    expect(await isMissing(bucket(), "files/a")).toBe(true);
    await bucket().put("files/b", text("kept"));
    const other = await begin("files/b");
    await other.uploadPart(1, part(1));
    await other.abort();
    expect(await textOf(bucket(), "files/b")).toBe("kept");
  });
}

function testResumedUploads(bucket: () => Bucket, reopen: () => Promise<void>): void {
  test("an upload goes on in a bucket that was opened anew, with its parts and properties", async () => {
    const parts = [part(1), part(2), part(3, 1234)];
    const { uploadId } = await bucket().createMultipartUpload("files/a", properties);
    const uploaded = [];
    for (const [index, bytes] of parts.entries()) {
      await reopen();
      expect(await allOf(bucket(), "")).toEqual([]);
      uploaded.push(
        await bucket()
          .resumeMultipartUpload("files/a", uploadId)
          .uploadPart(index + 1, bytes),
      );
    }
    await reopen();
    const object = await bucket().resumeMultipartUpload("files/a", uploadId).complete(uploaded);
    expect(object).toMatchObject({ key: "files/a", size: 2 * PART_BYTES + 1234 });
    await reopen();
    const got = (await bucket().get("files/a"))!;
    expect(got).toMatchObject({ size: object.size, etag: object.etag, customMetadata: { name: "a.tif" } });
    expect(got.httpMetadata).toMatchObject({ contentType: "image/tiff" });
    expect(isSame(await got.bytes(), concat(...parts))).toBe(true);
  });

  test("a part that is sent again replaces the first, and parts that are not named are left out", async () => {
    const upload = await bucket().createMultipartUpload("files/a", properties);
    const old = await upload.uploadPart(1, part(1));
    const second = await upload.uploadPart(3, part(2, 77));
    await upload.uploadPart(2, part(9));
    await reopen();
    const resumed = bucket().resumeMultipartUpload("files/a", upload.uploadId);
    const again = await resumed.uploadPart(1, part(4));
    expect(again.etag).not.toBe(old.etag);
    await resumed.complete([again, second]);
    expect(isSame(await (await bucket().get("files/a"))!.bytes(), concat(part(4), part(2, 77)))).toBe(true);
  });

  test("several requests send parts of an upload at the same time", async () => {
    const { uploadId } = await bucket().createMultipartUpload("files/a", properties);
    const parts = [part(1), part(2), part(3), part(4, 5)];
    const uploaded = await Promise.all(
      parts.map((bytes, index) =>
        bucket()
          .resumeMultipartUpload("files/a", uploadId)
          .uploadPart(index + 1, bytes),
      ),
    );
    await bucket().resumeMultipartUpload("files/a", uploadId).complete(uploaded);
    expect(isSame(await (await bucket().get("files/a"))!.bytes(), concat(...parts))).toBe(true);
  });
}

function testFailedUploads(bucket: () => Bucket, reopen: () => Promise<void>): void {
  test("an upload is not completed with a part that is missing, and can be completed afterwards", async () => {
    const { uploadId } = await bucket().createMultipartUpload("files/a", properties);
    const first = await bucket().resumeMultipartUpload("files/a", uploadId).uploadPart(1, part(1));
    await reopen();
    const resumed = bucket().resumeMultipartUpload("files/a", uploadId);
    await expect(resumed.complete([first, { partNumber: 2, etag: first.etag }])).rejects.toThrow();
    expect(await isMissing(bucket(), "files/a")).toBe(true);
    const second = await resumed.uploadPart(2, part(2, 10));
    await resumed.complete([first, second]);
    expect((await bucket().head("files/a"))!.size).toBe(PART_BYTES + 10);
  });

  // Uploads a part, then completes: S3Proxy accepts parts of any upload, and only fails on completion.
  const goOn = async (upload: MultipartUpload) => upload.complete([await upload.uploadPart(2, part(2, 10))]);

  test("an upload that is over cannot go on, and leaves the object", async () => {
    const { uploadId } = await bucket().createMultipartUpload("files/a", properties);
    const resumed = () => bucket().resumeMultipartUpload("files/a", uploadId);
    const only = await resumed().uploadPart(1, part(1, 10));
    await resumed().complete([only]);
    await reopen();
    await expect(goOn(resumed())).rejects.toThrow();
    expect(isSame(await (await bucket().get("files/a"))!.bytes(), part(1, 10))).toBe(true);
  });

  test("an upload that another request aborts is over, and so is one that never began", async () => {
    const upload = await bucket().createMultipartUpload("files/a", properties);
    const first = await upload.uploadPart(1, part(1));
    await reopen();
    await bucket().resumeMultipartUpload("files/a", upload.uploadId).abort();
    const resumed = bucket().resumeMultipartUpload("files/a", upload.uploadId);
    await expect(resumed.complete([first])).rejects.toThrow();
    await expect(goOn(resumed)).rejects.toThrow();
    await expect(goOn(bucket().resumeMultipartUpload("files/a", crypto.randomUUID()))).rejects.toThrow();
    expect(await allOf(bucket(), "")).toEqual([]);
  });
}
