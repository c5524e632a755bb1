// Tests in workerd that a request is carried out in the region of its files, from wherever it arrives.
// Contract: docs/api.md#regions, #stored-files, #asynchronous-jobs

import { createHash } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textPdf } from "../../fixtures/pdfs.ts";
import { eventually } from "../../support/eventually.ts";
import {
  BUCKETS,
  type City,
  type RegionalService,
  type RegionName,
  startRegionalService,
} from "../../support/regions/regional-service.ts";

let service: RegionalService;
beforeAll(async () => {
  service = await startRegionalService();
});
afterAll(() => service?.[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: tests say themselves what they expect
type Json = Readonly<Record<string, any>>;
type Fields = readonly (readonly [name: string, value: string | Blob])[];

const pdfOf = async (pages: number) => new File([Buffer.from(await textPdf(pages))], "a.pdf");
/** Returns a file that is too large for a pack, and for a search for IDs. */
const large = (start = "%PDF-", bytes = 2 ** 20) => new File([start, Buffer.alloc(bytes, 7)], "large.pdf");

function formOf(fields: Fields): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}

async function post(city: City, path: string, fields: Fields, headers = {}) {
  const response = await service.request(city, path, { method: "POST", body: formOf(fields), headers });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

async function upload(city: City, ...files: readonly File[]): Promise<readonly string[]> {
  const { status, body } = await post(
    city,
    "/upload",
    files.map((file) => ["file", file] as const),
  );
  expect([status, body.error]).toEqual([200, undefined]);
  return (body.files as { id: string }[]).map(({ id }) => id);
}

const infoFrom = async (city: City, id: string) => {
  const response = await service.request(city, `/resource/${id}?format=info`);
  return { status: response.status, ...((await response.json()) as Json) };
};

/** Returns the region whose bucket has the file, alone or in a pack. */
async function regionsOfFile(id: string): Promise<readonly string[]> {
  const regions = Object.keys(BUCKETS) as RegionName[];
  const keys = await Promise.all(regions.map((region) => service.keysIn(region)));
  return regions.filter((_, index) =>
    keys[index]!.some((key) => [`files/${id}`, `packs/${id.slice(0, 19)}`].includes(key)),
  );
}

const FAR = ["Frankfurt", "Virginia", "Singapore", "Sydney"] as const;

describe("files", () => {
  test("a file is stored in the region that is nearest to its client", async () => {
    const near = { Frankfurt: "weur", Virginia: "enam", Singapore: "apac", Sydney: "oc" } as const;
    for (const city of FAR) {
      const [small, big] = await upload(city, await pdfOf(1), large());
      expect(await regionsOfFile(small!)).toEqual([near[city]]);
      expect(await regionsOfFile(big!)).toEqual([near[city]]);
    }
  });

  test("a file is found from everywhere: GET, HEAD, ranges, format=info", async () => {
    const content = await pdfOf(2);
    const bytes = Buffer.from(await content.arrayBuffer());
    const ids = await upload("Sydney", content, large());
    for (const city of FAR) {
      for (const id of ids) expect(await infoFrom(city, id)).toMatchObject({ status: 200, id });
      const url = `/resource/${ids[0]}?format=file`;
      expect(Buffer.from(await (await service.request(city, url)).arrayBuffer())).toEqual(bytes);
      const part = await service.request(city, url, { headers: { Range: "bytes=5-9" } });
      expect([part.status, await part.text()]).toEqual([206, bytes.subarray(5, 10).toString("latin1")]);
      const head = await service.request(city, url, { method: "HEAD" });
      expect([head.status, head.headers.get("Content-Length")]).toEqual([200, String(bytes.length)]);
    }
  });

  test("unknown IDs are 404 from everywhere", async () => {
    const [id] = await upload("Sydney", await pdfOf(1));
    const unknown = `1${crypto.randomUUID()}`;
    const similar = id!.slice(0, 9) + (id![9] === "0" ? "1" : "0") + id!.slice(10);
    for (const city of FAR) {
      for (const missing of [unknown, similar]) expect((await infoFrom(city, missing)).status).toBe(404);
    }
  });

  test("DELETE and /delete reach the files of all regions, and report them as deleted everywhere", async () => {
    const [first, second] = await upload("Sydney", await pdfOf(1), large());
    const [third] = await upload("Virginia", await pdfOf(1));
    expect((await service.request("Frankfurt", `/resource/${first}`, { method: "DELETE" })).status).toBe(204);
    expect((await service.request("Singapore", `/resource/${first}`, { method: "DELETE" })).status).toBe(200);
    const { body } = await post("Frankfurt", "/delete", [["ids", `${first},${second},${third}`]]);
    expect(body.deleted).toEqual([second, third]);
    expect(body.deletionResponses[first!]).toBe("File has already been deleted");
    for (const id of [first, second, third]) {
      expect((await infoFrom("Sydney", id!)).status).toBe(404);
      expect(await regionsOfFile(id!)).toEqual([]);
    }
  });
});

describe("inputs by ID", () => {
  test("a small request is carried out in the region of its file", async () => {
    const [id] = await upload("Sydney", await pdfOf(2));
    const { status, body } = await post("Frankfurt", "/png", [
      ["id", id!],
      ["output", "made"],
      ["pages", "1"],
      ["resolution", "12"],
    ]);
    expect(status).toBe(200);
    expect(await regionsOfFile(body.outputId)).toEqual(["oc"]);
    const json = await service.request("Virginia", "/png", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id, output: "made", pages: "2", resolution: "12" }),
    });
    expect(await regionsOfFile(((await json.json()) as Json).outputId)).toEqual(["oc"]);
  });

  test("a large request, and files of several regions, are read across regions", async () => {
    const [sydney] = await upload("Sydney", await pdfOf(2));
    const [virginia] = await upload("Virginia", await pdfOf(3));
    const padded = new File([Buffer.from(await textPdf(1)), Buffer.alloc(100_000, " ")], "b.pdf");
    const mixed = await post("Frankfurt", "/merged-pdf", [
      ...([
        ["id", sydney!],
        ["type", "id"],
        ["pages", "1-last"],
      ] as const),
      ...([
        ["id", virginia!],
        ["type", "id"],
        ["pages", "1-last"],
      ] as const),
      ...([
        ["file", padded],
        ["type", "file"],
        ["pages", "1-last"],
      ] as const),
      ["output", "made"],
    ]);
    expect([mixed.status, mixed.body.error]).toEqual([200, undefined]);
    expect(await infoFrom("Singapore", mixed.body.outputId)).toMatchObject({ pages: 6 });
    expect(await regionsOfFile(mixed.body.outputId)).toEqual(["weur"]);
  });

  test("errors of forwarded requests have the headers of all errors", async () => {
    const [id] = await upload("Sydney", await pdfOf(1));
    const fields = [
      ["id", id!],
      ["output", "made"],
      ["pages", "9"],
    ] as const;
    const [near, far] = [await post("Sydney", "/png", fields), await post("Frankfurt", "/png", fields)];
    expect([far.status, far.body]).toEqual([near.status, near.body]);
    expect(near.status).toBe(400);
    for (const name of ["Error", "Link", "X-Request-Id", "Server-Timing", "X-Content-Type-Options", "Vary"]) {
      expect([name, far.headers.has(name)]).toEqual([name, true]);
    }
    expect([...far.headers.keys()].sort()).toEqual([...near.headers.keys()].sort());
  });
});

