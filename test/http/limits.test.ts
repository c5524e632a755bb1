// Tests the limits with inputs that are too large, too many or hostile. Each request ends with an image or a clear 4xx,
// and the next request works.
// Contract: docs/api.md#limits, #errors
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { squarePdf, textPdf } from "../fixtures/pdfs.ts";
import { type Client, createClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import { HOSTILE_PDFS } from "../support/hostile-pdfs.ts";
import { type Service, startService } from "../support/service.ts";
import { openStoredFiles, type StoredFiles } from "../support/stored-files.ts";

const MiB = 2 ** 20;
let service: Service;
let client: Client;
let storage: StoredFiles;
/** Counts the objects in the service's bucket. */
const storedFiles = () => storage.count();

beforeAll(async () => {
  service = await startService({ variant: "private", vars: { MAX_UPLOAD_MB: "12" } });
  client = createClient(service.url);
  storage = await openStoredFiles(service);
});
afterAll(async () => {
  await storage?.[Symbol.asyncDispose]();
  await service.stop();
});

describe("uploads", () => {
  test("a file larger than the limit: 413 with the limit, and nothing is left", async () => {
    const before = await storedFiles();
    const { status, body } = await client.post("/png", { file: upload(new Uint8Array(20 * MiB)), output: "a" });
    expect([status, body.error]).toEqual([413, "The file exceeds the maximum size of 12 MB."]);
    expect(await storedFiles()).toBe(before);
  });

  test("what is larger than anything the endpoint takes is refused before it is read", async () => {
    // Sends only the headers of a request: a server that waits for the body never responds. This test uses the host,
    // because wrangler's proxy does wait.
    const { url, stop } = await startService({ target: "host", variant: "private", vars: { MAX_UPLOAD_MB: "12" } });
    try {
      for (const [path, type, error] of [
        ["/gif", "multipart/form-data; boundary=x", "The file exceeds the maximum size of 12 MB."],
        ["/gif", "application/json", "The request body exceeds the maximum size of 8 MB."],
        ["/upload", "text/plain", "The file exceeds the maximum size of 12 MB."],
      ] as const) {
        const headers = { "Content-Type": type, "Content-Length": 60 * MiB, "Content-Filename": "a.txt" };
        const asking = request(url + path, { method: "POST", headers });
        asking.flushHeaders();
        const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
          asking.on("error", reject);
          asking.on("response", (response) => {
            let text = "";
            response.setEncoding("utf8").on("data", (chunk) => (text += chunk));
            response.on("end", () => resolve({ status: response.statusCode, text }));
          });
        });
        asking.destroy();
        expect([type, answer.status, JSON.parse(answer.text)]).toEqual([type, 413, { error }]);
      }
    } finally {
      await stop();
    }
  });

  test("content larger than the limit: 413", async () => {
    const { status, body } = await client.post("/html", { content: "x".repeat(13 * MiB), output: "a" });
    expect([status, body.error]).toEqual([413, "The file exceeds the maximum size of 12 MB."]);
  });

  test("spec: the limit of some endpoints can be raised by the setting, that of others ends at 100 MB", async () => {
    const vars = { MAX_UPLOAD_MB: "110", MAX_INPUTS: "3" };
    const raised = await startService({ target: "host", variant: "private", vars });
    try {
      const { post } = createClient(raised.url);
      const zip = await post("/zip", { file: upload(new Uint8Array(101 * MiB)), output: "a" });
      expect([zip.status, zip.body.error]).toEqual([200, undefined]);
      const described = (await (await fetch(`${raised.url}/openapi.json`)).json()) as {
        paths: Record<string, { post: { responses: Record<string, { description: string }> } }>;
      };
      const limit = (path: string) => /\d+ MB/.exec(described.paths[path]!.post.responses[413]!.description)![0];
      expect(["/zip", "/merged-pdf", "/split-pdf", "/png", "/pdf"].map(limit)).toEqual([
        ...["110 MB", "110 MB", "110 MB", "100 MB", "100 MB"],
      ]);
      const four = await post("/zip", { file: Array.from({ length: 4 }, () => upload("x")), output: "a" });
      expect([four.status, four.body.error]).toEqual([400, "Too many 'file' or 'id' values."]);
    } finally {
      await raised.stop();
    }
  });

  test("a merge or an archive that fails leaves nothing of its many files", async () => {
    const before = await storedFiles();
    const files = [...Array.from({ length: 30 }, () => upload("%PDF-1.7 damaged")), upload(new Uint8Array(7 * MiB))];
    const each = (value: string) => files.map(() => value);
    const merged = { file: files, "pages[]": each("1"), "type[]": each("file"), output: "a" };
    expect((await client.post("/merged-pdf", merged)).status).toBe(400);
    expect((await client.post("/merged-pdf", { ...merged, "type[]": "file" })).status).toBe(400);
    expect((await client.post("/zip", { file: files, output: ["a", "b"] })).status).toBe(400);
    const tooLarge = upload(new Uint8Array(13 * MiB));
    expect((await client.post("/zip", { file: [...files, tooLarge], output: "a" })).status).toBe(413);
    expect(await storedFiles()).toBe(before);
  });

  test("a request that fails leaves no object behind", async () => {
    const before = await storedFiles();
    for (const fields of [
      { file: upload(await squarePdf()), output: "a", resolution: "5" },
      { file: upload(await squarePdf()), output: "a", pages: "1,2" },
      { file: upload(await textPdf(2)), output: "a", pages: "1,2,3" },
      { file: upload("no PDF"), output: "a" },
      { file: upload(new Uint8Array(7 * MiB)), output: "a" },
      { file: upload(await squarePdf()) },
    ]) {
      expect((await client.post("/png", fields)).status).toBe(400);
    }
    expect(await storedFiles()).toBe(before);
  });

  test("a client that goes away in mid-upload leaves no object behind", async () => {
    const before = await storedFiles();
    const { hostname, port } = new URL(service.url);
    const leave = async (sentBytes: number) => {
      const sending = request({
        hostname,
        port,
        path: "/png",
        method: "POST",
        headers: { "Content-Type": "multipart/form-data; boundary=x", "Content-Length": 12 * MiB },
      });
      sending.on("error", () => {});
      sending.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n');
      await new Promise((resolve) => sending.write(new Uint8Array(sentBytes), resolve));
      await sleep(500);
      sending.destroy();
    };
    await Promise.all([1000, 6 * MiB, 11 * MiB].map(leave));
    await eventually(async () => expect(await storedFiles()).toBe(before));
    const next = await squarePdf();
    // wrangler's proxy can close the connection that the client is about to reuse.
    await eventually(async () => {
      expect((await client.post("/png", { file: upload(next), output: "a" })).status).toBe(200);
    });
  });
});

