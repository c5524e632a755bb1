// Tests the bucket of an S3-compatible store with S3Proxy, or with the store that S3_ENDPOINT and related variables
// name (docs/self-hosting.md), in temporary buckets.

import { randomBytes, randomUUID } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readS3Settings } from "../../../../host/storage/open-bucket.ts";
import { S3Bucket } from "../../../../host/storage/s3/s3-bucket.ts";
import type { S3Settings } from "../../../../host/storage/s3/s3-client.ts";
import { createMemoryQuota } from "../../../../src/service/storage/memory-quota.ts";
import { PART_BYTES } from "../../../../src/service/storage/standalone-files.ts";
import { createStore } from "../../../../src/service/storage/store.ts";
import { ResumableUploads } from "../../../../src/service/storage/uploads/resumable-uploads.ts";
import type { UploadWriter } from "../../../../src/service/storage/uploads/upload-writer.ts";
import { testBucket } from "../../../support/bucket-conformance.ts";
import { freePort } from "../../../support/processes.ts";
import { missingS3Server, type S3Server, startS3Server } from "../../../support/s3-server.ts";

const given = readS3Settings(process.env);
const missing = given ? undefined : await missingS3Server();
if (missing) console.log(`Tests of the S3 bucket are skipped: ${missing}`);

describe.skipIf(missing)("a bucket of S3", () => {
  let server: S3Server | undefined;
  let settings: S3Settings;
  let bucket: S3Bucket;
  let other: S3Bucket;
  beforeAll(async () => {
    if (!given) server = await startS3Server();
    settings = server?.settings ?? { ...given!, bucket: `tests-${randomUUID()}` };
    [bucket, other] = [await S3Bucket.open(settings), await S3Bucket.open(settings)];
  });
  afterAll(() => server?.[Symbol.asyncDispose]());
  beforeEach(async () => {
    for (let count = 1; count > 0; ) {
      const { objects } = await bucket.list();
      count = objects.length;
      await bucket.delete(objects.map(({ key }) => key));
    }
  });

  const skipped = "S3Proxy compares the entity tag before it writes, not while it does.";
  const reopen = async () => {
    bucket = await S3Bucket.open(settings);
  };
  testBucket(() => bucket, { reopen, race: given ? undefined : { skipped } });

  test("is made if it is not there", async () => {
    const made = await S3Bucket.open({ ...settings, bucket: `other-${randomUUID()}` });
    await made.put("files/a", new Uint8Array(1));
    expect((await made.list()).objects.map(({ key }) => key)).toEqual(["files/a"]);
    expect((await bucket.list()).objects).toEqual([]);
  });

  test("is not opened with a wrong secret, nor where no store answers", async () => {
    const wrong = S3Bucket.open({ ...settings, secretAccessKey: "wrong" });
    await expect(wrong).rejects.toThrow(/The bucket .* at .* cannot be used: .* 403/);
    const nobody = S3Bucket.open({ ...settings, endpoint: `http://127.0.0.1:${await freePort()}` });
    await expect(nobody).rejects.toThrow("cannot be used");
  });

  test("two hosts share it: each finds the other's files, and removes files of the other's packs", async () => {
    const [here, there] = [bucket, other].map((shared) => createStore(shared, { lifetimeMs: 0 }));
    const batch = here!.batch("output", createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 }).openReservation());
    for (let index = 0; index < 8; index++) {
      await batch.add({
        name: `${index}.txt`,
        type: "text/plain",
        body: new TextEncoder().encode(`file ${index}`),
      });
    }
    const ids = (await batch.commit()).map(({ id }) => id);
    expect((await bucket.list()).objects).toHaveLength(1);
    for (const [index, id] of ids.entries()) {
      expect(await new Response((await there!.open(id))!.body).text()).toBe(`file ${index}`);
    }
    for (const [index, id] of ids.slice(0, 6).entries()) await (index % 2 ? here! : there!).remove([id]);
    for (const store of [bucket, other].map((shared) => createStore(shared, { lifetimeMs: 0 }))) {
      const found = await Promise.all(ids.map((id) => store.find(id)));
      expect(found.map((file) => file?.name)).toEqual([...Array(6).fill(undefined), "6.txt", "7.txt"]);
    }
    await there!.remove(ids.slice(6));
    expect(await here!.find(ids[7]!)).toBeUndefined();
    expect((await bucket.list()).objects).toEqual([]);
  });

  test("two hosts share it: each continues the other's uploads, and removes those that are over", async () => {
    const hour = 3_600_000;
    const [here, there] = [bucket, other].map((shared) => new ResumableUploads(shared, { lifetimeMs: hour }));
    const bytes = randomBytes(2 * PART_BYTES + 5);
    const send = async (uploads: ResumableUploads, id: string, from: number, to: number) => {
      const writer = (await uploads.open(id)) as UploadWriter;
      expect(writer.received).toBe(from);
      await writer.add(bytes.subarray(from, to));
      await (writer.missing === 0 ? writer.finish() : writer.save());
    };
    const create = (uploads: ResumableUploads) => uploads.create({ name: "a", length: bytes.length, metadata: "" });
    const [id, left] = [await create(here!), await create(there!)];
    await send(here!, id, 0, PART_BYTES + 7);
    await send(there!, left, 0, PART_BYTES + 7);
    await send(there!, id, PART_BYTES + 7, PART_BYTES + 9);
    await send(here!, id, PART_BYTES + 9, bytes.length);
    const stored = await (await other.get(`files/${id}`))!.bytes();
    expect(Buffer.compare(stored, bytes)).toBe(0);
    const later = new ResumableUploads(bucket, { lifetimeMs: hour, now: () => Date.now() + 2 * hour });
    expect(await later.sweep()).toBe(1);
    expect((await bucket.list()).objects.map(({ key }) => key)).toEqual([`files/${id}`]);
  });

  test("an expired file is removed once, whoever sweeps", async () => {
    const lifetimeMs = 3_600_000;
    const now = () => Date.now() + 2 * lifetimeMs;
    const batch = createStore(bucket, { lifetimeMs }).batch(
      "input",
      createMemoryQuota({ perRequest: 0, total: 0 }).openReservation(),
    );
    await batch.add({ name: "a", type: "text/plain", body: new Uint8Array(10) });
    await batch.commit();
    await Promise.all([bucket, other].map((shared) => createStore(shared, { lifetimeMs, now }).sweep()));
    expect((await bucket.list()).objects).toEqual([]);
  });
});
