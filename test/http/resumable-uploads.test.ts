// Tests uploads by tus 1.0: with the reference client, with curl, and with requests that no client should send.
// Contract: docs/api.md#resumable-uploads

import { execFile } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdtemp, open, rm, stat, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { Upload, type UploadOptions } from "tus-js-client";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { textPdf } from "../fixtures/pdfs.ts";
import { startBreakingProxy } from "../support/breaking-proxy.ts";
import { createClient } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { type MortalService, startMortalService } from "../support/restartable-service.ts";
import { type Service, startService } from "../support/service.ts";

const MiB = 2 ** 20;
const version = { "Tus-Resumable": "1.0.0" };
const patchType = { "Content-Type": "application/offset+octet-stream" };
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const run = promisify(execFile);

let service: Service;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "resumable-"));
  service = await startService({ variant: "private", vars: { MAX_UPLOAD_MB: "400" }, container: ["threads"] });
});
afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function create(length: number, headers: Record<string, string> = {}, url = service.url): Promise<string> {
  const response = await fetch(`${url}/upload/tus`, {
    method: "POST",
    headers: { ...version, "Upload-Length": String(length), ...headers },
  });
  expect(response.status).toBe(201);
  return response.headers.get("Location")!;
}
async function patch(location: string, offset: number, body: Uint8Array, headers: Record<string, string> = {}) {
  const response = await fetch(location, {
    method: "PATCH",
    headers: { ...version, ...patchType, "Upload-Offset": String(offset), ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, error: text && JSON.parse(text).error };
}
const head = (location: string) => fetch(location, { method: "HEAD", headers: version });
const offsetOf = async (location: string) => Number((await head(location)).headers.get("Upload-Offset"));
const idOf = (location: string) => location.split("/").at(-1)!;
async function download(location: string, url = service.url): Promise<string> {
  const response = await fetch(`${url}/resource/${idOf(location)}?format=file`);
  const hash = createHash("sha256");
  for await (const chunk of response.body!) hash.update(chunk);
  return hash.digest("hex");
}

/** Uploads with the reference client, which retries when its connection breaks. */
function send(file: string, options: UploadOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    const upload = new Upload(createReadStream(file), {
      retryDelays: [0, 200, 500, 1000, 2000, 2000, 2000],
      ...options,
      onError: reject,
      onSuccess: () => resolve(upload.url!),
    });
    upload.start();
  });
}

describe("the reference client", () => {
  test("a PDF of 200 MB whose connection breaks five times arrives whole, and is merged with another", async () => {
    const file = join(folder, "large.pdf");
    const digest = await writeLargePdf(file, 200 * MiB);
    const { size } = await stat(file);
    await using proxy = await startBreakingProxy(
      Number(new URL(service.url).port),
      [3, 47, 92, 137, 182].map((each) => each * MiB),
    );
    const offsets: number[] = [];
    const url = await send(file, {
      endpoint: `${proxy.url}/upload/tus`,
      metadata: { filename: "large.pdf", filetype: "text/html" },
      onAfterResponse(request, response) {
        if (request.getMethod() === "HEAD") offsets.push(Number(response.getHeader("Upload-Offset")));
      },
    });
    expect(proxy.broken).toBe(5);
    expect(offsets.length).toBeGreaterThanOrEqual(5);
    // The client asks for the offset immediately after a break, when the last bytes might not be stored yet. Bytes that
    // a proxy has not forwarded are lost: at each break, all buffers of a slow machine.
    expect(offsets.at(-1)).toBeGreaterThan(47 * MiB);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
    expect(new Set(offsets).size).toBeGreaterThanOrEqual(4);
    expect(await download(url)).toBe(digest);
    const info = await fetch(`${service.url}/resource/${idOf(url)}?format=info`);
    expect(await info.json()).toMatchObject({ name: "large.pdf", type: "application/pdf", size });
    const [merged] = await createClient(service.url).make("/merged-pdf", {
      "id[]": idOf(url),
      file: new File([(await textPdf(2)) as Uint8Array<ArrayBuffer>], "small.pdf"),
      "type[]": ["id", "file"],
      "pages[]": ["all", "all"],
      output: "merged",
    });
    expect(Buffer.from(merged!.bytes.subarray(0, 5)).toString()).toBe("%PDF-");
    const path = join(folder, "merged.pdf");
    await writeFile(path, merged!.bytes);
    expect((await run("qpdf", ["--show-npages", path])).stdout.trim()).toBe("3");
  }, 900_000);

  test.each([
    ["with the first bytes in the creation", { uploadDataDuringCreation: true }],
    ["in requests of 2 MB", { chunkSize: 2_000_000 }],
    ["with POST instead of PATCH", { overridePatchMethod: true }],
  ])("a file of 12 MB %s", async (_, options) => {
    const file = join(folder, "random.bin");
    const bytes = randomBytes(12_000_000);
    await writeFile(file, bytes);
    const url = await send(file, { endpoint: `${service.url}/upload/tus`, ...options });
    expect(await download(url)).toBe(sha256(bytes));
  });

  test("an upload that is terminated is gone", async () => {
    const location = await create(10);
    await Upload.terminate(location);
    expect((await head(location)).status).toBe(404);
  });

  test("in the keyed variant with the key, for every method", async () => {
    const { url, key = "" } = inject("services").keyed;
    const file = join(folder, "keyed.bin");
    await writeFile(file, "keyed");
    const location = await send(file, { endpoint: `${url}/upload/tus`, headers: { "Api-Key": key } });
    expect(await download(location, url)).toBe(sha256(Buffer.from("keyed")));
    for (const method of ["HEAD", "PATCH", "DELETE"]) {
      expect((await fetch(location, { method, headers: version })).status).toBe(401);
    }
    expect((await fetch(`${url}/upload/tus`, { method: "POST", headers: version })).status).toBe(401);
    expect((await fetch(`${url}/upload/tus`, { method: "OPTIONS" })).status).toBe(204);
  });
});

