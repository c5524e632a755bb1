// Tests the headers of resumable uploads, with the host's folder as storage.
// Contract: docs/api.md#resumable-uploads
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { FileBucket } from "../../../host/storage/folder/file-bucket.ts";
import { serveUploads, type TusService } from "../../../src/service/http/files/tus/uploads.ts";
import { createSemaphore } from "../../../src/service/placement/semaphore.ts";
import { type Env, readConfig } from "../../../src/service/settings/config.ts";
import { createStore } from "../../../src/service/storage/store.ts";

const folder = mkdtempSync(join(tmpdir(), "tus-"));
const bucket = await FileBucket.open(folder);
afterAll(() => {
  bucket[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const config = readConfig({} as Env);
const service: TusService = {
  ...{ bucket, config, store: createStore(bucket, { lifetimeMs: config.fileLifetimeMs }), baseUrl: "http://localhost" },
  uploadSemaphore: createSemaphore({ concurrency: 1, maxQueued: 0, maxWaitMs: 0 }),
  marks: () => ({}),
  mayRemove: () => true,
  received() {},
};

async function send(url: string, method: string, headers: Record<string, string>, body = "") {
  const sent = {
    "Tus-Resumable": "1.0.0",
    "Content-Length": String(body.length),
    "Content-Type": "application/offset+octet-stream",
    ...headers,
  };
  const id = url.split("/upload/tus/")[1];
  const request = new Request(url, { method, headers: sent, ...(body === "" ? {} : { body }) });
  const { status, headers: answered } = await serveUploads(request, id, service);
  return { status, location: answered.get("Location")!, expires: answered.has("Upload-Expires") };
}
const create = (length: number, body = "") =>
  send("http://localhost/upload/tus", "POST", { "Upload-Length": String(length) }, body);
const patch = (url: string, offset: number, body: string) =>
  send(url, "PATCH", { "Upload-Offset": String(offset) }, body);

test("an upload has Upload-Expires until it is complete, and not from then on", async () => {
  const { location, ...created } = await create(10);
  expect(created).toEqual({ status: 201, expires: true });
  expect(await patch(location, 0, "12345")).toMatchObject({ status: 204, expires: true });
  expect(await patch(location, 5, "67890")).toMatchObject({ status: 204, expires: false });
  expect(await patch(location, 10, "")).toMatchObject({ status: 204, expires: false });
});

test.each([
  [0, ""],
  [5, "12345"],
])("an upload of %i bytes that is complete at once has none", async (length, body) => {
  expect(await create(length, body)).toMatchObject({ status: 201, expires: false });
});
