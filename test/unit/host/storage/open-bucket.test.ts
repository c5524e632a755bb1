// Tests the settings that select the host's bucket.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openBucket, readS3Settings } from "../../../../host/storage/open-bucket.ts";
import { PART_BYTES } from "../../../../src/service/storage/standalone-files.ts";
import { ResumableUploads } from "../../../../src/service/storage/uploads/resumable-uploads.ts";
import type { UploadWriter } from "../../../../src/service/storage/uploads/upload-writer.ts";

const S3_ENDPOINT = "https://store.example:9000";
const credentials = { S3_ACCESS_KEY_ID: "id", S3_SECRET_ACCESS_KEY: "secret" };

test("without a store, the bucket is in the data folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "open-bucket-"));
  {
    using bucket = await openBucket(join(folder, "data"), {});
    await bucket.put("files/a", new Uint8Array(1));
  }
  {
    using bucket = await openBucket(join(folder, "data"), {});
    expect((await bucket.head("files/a"))!.size).toBe(1);
  }
  await rm(folder, { recursive: true });
});

test("of the uploads in parts that a process left, those are kept that requests can resume", async () => {
  const folder = await mkdtemp(join(tmpdir(), "open-bucket-"));
  const bytes = new Uint8Array(PART_BYTES + 1);
  let id: string;
  {
    using bucket = await openBucket(folder, {});
    const uploads = new ResumableUploads(bucket, { lifetimeMs: 0 });
    id = await uploads.create({ name: "a", length: 2 * PART_BYTES, metadata: "" });
    const writer = (await uploads.open(id)) as UploadWriter;
    await writer.add(bytes);
    await writer.save();
    await (await bucket.createMultipartUpload("files/a")).uploadPart(1, bytes);
  }
  expect(await readdir(join(folder, "unfinished"))).toHaveLength(4);
  {
    using bucket = await openBucket(folder, {});
    expect(await readdir(join(folder, "unfinished"))).toHaveLength(2);
    const hour = 3_600_000;
    const uploads = new ResumableUploads(bucket, { lifetimeMs: hour, now: () => Date.now() + 2 * hour });
    expect(await uploads.find(id)).toBe("expired");
    expect(await uploads.sweep()).toBe(1);
    expect(await readdir(join(folder, "unfinished"))).toEqual([]);
  }
  await rm(folder, { recursive: true });
});

describe("settings of an S3 store", () => {
  test("are read, with a bucket and a region by default", () => {
    expect(readS3Settings({ ...credentials, S3_ENDPOINT })).toEqual({
      endpoint: S3_ENDPOINT,
      bucket: "pagewright-files",
      region: "us-east-1",
      accessKeyId: "id",
      secretAccessKey: "secret",
    });
    const chosen = { ...credentials, S3_ENDPOINT, S3_BUCKET: "mine", S3_REGION: "eu-central-1" };
    expect(readS3Settings(chosen)).toMatchObject({ bucket: "mine", region: "eu-central-1" });
  });

  test("are not there without an endpoint", () => {
    expect(readS3Settings({})).toBeUndefined();
    expect(readS3Settings({ ...credentials, S3_ENDPOINT: "" })).toBeUndefined();
  });

  test.each(["store.example", "ftp://store.example", "https://store.example/bucket"])(
    "%s is no endpoint",
    (endpoint) => {
      expect(() => readS3Settings({ ...credentials, S3_ENDPOINT: endpoint })).toThrow("S3_ENDPOINT must be");
    },
  );

  test("are refused without credentials", () => {
    expect(() => readS3Settings({ S3_ENDPOINT })).toThrow("S3_ACCESS_KEY_ID");
  });
});

test("a store that is not there is refused with the reason", async () => {
  const opened = openBucket("/nowhere", { ...credentials, S3_ENDPOINT: "http://127.0.0.1:2" });
  await expect(opened).rejects.toThrow("(connect ECONNREFUSED 127.0.0.1:2)");
});
