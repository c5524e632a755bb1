// Tests in workerd that documents of bound keys, their names and texts reach only the resources of their regions.
// Contract: docs/api.md#regions, #errors

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textPdf } from "../../fixtures/pdfs.ts";
import { eventually } from "../../support/eventually.ts";
import type { Call } from "../../support/regions/observations.ts";
import { type City, type RegionalService, startRegionalService } from "../../support/regions/regional-service.ts";

const MARK = "Zanzibar9417";
const MiB = 2 ** 20;
const BOUND = "The file is bound to the region eu: send a request without other files, or with a key of this region.";
const version = { "Tus-Resumable": "1.0.0" };

let service: RegionalService;
beforeAll(async () => {
  const limits = { requestsPerMinute: 1000, concurrentJobs: 9, megabytesPerDay: 900, storedMegabytes: 900 };
  service = await startRegionalService({
    keys: {
      european: { regions: ["eu"], limits },
      oceanic: { regions: ["apac", "oc"] },
      transatlantic: { regions: ["enam", "eu"] },
      free: {},
      counted: { limits: { storedMegabytes: 900 } },
      lost: { regions: ["wnam"] },
    },
  });
});
afterAll(() => service?.[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: tests say themselves what they expect
type Json = Readonly<Record<string, any>>;
type Fields = readonly (readonly [name: string, value: string | Blob])[];

async function post(
  city: City,
  path: string,
  { key, fields, headers }: { key: string; fields: Fields; headers?: object },
) {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  const response = await service.request(city, path, { method: "POST", body, headers: { "Api-Key": key, ...headers } });
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json };
}

const text = (bytes = 100) => new File([MARK, Buffer.alloc(bytes, " "), MARK], `${MARK}.txt`);
const pdf = async () => new File([Buffer.from(await textPdf(2)), `\n%${MARK}`], `${MARK}.pdf`);

async function upload(key: string, city: City, file: File): Promise<string> {
  const { status, body } = await post(city, "/upload", { key, fields: [["file", file]] });
  expect([status, body.error]).toEqual([200, undefined]);
  return body.files[0].id;
}

/** Checks that calls from a place outside of `eu` have no document, and calls from inside go only to resources inside. */
function expectInside(calls: readonly Call[]): void {
  const leaks = calls.filter(({ from, binding, object, given }) => {
    const isInside = binding === "EU_FILES" || object?.startsWith("eu/");
    if (binding.endsWith("FILES") && !isInside) return true;
    if (["CLAIMS", "JOBS"].includes(binding) && !isInside) return true;
    // Only an object is certain to run in its region.
    if (from === "job") return true;
    if (from === "arrival" && !["API_KEYS", "REGION_RUNNER", "console"].includes(binding)) return true;
    return !isInside && given.includes(MARK);
  });
  expect(leaks).toEqual([]);
}

describe("a key that is bound to a jurisdiction", () => {
  const key = "european";
  const requests: Readonly<Record<string, (city: City) => Promise<unknown>>> = {
    uploads: async (city) => {
      for (const file of [text(), text(MiB)]) {
        const id = await upload(key, city, file);
        for (const path of [`/resource/${id}?format=file`, `/resource/${id}?format=info`]) {
          expect((await service.request("Singapore", path)).status).toBe(200);
        }
        expect((await service.request("Virginia", `/resource/${id}?format=url`, { method: "HEAD" })).status).toBe(200);
        const headers = { "Api-Key": key };
        expect((await service.request("Virginia", `/resource/${id}`, { method: "DELETE", headers })).status).toBe(204);
      }
    },
    operations: async (city) => {
      const fields = [
        ["file", await pdf()],
        ["output", MARK],
        ["resolution", "12"],
      ] as const;
      const { body } = await post(city, "/png", { key, fields });
      const again = [
        ["id", body.inputId],
        ["output", MARK],
        ["resolution", "12"],
      ] as const;
      expect((await post("Virginia", "/png", { key, fields: again })).status).toBe(200);
      expect((await service.request(city, `/resource/${body.inputId}/pages/1.png`)).status).toBe(200);
      const html = [
        ["content", `<p>${MARK}</p>`],
        ["output", MARK],
      ] as const;
      expect((await post(city, "/html", { key, fields: html })).status).toBe(200);
      const wrong = [
        ["id", body.inputId],
        ["output", MARK],
        ["pages", MARK],
      ] as const;
      expect((await post(city, "/png", { key, fields: wrong })).status).toBe(400);
      const broken = [
        ["file", new File(["%PDF-1.7 ", MARK], `${MARK}.pdf`)],
        ["output", MARK],
      ] as const;
      expect((await post(city, "/png", { key, fields: broken })).status).toBe(400);
    },
    "asynchronous jobs": async (city) => {
      const fields = [
        ["file", await pdf()],
        ["output", MARK],
        ["resolution", "12"],
      ] as const;
      const { body } = await post(city, "/png", { key, fields, headers: { Prefer: "respond-async" } });
      const path = `/request-status/${body.requestId}`;
      await eventually(async () => {
        expect(await (await service.request("Singapore", path)).json()).toMatchObject({ status: "completed" });
      });
      expect((await service.request(city, path, { method: "DELETE", headers: { "Api-Key": key } })).status).toBe(204);
    },
    "idempotent requests": async (city) => {
      const headers = { "Idempotency-Key": `${MARK}-${city}`, Accept: "image/png" };
      const body = new FormData();
      for (const [name, value] of [
        ["file", await pdf()],
        ["output", MARK],
        ["pages", "1"],
      ] as const)
        body.append(name, value);
      const send = (from: City) =>
        service.request(from, "/png", { method: "POST", body, headers: { "Api-Key": key, ...headers } });
      expect((await (await send(city)).arrayBuffer()).byteLength).toBeGreaterThan(100);
      expect((await send("Virginia")).headers.get("Idempotent-Replayed")).toBe("true");
    },
    "resumable uploads": async (city) => {
      const headers = { ...version, "Api-Key": key };
      const metadata = `filename ${btoa(MARK)}`;
      const created = await service.request(city, "/upload/tus", {
        ...{ method: "POST", headers: { ...headers, "Upload-Length": "24", "Upload-Metadata": metadata } },
      });
      const { pathname } = new URL(created.headers.get("Location")!);
      const patch = { ...headers, "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
      const sent = { method: "PATCH", headers: patch, body: MARK + MARK };
      expect((await service.request("Virginia", pathname, sent)).status).toBe(204);
    },
    "upload URLs": async (city) => {
      const made = await service.request(city, `/upload/once?name=${MARK}`, {
        method: "POST",
        headers: { "Api-Key": key },
      });
      const { pathname } = new URL(((await made.json()) as Json).uploadUrl);
      expect((await service.request("Singapore", pathname, { method: "PUT", body: MARK })).status).toBe(200);
      expect((await service.request("Singapore", pathname)).status).toBe(200);
    },
    agents: async (city) => {
      const id = await upload(key, city, await pdf());
      const params = { name: "describe_file", arguments: { file: id } };
      const response = await service.request(city, "/mcp", {
        method: "POST",
        headers: { "Api-Key": key, "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
      });
      expect(await response.text()).toContain(MARK);
    },
  };

  test.each(Object.keys(requests))("%s stay inside", async (name) => {
    for (const city of ["Frankfurt", "Sydney"] as const) {
      await service.control();
      await requests[name]!(city);
      const calls = await service.control();
      expectInside(calls);
      expect(calls.some(({ from, given }) => from.startsWith("eu/") && given.includes(MARK))).toBe(true);
    }
  });

  test("a large upload is forwarded while it arrives", async () => {
    await service.control();
    const reached = async () => {
      const calls = await service.control();
      expect(calls.some(({ binding, method }) => binding === "EU_FILES" && method === "createMultipartUpload")).toBe(
        true,
      );
    };
    const size = 60 * MiB;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (sent === 10 * MiB) await eventually(reached);
        if (sent < size) controller.enqueue(new Uint8Array(MiB));
        else controller.close();
        sent += MiB;
      },
    });
    const headers = { ...version, "Api-Key": key, "Content-Type": "application/offset+octet-stream" };
    const create = {
      method: "POST",
      headers: { ...headers, "Upload-Length": String(size), "Content-Length": String(size) },
    };
    const response = await service.request("Sydney", "/upload/tus", { ...create, body, duplex: "half" } as RequestInit);
    expect([response.status, response.headers.get("Upload-Offset")]).toEqual([201, String(size)]);
  });
});