test("a long job lets other requests in", async () => {
  const file = upload(await textPdf(100));
  let isAnswered = false;
  const startedAt = performance.now();
  const job = client.post("/png", { file, output: "long", resolution: "200" }).finally(() => {
    isAnswered = true;
  });
  let longestMs = 0;
  while (!isAnswered) {
    const askedAt = performance.now();
    expect((await fetch(`${service.url}/up`)).status).toBe(200);
    longestMs = Math.max(longestMs, performance.now() - askedAt);
    await sleep(20);
  }
  // The rejection is compared with the time of the whole job, because machines differ: a request that is not rejected
  // early takes at least that long.
  expect(longestMs).toBeLessThan((performance.now() - startedAt) / 2);
  expect((await job).body.outputId).toHaveLength(100);
});

test("more heavy jobs at once than turns: each is served or told to come back", async () => {
  const pdf = await textPdf(3);
  const answers = await Promise.all(
    Array.from({ length: 30 }, () => client.post("/png", { file: upload(pdf), output: "a", resolution: "200" })),
  );
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(17);
  for (const { status, headers, body } of answers.filter(({ status }) => status !== 200)) {
    expect([status, body.error]).toEqual([503, "The service is busy, please try again later."]);
    expect(Number(headers.get("Retry-After"))).toBeGreaterThan(0);
  }
  expect((await client.post("/png", { file: upload(pdf), output: "a" })).status).toBe(200);
});

describe("documents that explode end in a picture or a clear 4xx, and the next request works", () => {
  // These take up to 10 seconds at 72 dpi, which unit/document/engines/mupdf tests with less effort.
  const SLOW = /rectangles|groups that call/;

  test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))("%s", async (name, bytes) => {
    const { status, body } = await client.post("/png", {
      file: upload(bytes()),
      output: "a",
      pages: "1",
      resolution: SLOW.test(name) ? "12" : "72",
    });
    expect([200, 400, 401, 413, 422], body.error).toContain(status);
    expect((await client.post("/png", { file: upload(await squarePdf()), output: "a" })).status).toBe(200);
  });
});
