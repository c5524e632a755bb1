// Tests in workerd that the loss of a region makes only its own files and jobs unavailable, until it returns.
// Contract: docs/api.md#regions, #errors

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { textPdf } from "../../fixtures/pdfs.ts";
import { eventually } from "../../support/eventually.ts";
import { type City, type RegionalService, startRegionalService } from "../../support/regions/regional-service.ts";

let service: RegionalService;
beforeAll(async () => {
  service = await startRegionalService({
    keys: { free: {}, limited: { limits: { requestsPerMinute: 1000 } }, european: { regions: ["eu"] } },
  });
});
afterAll(() => service?.[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: tests say themselves what they expect
type Json = Readonly<Record<string, any>>;
interface Posting {
  readonly key?: string;
  readonly fields: readonly (readonly [name: string, value: string | Blob])[];
  readonly headers?: object;
}

async function request(city: City, path: string, init: RequestInit = {}) {
  const headers = { "Api-Key": "free", ...init.headers };
  const response = await service.request(city, path, { ...init, headers });
  const { status } = response;
  const isJson = response.headers.get("Content-Type")?.includes("json");
  const body = (isJson ? await response.json() : void (await response.arrayBuffer())) as Json | undefined;
  return { status, error: body?.error, body: body ?? {}, retryAfter: response.headers.get("Retry-After") };
}

function post(city: City, path: string, { key = "free", fields, headers }: Posting) {
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  return request(city, path, { method: "POST", body, headers: { "Api-Key": key, ...headers } });
}

const pdf = async () => new File([Buffer.from(await textPdf(1))], "a.pdf");
const upload = async (city: City, { key = "free" } = {}) => {
  const { status, body } = await post(city, "/upload", { key, fields: [["file", await pdf()]] });
  expect(status).toBe(200);
  return body.files[0].id as string;
};
const png = (id: string) =>
  [
    ["id", id],
    ["output", "made"],
    ["resolution", "12"],
  ] as const;
const lostIn = (region: string) => ({
  status: 503,
  error: `The region ${region} is unavailable, and with it its files and jobs; please try again later.`,
  retryAfter: "30",
});
const storedIn = async (city: City, region: "oc" | "apac" | "eu", key = "free") => {
  const before = (await service.keysIn(region)).length;
  await upload(city, { key });
  expect((await service.keysIn(region)).length).toBe(before + 1);
};

describe.each(["hangs", "rejects"] as const)("a region that %s", (loss) => {
  test("its files and jobs are unavailable, everything else goes on, and nothing is lost", async () => {
    const [id, other, bound] = [
      await upload("Sydney"),
      await upload("Virginia"),
      await upload("Sydney", { key: "european" }),
    ];
    const accepted = await post("Sydney", "/png", { fields: png(id), headers: { Prefer: "respond-async" } });
    const path = `/request-status/${accepted.body.requestId}`;
    await eventually(async () => expect((await request("Sydney", path)).body.status).toBe("completed"));
    const large = [["file", new File([Buffer.alloc(100_000)], "b.bin")], ...png(id)] as const;

    await service.control({ lost: { oc: loss } });
    await eventually(() => storedIn("Sydney", "apac", "limited"));
    const unavailable = await Promise.all([
      request("Frankfurt", `/resource/${id}?format=file`),
      request("Sydney", `/resource/${id}?format=info`),
      request("Frankfurt", `/resource/${id}/pages/1.png`),
      request("Virginia", `/resource/${id}`, { method: "DELETE" }),
      request("Frankfurt", path),
      request("Sydney", path),
      request("Sydney", path, { method: "DELETE" }),
      post("Frankfurt", "/png", { fields: png(id) }),
      post("Sydney", "/png", { fields: png(id) }),
      post("Frankfurt", "/zip", { fields: large }),
      post("Frankfurt", "/png", { fields: png(id), headers: { Prefer: "respond-async" } }),
    ]);
    for (const response of unavailable) expect(response).toMatchObject(lostIn("oc"));
    expect(await request("Sydney", `/resource/${other}?format=info`)).toMatchObject({ status: 200 });
    expect(await post("Sydney", "/png", { fields: png(other) })).toMatchObject({ status: 200 });
    expect(await request("Sydney", "/docs")).toMatchObject({ status: 200 });
    await eventually(() => storedIn("Sydney", "apac"));

    await service.control({ lost: { eu: loss } });
    const headers = { "Idempotency-Key": loss };
    const inside = await Promise.all([
      request("Sydney", `/resource/${bound}?format=file`),
      post("Sydney", "/png", { key: "european", fields: png(bound), headers }),
      post("Frankfurt", "/zip", {
        key: "european",
        fields: [
          ["file", await pdf()],
          ["output", "made"],
        ],
        headers,
      }),
    ]);
    for (const response of inside) expect(response).toMatchObject(lostIn("eu"));

    await service.control();
    expect(await request("Frankfurt", `/resource/${id}?format=info`)).toMatchObject({ status: 200, body: { id } });
    expect(await request("Virginia", path)).toMatchObject({ status: 200, body: { status: "completed" } });
    expect(await post("Virginia", "/png", { key: "european", fields: png(bound), headers })).toMatchObject({
      status: 200,
    });
    await eventually(() => storedIn("Sydney", "oc"));
  });

  test("without the default region, requests in other regions go on", async () => {
    const [here, old] = [await upload("Sydney"), `1${crypto.randomUUID()}`];
    await service.control({ lost: { weur: loss } });
    expect(await request("Sydney", `/resource/${old}?format=info`)).toMatchObject(lostIn("weur"));
    await eventually(() => storedIn("Frankfurt", "eu"));
    const headers = { "Idempotency-Key": `default ${loss}`.replace(" ", "-") };
    expect(await post("Sydney", "/png", { fields: png(here), headers })).toMatchObject({ status: 200 });
    const accepted = await post("Sydney", "/png", { fields: png(here), headers: { Prefer: "respond-async" } });
    await eventually(async () => {
      const { body } = await request("Virginia", `/request-status/${accepted.body.requestId}`);
      expect(body.status).toBe("completed");
    });
    expect((await request("Frankfurt", `/resource/${here}`, { method: "DELETE" })).status).toBe(204);
    await service.control();
    expect(await request("Sydney", `/resource/${old}?format=info`)).toMatchObject({ status: 404 });
  });
});