describe("asynchronous jobs", () => {
  const prefer = { Prefer: "respond-async" };
  const statusFrom = async (city: City, id: string) =>
    (await (await service.request(city, `/request-status/${id}`)).json()) as Json;

  const acceptInSydney = async () => {
    const fields = [
      ["file", await pdfOf(1)],
      ["output", "made"],
    ] as const;
    return post("Sydney", "/png", fields, prefer);
  };

  test("a job runs in the region of its inputs; its status is found from everywhere", async () => {
    const [input] = await upload("Sydney", await pdfOf(1));
    const fields = [
      ["id", input!],
      ["output", "made"],
      ["resolution", "12"],
    ] as const;
    const accepted = await post("Virginia", "/png", fields, prefer);
    expect(accepted.status).toBe(202);
    const id = accepted.body.requestId;
    for (const city of FAR) {
      const done = await eventually(async () => {
        const status = await statusFrom(city, id);
        expect(status.status).toBe("completed");
        return status;
      });
      expect(await regionsOfFile(done.outputId)).toEqual(["oc"]);
    }
  });

  test("events of the status arrive in another region", async () => {
    const accepted = await acceptInSydney();
    const events = await service.request("Virginia", `/request-status/${accepted.body.requestId}`, {
      headers: { Accept: "text/event-stream" },
    });
    expect(events.headers.get("Content-Type")).toBe("text/event-stream");
    expect(await events.text()).toMatch(/"status":"completed"}\n\n$/);
  });

  test("a job is canceled from another region", async () => {
    const accepted = await acceptInSydney();
    const path = `/request-status/${accepted.body.requestId}`;
    expect((await service.request("Frankfurt", path, { method: "DELETE" })).status).toBe(204);
    for (const city of FAR) expect((await service.request(city, path)).status).toBe(404);
  });

  test("the response of a request without a job is stored in its region", async () => {
    const accepted = await post("Sydney", "/upload", [["file", await pdfOf(1)]], prefer);
    const done = await statusFrom("Frankfurt", accepted.body.requestId);
    expect(await regionsOfFile(done.files[0].id)).toEqual(["oc"]);
  });
});