describe("curl", () => {
  test("creates, sends, asks and sends the rest", async () => {
    const bytes = randomBytes(6_000_000);
    const [start, rest] = [join(folder, "start"), join(folder, "rest")];
    await writeFile(start, bytes.subarray(0, 5_500_000));
    await writeFile(rest, bytes.subarray(5_500_000));
    const curl = async (...args: string[]) =>
      (await run("curl", ["-si", "-H", "Tus-Resumable: 1.0.0", ...args])).stdout;
    const created = await curl("-X", "POST", "-H", "Upload-Length: 6000000", `${service.url}/upload/tus`);
    const location = /^location: (\S+)/im.exec(created)![1]!;
    const type = ["-H", "Content-Type: application/offset+octet-stream"];
    await curl("-X", "PATCH", ...type, "-H", "Upload-Offset: 0", "--data-binary", `@${start}`, location);
    expect(await curl("-I", location)).toMatch(/^upload-offset: 5500000\r$/im);
    const chunked = ["-H", "Transfer-Encoding: chunked", "-H", "Upload-Offset: 5500000", "--data-binary", `@${rest}`];
    expect(await curl("-X", "PATCH", ...type, ...chunked, location)).toMatch(
      / 204 [\s\S]*^upload-offset: 6000000\r$/im,
    );
    expect(await download(location)).toBe(sha256(bytes));
  });
});

