// Replays the requests of existing clients, as curl, Node, PHP and Python send them, from the upload to the result.
// Contract: docs/api.md#requests, #json-bodies, #upload, #delete, #dialects, #facts-about-files
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { labeledPdf } from "../fixtures/pdfs.ts";
import { eventually } from "../support/eventually.ts";
import { textAndInfoOf } from "../support/pdf-readers.ts";

const { keyed } = inject("services");
const { host, hostname, port } = new URL(keyed.url);
const folder = mkdtempSync(join(tmpdir(), "compatibility-"));
const path = join(folder, "input.pdf");
let pdf: Buffer<ArrayBuffer>;
beforeAll(async () => {
  pdf = Buffer.from(await labeledPdf("A", 4));
  writeFileSync(path, pdf);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: as programs read it
  readonly body: any;
}

/** Sends the given bytes unchanged, each part after the previous one has been sent, and reads the response. */
async function exchange(...parts: readonly (string | Buffer)[]): Promise<Answer> {
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  for (const part of parts) {
    socket.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await once(socket, "close");
  const text = Buffer.concat(chunks).toString();
  // An interim response (1xx) can precede the final one.
  const final = text.slice(text.lastIndexOf("HTTP/1.1 "));
  const body = final.slice(final.indexOf("{"), final.lastIndexOf("}") + 1);
  return { status: Number(final.slice(9, 12)), body: JSON.parse(body) };
}
const post = (endpoint: string, headers: readonly string[], body: Buffer | string) =>
  exchange(
    `${[`POST ${endpoint} HTTP/1.1`, `Host: ${host}`, `Api-Key: ${keyed.key}`, "Connection: close", ...headers].join("\r\n")}\r\n\r\n`,
    body,
  );
const multipart = (endpoint: string, boundary: string, body: Buffer, ...headers: string[]) =>
  post(
    endpoint,
    [...headers, `Content-Type: multipart/form-data; boundary=${boundary}`, `Content-Length: ${body.length}`],
    body,
  );
/** @param parts header lines and content of each part */
const formOf = (boundary: string, parts: readonly (readonly [readonly string[], string | Buffer])[]) =>
  Buffer.concat([
    ...parts.flatMap(([headers, content]) => [
      Buffer.from(`--${boundary}\r\n${headers.join("\r\n")}\r\n\r\n`),
      Buffer.from(content),
      Buffer.from("\r\n"),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
const field = (name: string) => [`Content-Disposition: form-data; name="${name}"`];
const labelsOf = async (url: string) =>
  textAndInfoOf(new Uint8Array(await (await fetch(url)).arrayBuffer())).text.match(/[A-Z]\d/g);
const ID = /^[12][\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

describe("curl", () => {
  const curl = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)("curl", ["-sS", "-H", `Api-Key: ${keyed.key}`, ...args]);
    return stdout === "" ? undefined : JSON.parse(stdout);
  };

  test("uploads, and uses the id in JSON", async () => {
    const raw = ["-X", "POST", `${keyed.url}/upload`, "-H", "Content-Filename: input.pdf", "--data-binary", `@${path}`];
    const { files } = await curl(...raw, "-H", "Content-Type: application/octet-stream");
    expect(files).toEqual([{ name: "input.pdf", id: expect.stringMatching(ID) }]);
    const json = ["-H", "Content-Type: application/json", "--data-raw"];
    const made = await curl(`${keyed.url}/split-pdf`, ...json, JSON.stringify({ id: files[0].id, pages: ["1-2", 4] }));
    expect(await Promise.all(made.outputUrl.map(labelsOf))).toEqual([["A1", "A2"], ["A4"]]);
    const merged = await curl(
      `${keyed.url}/merged-pdf`,
      ...json,
      JSON.stringify({ id: made.outputId, type: ["id", "id"], "pages[]": ["1", "all"] }),
    );
    expect(await labelsOf(merged.outputUrl)).toEqual(["A1", "A4"]);
    const deleted = await curl(`${keyed.url}/delete`, ...json, JSON.stringify({ ids: made.outputId.join(", ") }));
    expect(deleted.deleted).toEqual(made.outputId);
    expect((await fetch(made.outputUrl[0])).status).toBe(404);
  });

  test("sends a form with everything", async () => {
    const merged = await curl(
      ...["-X", "POST", `${keyed.url}/merged-pdf`, "-H", "Accept: application/json"],
      ...["-H", "Content-Type: multipart/form-data", "-H", "Expect: 100-continue"],
      ...["-F", `file=@${path}`, "-F", "pages[]=2-last", "-F", "type[]=file"],
      ...[
        "-F",
        `file=@${path};type=application/octet-stream`,
        "-F",
        "type[]=file",
        "-F",
        "pages[]=1",
        "-F",
        "output=out",
      ],
    );
    expect(await labelsOf(merged.outputUrl)).toEqual(["A2", "A3", "A4", "A1"]);
  });

  test("sends a form without a file as a page does", async () => {
    const { files } = await curl(`${keyed.url}/upload`, "-F", `file=@${path}`);
    const urlEncoded = `id[]=${files[0].id}&pages[]=1-last&type[]=id&id[]=${files[0].id}&type[]=id&pages[]=1&output=out`;
    const merged = await curl(`${keyed.url}/merged-pdf`, "--data", urlEncoded);
    expect(await labelsOf(merged.outputUrl)).toEqual(["A1", "A2", "A3", "A4", "A1"]);
  });

  test("asks for facts, and removes", async () => {
    const { files } = await curl(`${keyed.url}/upload`, "-F", `file=@${path}`, "-F", `file=@${path};filename=b.pdf`);
    expect(files.map(({ name }: { name: string }) => name)).toEqual(["input.pdf", "b.pdf"]);
    const url = `${keyed.url}/resource/${files[0].id}`;
    expect(await curl(`${url}?format=info`)).toMatchObject({ id: files[0].id, name: "input.pdf", size: pdf.length });
    expect(await curl("-X", "DELETE", url)).toBeUndefined();
    expect((await fetch(`${url}?format=file`)).status).toBe(404);
    expect((await curl(`${keyed.url}/up`)).status).toBe("OK");
  });
});

describe("Node", () => {
  test("axios with form-data: a boundary of dashes, and a chunked body", async () => {
    const boundary = "--------------------------015926535897932384626433";
    const body = formOf(boundary, [
      [[`Content-Disposition: form-data; name="file"; filename="input.pdf"`, "Content-Type: application/pdf"], pdf],
      [field("pages"), "1,last"],
      [field("resolution"), "30"],
      [field("output"), "example"],
    ]);
    const [begin, end] = [body.subarray(0, 700), body.subarray(700)];
    const chunk = (bytes: Buffer) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from("\r\n")]);
    const { status, body: made } = await post(
      "/png",
      [
        "Accept: application/json, text/plain, */*",
        `Content-Type: multipart/form-data; boundary=${boundary}`,
        "Transfer-Encoding: chunked",
      ],
      Buffer.concat([chunk(begin), chunk(end), Buffer.from("0\r\n\r\n")]),
    );
    expect([status, made.outputUrl.length, made.outputId.length]).toEqual([200, 2, 2]);
  });

  test("fetch with FormData, as in a browser", async () => {
    const form = new FormData();
    form.append("file", new Blob([pdf], { type: "application/pdf" }), "größe.pdf");
    form.append("output_type", "PDF/A-2b");
    form.append("output", "example");
    const answer = await fetch(`${keyed.url}/pdfa`, { method: "POST", headers: { "Api-Key": keyed.key }, body: form });
    const { outputUrl, inputId } = (await answer.json()) as { outputUrl: string; inputId: string };
    expect(await labelsOf(outputUrl)).toEqual(["A1", "A2", "A3", "A4"]);
    expect(inputId).toMatch(ID);
  });

  test("a body piped to /upload without a length", async () => {
    const body = new Blob([pdf]).stream();
    const headers = { "Api-Key": keyed.key, "Content-Filename": "input.pdf", "Content-Type": "application/pdf" };
    const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
    const { files } = (await (await fetch(`${keyed.url}/upload`, init)).json()) as { files: { id: string }[] };
    expect(files[0]!.id).toMatch(ID);
  });
});

describe("PHP", () => {
  test("its curl: indexed lists, the path as the name, and no type", async () => {
    const boundary = "------------------------d74496d66958873e";
    const body = formOf(boundary, [
      [field("output"), "example"],
      [field("type[1]"), "file"],
      [field("type[0]"), "file"],
      [field("pages[1]"), "1"],
      [field("pages[0]"), "last"],
      [[`Content-Disposition: form-data; name="file"; filename="C:\\docs\\input.pdf"`], pdf],
      [
        [
          `Content-Disposition: form-data; name="file"; filename="/var/www/input.pdf"`,
          "Content-Type: application/octet-stream",
        ],
        pdf,
      ],
    ]);
    const { status, body: made } = await multipart(
      "/merged-pdf",
      boundary,
      body,
      "Accept: */*",
      "Expect: 100-continue",
    );
    expect([status, made.error]).toEqual([200, undefined]);
    expect(await labelsOf(made.outputUrl)).toEqual(["A4", "A1"]);
  });

  test("Guzzle: a length in each part", async () => {
    const boundary = "de2d3f4f9ad3c8b7b5cf3dc6cb3b5ef2ae6ba5bc";
    const body = formOf(boundary, [
      [
        [
          `Content-Disposition: form-data; name="file"; filename="input.pdf"`,
          `Content-Length: ${pdf.length}`,
          "Content-Type: application/pdf",
        ],
        pdf,
      ],
      [[...field("compression_level"), "Content-Length: 3"], "low"],
      [[...field("output"), "Content-Length: 7"], "example"],
    ]);
    const { status, body: made } = await multipart("/compressed-pdf", boundary, body);
    expect([status, made.error]).toEqual([200, undefined]);
    expect(await labelsOf(made.outputUrl)).toEqual(["A1", "A2", "A3", "A4"]);
  });
});

describe("Python", () => {
  test("requests and urllib3: names in RFC 5987 and RFC 2047", async () => {
    for (const name of [`filename*=utf-8''gr%C3%B6%C3%9Fe.pdf`, `filename="=?utf-8?B?Z3LDtsOfZS5wZGY=?="`]) {
      const boundary = "a5b0a7b2c6f64df1a6c1f0a25ad4a24c";
      const body = formOf(boundary, [
        [field("output"), "example"],
        [field("resolution"), "20"],
        [field("pages"), "1"],
        [[`Content-Disposition: form-data; name="file"; ${name}`, "Content-Type: application/pdf"], pdf],
      ]);
      const { status, body: made } = await multipart("/jpg", boundary, body);
      expect([status, made.error]).toEqual([200, undefined]);
      const info = await (await fetch(`${keyed.url}/resource/${made.inputId}?format=info`)).json();
      expect(info).toMatchObject({ name: "größe.pdf" });
    }
  });

  test("a whole program of the standard library", async () => {
    const program = `
import json, sys, urllib.request
base, key, path = sys.argv[1:4]
def call(where, data, headers):
    request = urllib.request.Request(base + where, data, {"Api-Key": key, **headers})
    return json.load(urllib.request.urlopen(request))
with open(path, "rb") as file:
    uploaded = call("/upload", file.read(), {"Content-Type": "application/octet-stream", "Content-Filename": "input.pdf"})
body = json.dumps({"id": uploaded["files"][0]["id"], "pages": "4-3"}).encode()
made = call("/tif", body, {"Content-Type": "application/json"})
name = urllib.request.urlopen(made["outputUrl"][0]).headers["Content-Disposition"].split("filename=")[1]
print(json.dumps({"name": name, "made": made}))
`;
    const args = ["-c", program, keyed.url, keyed.key, path];
    const { name, made } = JSON.parse((await promisify(execFile)("python3", args)).stdout);
    expect([name, made.outputId.length]).toEqual(["input_tif_1.tif", 2]);
  });
});

describe("of today", () => {
  const headers = { "Api-Key": keyed.key };
  const make = async (more: Record<string, string> = {}) => {
    const form = new FormData();
    form.append("file", new Blob([pdf]), "input.pdf");
    form.append("output", "example_out.PDF");
    const answer = await fetch(`${keyed.url}/linearized-pdf`, {
      method: "POST",
      body: form,
      headers: { ...headers, ...more },
    });
    return (await answer.json()) as Answer["body"];
  };
  const infoOf = async (id: string) => (await fetch(`${keyed.url}/resource/${id}?format=info`)).json();

  test("a name with the extension, the time of deletion, and two deletions", async () => {
    const { outputId } = await make();
    const info = (await infoOf(outputId)) as Answer["body"];
    expect(info.name).toBe("example_out.pdf");
    expect([info.scheduledDeletionTimeUtc, Date.parse(info.expires)]).toEqual([info.expires, expect.any(Number)]);
    const url = `${keyed.url}/resource/${outputId}`;
    expect((await fetch(url, { method: "DELETE", headers })).status).toBe(204);
    const again = await fetch(url, { method: "DELETE", headers });
    expect([again.status, await again.json()]).toEqual([200, { message: "File has already been deleted" }]);
    expect((await fetch(`${url}?format=file`)).status).toBe(404);
    expect((await fetch(url, { method: "DELETE" })).status).toBe(401);
    const unknown = await fetch(`${keyed.url}/resource/1${crypto.randomUUID()}`, { method: "DELETE", headers });
    expect(unknown.status).toBe(404);
  });

  test("a file that ends with its download counts as deleted", async () => {
    const { outputId } = await make();
    const url = `${keyed.url}/resource/${outputId}`;
    await (await fetch(`${url}?format=file&delete_after=1`, { headers })).arrayBuffer();
    await eventually(async () => expect((await fetch(url, { method: "DELETE", headers })).status).toBe(200));
  });

  test("the check of a connection: an unknown request", async () => {
    const answer = await fetch(`${keyed.url}/request-status/00000000-0000-0000-0000-000000000000`, { headers });
    const { error } = (await answer.json()) as { error: string };
    expect([answer.status, error.startsWith("requestID not found.")]).toEqual([404, true]);
  });

  test("Include-File-Info: facts about inputs and outputs, at once, later and again", async () => {
    const { inputFiles, outputFiles, inputId, outputId } = await make({ "Include-File-Info": "True" });
    const { pages: _, pageSizes: __, ...facts } = (await infoOf(outputId)) as Record<string, unknown>;
    expect([outputFiles, inputFiles.length, inputFiles[0].id]).toEqual([[facts], 1, inputId]);
    expect(await make({ "Include-File-Info": "false" })).not.toHaveProperty("outputFiles");
    const { requestId } = await make({ "Response-Type": "requestId", "Include-File-Info": "true" });
    const status = async (more: Record<string, string>) =>
      (await (await fetch(`${keyed.url}/request-status/${requestId}`, { headers: more })).json()) as Answer["body"];
    await eventually(async () => expect((await status({})).status).toBe("completed"));
    const done = await status({ "Include-File-Info": "true" });
    expect([done.requestId, done.outputFiles[0].id]).toEqual([requestId, done.outputId]);
    await fetch(`${keyed.url}/resource/${done.outputId}`, { method: "DELETE", headers });
    expect((await status({ "Include-File-Info": "true" })).outputFiles).toEqual([]);
    const form = new FormData();
    for (const name of ["a.md", "b.fdf"]) form.append("file", new Blob(["text"]), name);
    const init = { method: "POST", body: form, headers: { ...headers, "Include-File-Info": "true" } };
    const { files } = (await (await fetch(`${keyed.url}/upload`, init)).json()) as Answer["body"];
    const types = ["text/markdown", "application/vnd.fdf"];
    expect(files.map(({ type }: { type: string }) => type)).toEqual(types);
  });

  test("2022: forms without output, and downloads without format, are refused", async () => {
    const form = new FormData();
    form.append("file", new Blob([pdf]), "input.pdf");
    const answer = await fetch(`${keyed.url}/png`, { method: "POST", body: form, headers });
    expect([answer.status, await answer.json()]).toEqual([400, { error: "The 'output' field is required." }]);
    const { outputId } = await make();
    const download = await fetch(`${keyed.url}/resource/${outputId}`);
    expect([download.status, await download.json()]).toEqual([400, { error: "Invalid Request" }]);
  });
});

test("errors are an object with one field, as programs expect them", async () => {
  const { status, body } = await post("/png", ["Content-Type: application/json", "Content-Length: 2"], "{}");
  expect([status, body]).toEqual([400, { error: "This route needs a File or an ID." }]);
  const wrong = await fetch(`${keyed.url}/pdf`, {
    method: "POST",
    headers: { "Api-Key": "no" },
    body: readFileSync(path),
  });
  expect([wrong.status, await wrong.json()]).toEqual([401, { error: "The provided key is not valid." }]);
});
