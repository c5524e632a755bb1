// Tests in workerd that a deployment that starts to use regions keeps its files, jobs and uploads.
// Contract: docs/api.md#regions, #stored-files, #asynchronous-jobs

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textPdf } from "../../fixtures/pdfs.ts";
import { type City, type RegionalService, startRegionalService } from "../../support/regions/regional-service.ts";

const version = { "Tus-Resumable": "1.0.0" };
const bytes = Buffer.alloc(2000, 5);

/** IDs of the deployment without regions. */
let old: { readonly files: readonly string[]; readonly job: string; readonly tus: string; readonly once: string };
let service: RegionalService;
let data: string;

beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), "regions-data-"));
  await using before = await startRegionalService({ regions: "", data });
  const form = new FormData();
  form.append("file", new File([Buffer.from(await textPdf(1))], "small.pdf"));
  form.append("file", new File(["%PDF-", Buffer.alloc(2 ** 20, 7)], "large.pdf"));
  const send = async (path: string, init: RequestInit) => {
    const response = await before.request("Sydney", path, { method: "POST", ...init });
    expect(response.ok).toBe(true);
    const body = (await response.json().catch(() => ({}))) as Record<"requestId" | "uploadUrl", string>;
    return { headers: response.headers, body };
  };
  const accepted = await send("/upload", { body: form, headers: { Prefer: "respond-async" } });
  const status = await before.request("Sydney", `/request-status/${accepted.body.requestId}`);
  const { files } = (await status.json()) as { files: { id: string }[] };
  const created = await send("/upload/tus", { headers: { ...version, "Upload-Length": String(bytes.length) } });
  const once = await send("/upload/once", {});
  old = {
    files: files.map(({ id }) => id),
    job: accepted.body.requestId,
    tus: new URL(created.headers.get("Location")!).pathname,
    once: new URL(once.body.uploadUrl).pathname,
  };
  service = await startRegionalService({ data });
}, 240_000);
afterAll(async () => {
  await service?.[Symbol.asyncDispose]();
  await rm(data, { recursive: true });
});

const status = async (city: City, path: string, init?: RequestInit) => (await service.request(city, path, init)).status;

test.each(["Frankfurt", "Sydney"] as const)("IDs without a tag are known in %s", async (city) => {
  for (const id of old.files) {
    expect(await status(city, `/resource/${id}?format=file`)).toBe(200);
    const form = new FormData();
    form.append("id", id);
    form.append("output", "made");
    expect(await status(city, "/zip", { method: "POST", body: form })).toBe(200);
  }
  expect(await status(city, `/request-status/${old.job}`)).toBe(200);
  expect(await status(city, old.tus, { method: "HEAD", headers: version })).toBe(200);
  expect(await status(city, old.once)).toBe(200);
});

test("uploads continue, and files are deleted, from another region", async () => {
  const headers = { ...version, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
  expect(await status("Sydney", old.tus, { method: "PATCH", headers, body: bytes })).toBe(204);
  expect(await status("Sydney", old.once, { method: "PUT", body: bytes })).toBe(200);
  expect(await service.keysIn("oc")).toEqual(expect.not.arrayContaining([expect.stringContaining("files/1")]));
  for (const id of old.files) {
    expect(await status("Virginia", `/resource/${id}`, { method: "DELETE" })).toBe(204);
    expect(await status("Frankfurt", `/resource/${id}?format=url`)).toBe(404);
  }
  expect(await status("Virginia", `/request-status/${old.job}`, { method: "DELETE" })).toBe(204);
  expect(await status("Frankfurt", `/request-status/${old.job}`)).toBe(404);
});