describe("bound files", () => {
  test("a small request of another key is carried out in the region, and its outputs are bound", async () => {
    const id = await upload("european", "Frankfurt", await pdf());
    await service.control();
    const fields = [
      ["id", id],
      ["output", MARK],
      ["resolution", "12"],
      ["pages", "1"],
    ] as const;
    const { status, body } = await post("Sydney", "/png", { key: "free", fields });
    expect(status).toBe(200);
    expect((await service.request("Sydney", `/resource/${body.outputId}?format=file`)).status).toBe(200);
    expectInside(await service.control());
  });

  test("they cannot leave with a large request, or a key of other regions", async () => {
    const id = await upload("european", "Frankfurt", await pdf());
    const large = [
      ["file", text(100_000)],
      ["id", id],
      ["output", "made"],
    ] as const;
    const small = [
      ["id", id],
      ["output", "made"],
    ] as const;
    for (const [key, fields] of [
      ["free", large],
      ["oceanic", large],
      ["oceanic", small],
    ] as const) {
      const { status, body } = await post("Sydney", "/zip", { key, fields });
      expect([status, body.error]).toEqual([403, BOUND]);
    }
    const both = `${id},${await upload("oceanic", "Sydney", text())}`;
    expect((await post("Sydney", "/delete", { key: "oceanic", fields: [["ids", both]] })).body.error).toBe(BOUND);
  });
});