describe("uploads", () => {
  const version = { "Tus-Resumable": "1.0.0" };

  test("a resumable upload continues in its region", async () => {
    const bytes = Buffer.alloc(6 * 2 ** 20, 3);
    const created = await service.request("Sydney", "/upload/tus", {
      ...{ method: "POST", headers: { ...version, "Upload-Length": String(bytes.length) } },
    });
    const { pathname } = new URL(created.headers.get("Location")!);
    const patch = (city: City, from: number, to: number) =>
      service.request(city, pathname, {
        method: "PATCH",
        headers: { ...version, "Content-Type": "application/offset+octet-stream", "Upload-Offset": String(from) },
        body: bytes.subarray(from, to),
      });
    expect((await patch("Sydney", 0, 1000)).status).toBe(204);
    const head = await service.request("Virginia", pathname, { method: "HEAD", headers: version });
    expect(head.headers.get("Upload-Offset")).toBe("1000");
    expect((await patch("Frankfurt", 1000, 1200)).status).toBe(204);
    expect((await patch("Frankfurt", 1200, bytes.length)).status).toBe(204);
    const id = pathname.split("/").at(-1)!;
    expect(await regionsOfFile(id)).toEqual(["oc"]);
    expect(await infoFrom("Virginia", id)).toMatchObject({ status: 200, size: bytes.length });
  });

  test("an upload URL works in every city", async () => {
    const made = await service.request("Sydney", "/upload/once", { method: "POST" });
    const { uploadUrl: url } = (await made.json()) as { uploadUrl: string };
    const put = await service.request("Frankfurt", new URL(url).pathname, {
      ...{ method: "PUT", body: Buffer.from(await textPdf(1)) },
    });
    const body = (await put.json()) as Json;
    expect([put.status, body.error]).toEqual([200, undefined]);
    expect(await regionsOfFile(body.files[0].id)).toEqual(["oc"]);
  });

  test("a digest in a body is not taken for the token of an upload URL", async () => {
    const sha256 = createHash("sha256").update("text").digest("hex");
    const [id] = await upload("Sydney", new File([sha256], "a.txt"));
    expect(await regionsOfFile(id!)).toEqual(["oc"]);
  });
});

test("retries with an Idempotency-Key from two cities receive one response", async () => {
  const headers = { "Idempotency-Key": crypto.randomUUID() };
  const fields = [
    ["file", await pdfOf(1)],
    ["output", "made"],
    ["resolution", "12"],
  ] as const;
  const both = await Promise.all([post("Sydney", "/png", fields, headers), post("Virginia", "/png", fields, headers)]);
  const third = await post("Frankfurt", "/png", fields, headers);
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect(new Set([...both, third].map(({ body }) => body.outputId)).size).toBe(1);
  expect(third.headers.get("Idempotent-Replayed")).toBe("true");
  expect(await regionsOfFile(third.body.outputId)).toHaveLength(1);
});

