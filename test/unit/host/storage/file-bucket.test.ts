// Tests the bucket in the file system.

import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FileBucket } from "../../../../host/storage/folder/file-bucket.ts";
import { testBucket } from "../../../support/bucket-conformance.ts";

let folder: string;
let bucket: FileBucket;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "file-bucket-"));
  bucket = await FileBucket.open(folder);
});
afterEach(async () => {
  bucket[Symbol.dispose]();
  await rm(folder, { recursive: true, force: true });
});

const bytes = new TextEncoder().encode("hello");
const filesIn = async (part: string) =>
  (await readdir(join(folder, part), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());

async function reopen(): Promise<void> {
  bucket[Symbol.dispose]();
  bucket = await FileBucket.open(folder);
}

testBucket(() => bucket, { reopen, hasTransientUploads: true });

describe("keys", () => {
  test("cannot lead out of the folder, and come back as they are", async () => {
    const keys = [
      "../a",
      "../../etc/a",
      "files/../../a",
      "./a",
      ".",
      "..",
      "a/..",
      "%2e%2e/a",
      "a\\..\\b",
      "a\0b",
      "é b",
    ];
    for (const key of keys) await bucket.put(key, new TextEncoder().encode(key));
    expect((await bucket.list()).objects.map(({ key }) => key)).toEqual(keys.toSorted());
    for (const key of keys) expect(new TextDecoder().decode(await (await bucket.get(key))!.bytes())).toBe(key);
    expect(await filesIn("objects")).toHaveLength(keys.length);
    expect((await readdir(folder)).toSorted()).toEqual(["objects", "owner.db", "unfinished", "writing"]);
  });

  test("do not collide: a key may be the beginning of another, down to a slash", async () => {
    for (const key of ["a", "a/b", "a/b/c", "%", "%25"]) await bucket.put(key, new TextEncoder().encode(key));
    for (const key of ["a", "a/b", "a/b/c", "%", "%25"]) {
      expect(new TextDecoder().decode(await (await bucket.get(key))!.bytes())).toBe(key);
    }
  });

  test.each(["../objects/files/a", "..", "", "a"])("no upload has the id %j", async (uploadId) => {
    await bucket.put("files/a", bytes);
    const upload = bucket.resumeMultipartUpload("files/a", uploadId);
    await expect(upload.uploadPart(1, bytes)).rejects.toThrow("no upload");
    await expect(upload.complete([{ partNumber: 1, etag: "0" }])).rejects.toThrow("no upload");
    await upload.abort();
    expect((await bucket.head("files/a"))!.size).toBe(5);
  });

  test.each(["", "/", "/a", "a/"])("%j is none", async (key) => {
    await expect(bucket.put(key, bytes)).rejects.toThrow("not a key");
    expect(await filesIn("writing")).toEqual([]);
  });
});

describe("after a crash", () => {
  test("objects are there, and what was being written is gone", async () => {
    await bucket.put("files/a", bytes, { customMetadata: { name: "a" } });
    await writeFile(join(folder, "writing/half"), bytes);
    await reopen();
    expect(await filesIn("writing")).toEqual([]);
    expect((await bucket.list()).objects).toMatchObject([{ key: "files/a", size: 5, customMetadata: { name: "a" } }]);
  });

  test("parts that were acknowledged count; a line and bytes that were cut off do not", async () => {
    const { uploadId } = await bucket.createMultipartUpload("files/a");
    const first = await bucket.resumeMultipartUpload("files/a", uploadId).uploadPart(1, bytes);
    const path = join(folder, "unfinished", uploadId);
    await appendFile(path, "half a par");
    await appendFile(`${path}.parts`, `\n{"partNumber":1,"etag":"0000`);
    await reopen();
    const upload = bucket.resumeMultipartUpload("files/a", uploadId);
    await expect(upload.complete([{ partNumber: 1, etag: "0000" }])).rejects.toThrow("part 1");
    const second = await upload.uploadPart(2, bytes);
    await upload.complete([first, second]);
    expect(new TextDecoder().decode(await (await bucket.get("files/a"))!.bytes())).toBe("hello".repeat(2));
    expect(await filesIn("unfinished")).toEqual([]);
  });

  test("halves of beginnings and ends of uploads are removed", async () => {
    const [one, other] = [await bucket.createMultipartUpload("files/a"), await bucket.createMultipartUpload("files/b")];
    await rm(join(folder, "unfinished", one.uploadId));
    await rm(join(folder, "unfinished", `${other.uploadId}.parts`));
    await reopen();
    expect(await filesIn("unfinished")).toEqual([]);
    await expect(bucket.resumeMultipartUpload("files/a", one.uploadId).uploadPart(1, bytes)).rejects.toThrow("upload");
  });

  test("a file that is not whole is an error and not half an object", async () => {
    await bucket.put("files/a", bytes);
    const path = join(folder, "objects/files/a");
    const whole = await readFile(path);
    for (const length of [0, 3, 5, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, length));
      await expect(bucket.get("files/a")).rejects.toThrow("cannot be read");
    }
  });
});