test("a key of two regions uses the nearest one, with one place for its claims", async () => {
  await service.control();
  const headers = { "Idempotency-Key": MARK };
  const first = await post("Sydney", "/zip", {
    key: "oceanic",
    fields: [
      ["file", text()],
      ["output", "made"],
    ],
    headers,
  });
  const again = await post("Frankfurt", "/zip", {
    key: "oceanic",
    fields: [
      ["file", text()],
      ["output", "made"],
    ],
    headers,
  });
  expect([first.status, again.body, again.headers.get("Idempotent-Replayed")]).toEqual([200, first.body, "true"]);
  const claims = (await service.control()).filter(({ binding }) => binding === "CLAIMS");
  expect(new Set(claims.map(({ object }) => object!.split("/")[0]))).toEqual(new Set(["apac"]));
  expect((await service.keysIn("oc")).some((key) => key.startsWith("packs/") || key.startsWith("files/"))).toBe(true);
});

test("the response about another client's bound file stays in the region of the file", async () => {
  const id = await upload("european", "Frankfurt", await pdf());
  const headers = { "Idempotency-Key": "about-a-bound-file" };
  await service.control();
  const small = [
    ["id", id],
    ["output", "made"],
  ] as const;
  const { status } = await post("Frankfurt", "/zip", { key: "transatlantic", fields: small, headers });
  expect(status).toBe(200);
  const claims = (await service.control()).filter(({ binding }) => binding === "CLAIMS");
  expect(claims.length).toBeGreaterThan(0);
  expect(claims.filter(({ object }) => !object!.startsWith("eu/"))).toEqual([]);
  const large = [
    ["file", text(100_000)],
    ["id", id],
    ["output", "made"],
  ] as const;
  const refused = await post("Frankfurt", "/zip", { key: "transatlantic", fields: large, headers });
  expect([refused.status, refused.body.error]).toEqual([403, BOUND]);
  expect((await post("Frankfurt", "/zip", { key: "transatlantic", fields: large })).status).toBe(200);
});

test("a bound key cannot continue an upload that is not in its regions", async () => {
  const created = await service.request("Sydney", "/upload/tus", {
    method: "POST",
    headers: { "Api-Key": "free", "Upload-Length": "10", ...version },
  });
  const path = new URL(created.headers.get("Location")!, "http://service").pathname;
  const headers = { "Api-Key": "european", "Content-Type": "application/offset+octet-stream", "Upload-Offset": "0" };
  const init = { method: "PATCH", body: "0123456789", headers: { ...headers, ...version } };
  const response = await service.request("Sydney", path, init);
  expect([response.status, await response.json()]).toEqual([
    403,
    { error: "The upload is not in a region of the key." },
  ]);
});

test.each([
  ["POST", `/resource/2${crypto.randomUUID()}`, 405],
  ["PUT", `/upload/once/${"0".repeat(64)}`, 404],
])("the body of %s %s stays inside, although the ID belongs elsewhere", async (method, path, expected) => {
  await service.control();
  const init = { method, body: MARK, headers: { "Api-Key": "european" } };
  expect((await service.request("Sydney", path, init)).status).toBe(expected);
  expectInside(await service.control());
});

test("the bytes of deleted files are free again in the regions of the files", async () => {
  const ids = [await upload("counted", "Frankfurt", text(MiB)), await upload("counted", "Virginia", text(MiB))];
  await service.control();
  const { body } = await post("Sydney", "/delete", { key: "counted", fields: [["ids", ids.join()]] });
  expect(body.deleted).toEqual(ids);
  const removals = (await service.control()).filter(({ method }) => method === "removed");
  const regions = removals.map(({ object }) => object!.split("/").slice(0, -1).join("/"));
  expect(removals.map(({ given }) => ids.map((id) => given.includes(id)))).toEqual([
    [true, false],
    [false, true],
  ]);
  expect(regions[1]).toMatch(/^enam/);
});

test("503 if the deployment has none of the regions of a key", async () => {
  const { status, body } = await post("Sydney", "/zip", {
    key: "lost",
    fields: [
      ["file", text()],
      ["output", "made"],
    ],
  });
  expect([status, body.error]).toEqual([503, "None of the regions of the key is available."]);
});