test("a tool call of an agent reaches files and upload URLs of other regions", async () => {
  const call = async (city: City, name: string, args: object) => {
    const response = await service.request(city, "/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
    });
    const [, data] = /^data: (.*)$/m.exec(await response.text()) ?? [];
    return (JSON.parse(data!) as { result: Json }).result;
  };
  const [id] = await upload("Sydney", await pdfOf(2));
  const { uploadUrl } = (await call("Singapore", "create_upload", {})).structuredContent;
  const sent = { method: "PUT", body: Buffer.from(await textPdf(3)) };
  expect((await service.request("Frankfurt", new URL(uploadUrl).pathname, sent)).status).toBe(200);
  expect((await call("Virginia", "describe_file", { file: id })).structuredContent).toMatchObject({ pages: 2 });
  const merged = await call("Virginia", "merge", { inputs: [id, uploadUrl] });
  expect(merged).toMatchObject({ structuredContent: {} });
  expect((await call("Virginia", "delete_file", { file: id })).isError).toBeUndefined();
  expect((await infoFrom("Sydney", id!)).status).toBe(404);
});

test("static pages are served where the request arrives", async () => {
  await service.control();
  for (const path of ["/up", "/docs", "/openapi.json", "/unknown"]) await service.request("Sydney", path);
  const calls = await service.control();
  expect(calls.filter(({ binding }) => binding !== "console")).toEqual([]);
});

test("a small body that stops arriving is not complete", async () => {
  const { hostname, port } = service.url;
  const socket = connect(Number(port), hostname);
  const type = "application/x-www-form-urlencoded";
  socket.write(`POST /html HTTP/1.1\r\nHost: service\r\nContent-Type: ${type}\r\nContent-Length: 60000\r\n\r\n`);
  socket.write(`output=made&content=${"x".repeat(45_000)}`);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /);
});

test("a client cannot choose the region by headers", async () => {
  const headers = { "Pagewright-Region": "enam", "Pagewright-Claims": "eu" };
  const { body } = await post("Sydney", "/upload", [["file", await pdfOf(1)]], headers);
  const id = body.files[0].id;
  expect(await regionsOfFile(id)).toEqual(["oc"]);
  const made = await post(
    "Frankfurt",
    "/png",
    [
      ["id", id],
      ["output", "made"],
      ["resolution", "12"],
    ],
    headers,
  );
  expect(await infoFrom("Singapore", made.body.outputId)).toMatchObject({ status: 200 });
  await service.control();
  await service.request("Frankfurt", `/resource/${made.body.outputId}`);
  expect((await service.control()).filter(({ binding }) => binding === "REGION_RUNNER")).toEqual([]);
});

test("the work of a forwarded request ends when its client disconnects", async () => {
  const [id] = await upload("Sydney", await pdfOf(30));
  const before = await service.keysIn("oc");
  const body = formOf([
    ["id", id!],
    ["output", "made"],
  ]);
  const answer = service.request("Frankfurt", "/bmp", { method: "POST", body, headers: { Client: "one" } });
  await eventually(async () => expect((await service.keysIn("oc")).length).toBeGreaterThan(before.length));
  await service.control({ gone: "one" });
  expect((await answer).ok).toBe(false);
  await eventually(async () => expect(await service.keysIn("oc")).toEqual(before));
});

test("expired files are removed in all regions, by an object of each region", async () => {
  await service.control();
  await service.runSchedule();
  const calls = await service.control();
  const lists = calls
    .filter(({ method, given }) => method === "list" && given.includes('"files/"'))
    .map(({ from, binding }) => `${from} ${binding}`);
  const expected = ["enam", "apac", "oc", "eu"].map((name) => `${name}/expired ${name.toUpperCase()}_FILES`);
  expect([...new Set(lists)].sort()).toEqual(["arrival FILES", ...expected].sort());
});