test("nothing of a failed write remains", async () => {
  const { etag } = await bucket.put("files/a", bytes);
  expect(await bucket.put("files/a", bytes, { onlyIf: { etagMatches: "other" } })).toBeNull();
  const upload = await bucket.createMultipartUpload("files/a");
  const part = await upload.uploadPart(1, bytes);
  await expect(upload.complete([{ ...part, etag: "other" }])).rejects.toThrow("part 1");
  await upload.abort();
  expect([...(await filesIn("writing")), ...(await filesIn("unfinished"))]).toEqual([]);
  const brief = await bucket.createTransientUpload("files/a");
  await expect(brief.complete([{ ...(await brief.uploadPart(1, bytes)), etag: "other" }])).rejects.toThrow("part 1");
  await brief.abort();
  expect([...(await filesIn("writing")), ...(await filesIn("unfinished"))]).toEqual([]);
  expect((await bucket.head("files/a"))!.etag).toBe(etag);
});

test("an upload is completed with its own parts only, under its own key", async () => {
  const upload = await bucket.createMultipartUpload("files/a");
  const first = await upload.uploadPart(1, bytes);
  const again = await upload.uploadPart(1, new Uint8Array(3));
  await expect(upload.complete([first])).rejects.toThrow("part 1");
  await expect(upload.complete([])).rejects.toThrow("at least one part");
  await expect(bucket.resumeMultipartUpload("files/b", upload.uploadId).complete([again])).rejects.toThrow("upload");
  expect((await upload.complete([again])).size).toBe(3);
  await upload.abort();
  expect((await bucket.head("files/a"))!.size).toBe(3);
});

test("properties longer than a block are read", async () => {
  const name = "n".repeat(20_000);
  await bucket.put("files/a", bytes, { customMetadata: { name } });
  expect((await bucket.head("files/a"))!.customMetadata).toEqual({ name });
});

test("a reader keeps the object that it opened while others replace and remove it", async () => {
  const large = new Uint8Array(1_000_000).fill(1);
  await bucket.put("files/a", large);
  const reader = (await bucket.get("files/a"))!.body.getReader();
  let read = (await reader.read()).value!.length;
  await bucket.put("files/a", bytes);
  await bucket.delete("files/a");
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    expect(chunk.value.every((byte) => byte === 1)).toBe(true);
    read += chunk.value.length;
  }
  expect(read).toBe(large.length);
});

test("a folder that cannot be locked is refused in a sentence, which does not speak of another process", async () => {
  const taken = join(folder, "taken");
  await mkdir(join(taken, "owner.db"), { recursive: true });
  await expect(FileBucket.open(taken)).rejects.toThrow(`The folder ${taken} cannot be used: EISDIR`);
});