describe("answers", () => {
  test("OPTIONS tells what there is", async () => {
    const { status, headers } = await fetch(`${service.url}/upload/tus`, { method: "OPTIONS" });
    expect(status).toBe(204);
    expect(headers.get("Tus-Version")).toBe("1.0.0");
    expect(headers.get("Tus-Extension")!.split(",").sort()).toEqual(
      ["checksum", "creation", "creation-with-upload", "expiration", "termination"].sort(),
    );
    expect(headers.get("Tus-Max-Size")).toBe(String(400 * MiB));
    expect(headers.get("Tus-Checksum-Algorithm")).toBe("sha256,sha1,md5,crc32");
  });

  test("HEAD has length, metadata and expiry, and is not stored by caches", async () => {
    const metadata = `filename ${btoa("a.pdf")},is_confidential`;
    const location = await create(10, { "Upload-Metadata": metadata });
    const { status, headers } = await head(location);
    expect(status).toBe(200);
    const shown = ["Upload-Offset", "Upload-Length", "Upload-Metadata", "Cache-Control", "Tus-Resumable"];
    expect(shown.map((name) => headers.get(name))).toEqual(["0", "10", metadata, "no-store", "1.0.0"]);
    const lifetime = Date.parse(headers.get("Upload-Expires")!) - Date.now();
    expect(lifetime).toBeGreaterThan(23.9 * 3_600_000);
    expect((await patch(location, 0, Buffer.from("12345"))).headers.get("Upload-Expires")).toMatch(/GMT$/);
  });

  test("a finished upload is a stored file, and can be removed", async () => {
    const location = await create(5);
    expect((await fetch(`${service.url}/resource/${idOf(location)}?format=file`)).status).toBe(404);
    expect((await patch(location, 0, Buffer.from("12345"))).status).toBe(204);
    expect(await offsetOf(location)).toBe(5);
    expect((await patch(location, 5, Buffer.from("6"))).status).toBe(413);
    expect((await patch(location, 0, Buffer.from("1"))).status).toBe(409);
    expect((await fetch(location, { method: "DELETE", headers: version })).status).toBe(204);
    expect((await fetch(`${service.url}/resource/${idOf(location)}?format=file`)).status).toBe(404);
  });

  test("an empty file is there at once", async () => {
    expect(await download(await create(0))).toBe(sha256(Buffer.alloc(0)));
  });

  test.each([
    ["sha1", (bytes: Uint8Array) => createHash("sha1").update(bytes).digest("base64")],
    ["sha256", (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("base64")],
    ["md5", (bytes: Uint8Array) => createHash("md5").update(bytes).digest("base64")],
    ["crc32", (bytes: Uint8Array) => Buffer.from(crc32(bytes).toString(16).padStart(8, "0"), "hex").toString("base64")],
  ])("a body with a wrong checksum (%s) does not count: 460", async (algorithm, digest) => {
    const bytes = randomBytes(11 * MiB);
    const location = await create(bytes.length);
    expect((await patch(location, 0, bytes.subarray(0, 100))).status).toBe(204);
    const rest = bytes.subarray(100);
    const wrong = await patch(location, 100, rest, { "Upload-Checksum": `${algorithm} ${digest(bytes)}` });
    expect([wrong.status, wrong.error]).toEqual([460, "The Upload-Checksum does not match the body."]);
    expect(await offsetOf(location)).toBe(100);
    expect((await patch(location, 100, rest, { "Upload-Checksum": `${algorithm} ${digest(rest)}` })).status).toBe(204);
    expect(await download(location)).toBe(sha256(bytes));
  });
});

describe("hostile requests", () => {
  test.each<[string, Record<string, string>, number]>([
    ["no length", {}, 400],
    ["a negative length", { "Upload-Length": "-1" }, 400],
    ["a huge length", { "Upload-Length": "99999999999999999999" }, 400],
    ["a length beyond the limit", { "Upload-Length": String(400 * MiB + 1) }, 413],
    ["a length that is no number", { "Upload-Length": "0x10" }, 400],
    ["a deferred length", { "Upload-Defer-Length": "1" }, 400],
    ["a length that is deferred too", { "Upload-Length": "1", "Upload-Defer-Length": "1" }, 400],
    ["a part of a concatenation", { "Upload-Length": "1", "Upload-Concat": "partial" }, 400],
    ["another version", { "Upload-Length": "1", "Tus-Resumable": "0.2.2" }, 412],
    ["bad base64", { "Upload-Length": "1", "Upload-Metadata": "filename %%%" }, 400],
    ["a key twice", { "Upload-Length": "1", "Upload-Metadata": "a YQ==,a YQ==" }, 400],
    ["an empty pair", { "Upload-Length": "1", "Upload-Metadata": "a YQ==,," }, 400],
    ["long metadata", { "Upload-Length": "1", "Upload-Metadata": `a ${"A".repeat(8192)}` }, 400],
  ])("POST with %s: %o gives %i", async (_, headers, wanted) => {
    const response = await fetch(`${service.url}/upload/tus`, { method: "POST", headers: { ...version, ...headers } });
    expect([response.status, Object.keys((await response.json()) as object)]).toEqual([wanted, ["error"]]);
    expect(response.headers.get("Tus-Resumable")).toBe("1.0.0");
    if (wanted === 412) expect(response.headers.get("Tus-Version")).toBe("1.0.0");
  });

  test.each<[string, Record<string, string>, number]>([
    ["no offset", { "Upload-Offset": "" }, 400],
    ["a negative offset", { "Upload-Offset": "-5" }, 400],
    ["another offset", { "Upload-Offset": "4" }, 409],
    ["another type", { "Content-Type": "application/octet-stream" }, 415],
    ["no version", { "Tus-Resumable": "" }, 412],
    ["an unknown checksum", { "Upload-Checksum": "crc99 AAAA" }, 400],
    ["a checksum that is none", { "Upload-Checksum": "sha1 AAAA" }, 400],
    ["a prototype's name", { "Upload-Checksum": "constructor AAAA" }, 400],
  ])("PATCH with %s: %o gives %i, and changes nothing", async (_, headers, wanted) => {
    const location = await create(10);
    const { status, error } = await patch(location, 0, Buffer.from("12345"), headers);
    expect([status, typeof error]).toEqual([wanted, "string"]);
    expect(await offsetOf(location)).toBe(0);
  });

  test("a body beyond the end: 413, whether its size is known or not", async () => {
    const location = await create(10);
    expect((await patch(location, 0, Buffer.alloc(11))).status).toBe(413);
    const status = await new Promise((resolve, reject) => {
      const headers = { ...version, ...patchType, "Upload-Offset": "0", "Transfer-Encoding": "chunked" };
      const sending = request(location, { method: "PATCH", headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sending.on("error", reject);
      sending.end(Buffer.alloc(11));
    });
    expect(status).toBe(413);
    expect(await offsetOf(location)).toBe(0);
  });

  test.each(["1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c54", "x", "..%2F..%2Fa"])("unknown id %s: 404", async (id) => {
    const location = `${service.url}/upload/tus/${id}`;
    expect((await head(location)).status).toBe(404);
    expect((await patch(location, 0, Buffer.from("a"))).error).toBe("That upload does not exist.");
    expect((await fetch(location, { method: "DELETE", headers: version })).status).toBe(404);
  });

  test("files that are no resumable uploads: 404, and they stay", async () => {
    const form = { content: "<p>a", output: "a" };
    const { outputId } = (await createClient(service.url).post("/html", form)).body;
    const location = `${service.url}/upload/tus/${outputId}`;
    expect((await head(location)).status).toBe(404);
    expect((await fetch(location, { method: "DELETE", headers: version })).status).toBe(404);
    expect((await fetch(`${service.url}/resource/${outputId}?format=url`)).status).toBe(200);
  });

  test.each([
    ["GET", ""],
    ["PUT", "/1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c54"],
  ])("%s %s: 405", async (method, path) => {
    const response = await fetch(`${service.url}/upload/tus${path}`, { method, headers: version });
    expect([response.status, response.headers.get("Allow")?.startsWith("OPTIONS")]).toEqual([405, true]);
  });

  test("two bodies at once: one is the file, the other gets 409 or 423", async () => {
    const bodies = [Buffer.alloc(16 * MiB, 1), Buffer.alloc(16 * MiB, 2)];
    const location = await create(16 * MiB);
    const answers = await Promise.all(bodies.map((body) => patch(location, 0, body)));
    const winners = bodies.filter((_, index) => answers[index]!.status === 204);
    expect(winners).toHaveLength(1);
    expect([409, 413, 423]).toContain(answers.find(({ status }) => status !== 204)!.status);
    expect(await download(location)).toBe(sha256(winners[0]!));
  });
});

test("an upload goes on after the service was killed in its middle", async () => {
  const state = join(folder, "state");
  const bytes = randomBytes(60 * MiB);
  let mortal: MortalService | undefined = await startMortalService(state);
  try {
    const path = new URL(await create(bytes.length, {}, mortal.url)).pathname;
    const headers = { ...version, ...patchType, "Upload-Offset": "0", "Content-Length": bytes.length };
    const sending = request(mortal.url + path, { method: "PATCH", headers });
    sending.on("error", () => {});
    sending.write(bytes.subarray(0, 40 * MiB));
    await eventually(async () => expect(await offsetOf(mortal!.url + path)).toBeGreaterThan(10 * MiB));
    await mortal.kill();
    sending.destroy();
    mortal = undefined;
    mortal = await startMortalService(state);
    const offset = await offsetOf(mortal.url + path);
    expect(offset).toBeGreaterThan(10 * MiB);
    expect((await patch(mortal.url + path, offset, bytes.subarray(offset))).status).toBe(204);
    expect(await download(path, mortal.url)).toBe(sha256(bytes));
  } finally {
    await mortal?.stop();
  }
});

/** Writes a PDF of one page followed by comments. @returns its SHA-256 */
async function writeLargePdf(path: string, size: number): Promise<string> {
  const pdf = Buffer.from(await textPdf(1));
  const start = /startxref\s+(\d+)/.exec(pdf.toString("latin1"))![1]!;
  const hash = createHash("sha256");
  await using file = await open(path, "w");
  const write = async (bytes: Uint8Array) => {
    hash.update(bytes);
    await file.write(bytes);
  };
  await write(pdf);
  for (let written = 0; written < size; written += MiB) {
    await write(Buffer.from(`\n%${randomBytes((MiB / 4) * 3 - 2).toString("base64")}`));
  }
  await write(Buffer.from(`\nstartxref\n${start}\n%%EOF\n`));
  return hash.digest("hex");
}
