// Tests file responses of every endpoint, by Accept and Prefer, in both variants.
// Contract: docs/api.md#file-responses, #server-timing, #responses
import { beforeAll, describe, expect, inject, test } from "vitest";
import { storedObjects } from "../faults/stored-objects.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { createClient, keyedClient, privateClient, upload } from "../support/client.ts";
import { startService } from "../support/service.ts";
import { readStreamedZip } from "../support/streamed-zip.ts";

let one: Uint8Array;
let three: Uint8Array;
beforeAll(async () => {
  [one, three] = await Promise.all([textPdf(1, [300, 200]), textPdf(3, [300, 200])]);
});

type Fields = Record<string, string | File | readonly (string | File)[]>;

async function ask(
  path: string,
  fields: Fields,
  headers: Record<string, string>,
  variant: "private" | "keyed" = "private",
) {
  const form = new FormData();
  for (const [name, given] of Object.entries(fields)) for (const value of [given].flat()) form.append(name, value);
  const { url } = variant === "private" ? privateClient() : keyedClient();
  const key: Record<string, string> = variant === "keyed" ? { "Api-Key": inject("services").keyed.key } : {};
  return fetch(url + path, { method: "POST", body: form, headers: { ...headers, ...key } });
}

const pdf = () => upload(one);

describe.each(["private", "keyed"] as const)("in the %s variant", (variant) => {
  test.each(["*/*", "application/json", "application/json, text/plain, */*", "application/*"])(
    "Accept: %s gives JSON",
    async (accept) => {
      const response = await ask("/png", { file: pdf(), output: "made" }, { Accept: accept }, variant);
      expect(response.headers.get("Content-Type")).toBe("application/json");
      expect(response.headers.get("Vary")).toContain("Accept");
      expect(await response.json()).toHaveProperty("outputId");
    },
  );

  test("Prefer: return=representation; store: the same file by its id", async () => {
    const headers = { Accept: "image/png", Prefer: "return=representation; store" };
    const response = await ask("/png", { file: pdf(), output: "made" }, headers, variant);
    const id = response.headers.get("Output-Id");
    expect(response.headers.get("Preference-Applied")).toBe("return=representation");
    const bytes = Buffer.from(await response.arrayBuffer());
    const { url } = inject("services")[variant];
    const stored = await fetch(`${url}/resource/${id}?format=file`);
    expect(stored.headers.get("Content-Disposition")).toBe("attachment; filename=made_1.png");
    expect(bytes.equals(Buffer.from(await stored.arrayBuffer()))).toBe(true);
  });
});

test("nothing is stored, neither the output nor the upload", async () => {
  const service = await startService({ variant: "private" });
  try {
    for (const [path, accept] of [
      ["png", "image/png"],
      ["png", "application/zip"],
      ["html", "text/html"],
    ] as const) {
      const form = new FormData();
      form.append("file", upload(three));
      form.append("content", "<p>");
      form.append("output", "made");
      form.append("pages", "2");
      const response = await fetch(`${service.url}/${path}`, {
        method: "POST",
        body: form,
        headers: { Accept: accept },
      });
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    const stored = await createClient(service.url).post("/html", { content: "<p>", output: "made" });
    expect(stored.status).toBe(200);
    expect(storedObjects(service.persistTo)).toMatchObject({ keys: [`files/${stored.body.outputId}`] });
  } finally {
    await service.stop();
  }
});

test("outputSize is told where there is one output, and nowhere else", async () => {
  const client = privateClient();
  const single = await client.post("/png", { file: pdf(), output: "made" });
  const file = await fetch(String(single.body.outputUrl));
  expect(single.body.outputSize).toBe(Number(file.headers.get("Content-Length")));
  expect(single.headers.get("Server-Timing")).toMatch(/^receive;dur=\d+, wait;dur=\d+, engine;dur=\d+, store;dur=\d+$/);
  for (const path of ["/png", "/split-pdf"]) {
    expect((await client.post(path, { file: upload(three), output: "made" })).body).not.toHaveProperty("outputSize");
  }
});

describe("several outputs", () => {
  test.each([
    ["/png", { resolution: "72" }],
    ["/tif", { resolution: "72" }],
    ["/split-pdf", {}],
  ])("%s as an archive", async (path, fields) => {
    const response = await ask(path, { file: upload(three), output: "made", ...fields }, { Accept: "application/zip" });
    expect(response.headers.get("Content-Type")).toBe("application/zip");
    expect(response.headers.get("Content-Disposition")).toBe("attachment; filename=made.zip");
    const entries = await readStreamedZip(response.body!);
    const extension = path === "/split-pdf" ? "pdf" : path.slice(1);
    expect([...entries.keys()]).toEqual([1, 2, 3].map((number) => `made_${number}.${extension}`));
  });

  test("as one image: 406; or JSON, if that is accepted too", async () => {
    const fields = { file: upload(three), output: "made" };
    const refused = await ask("/png", fields, { Accept: "image/png" });
    expect([refused.status, await refused.json()]).toEqual([
      406,
      { error: "The response is available only as application/json, application/zip." },
    ]);
    const stored = await ask("/png", fields, { Accept: "image/png, application/json;q=0.1" });
    expect(((await stored.json()) as { outputId: string[] }).outputId).toHaveLength(3);
  });

  test("an archive that is stored has one id", async () => {
    const headers = { Accept: "application/zip", Prefer: "return=representation; store" };
    const response = await ask("/split-pdf", { file: upload(three) }, headers);
    expect(response.headers.get("Output-Id")).toMatch(/^2[0-9a-f-]{36}$/);
    expect((await readStreamedZip(response.body!)).size).toBe(3);
  });
});

test("an error is JSON, whatever is accepted, and its time is told too", async () => {
  const response = await ask(
    "/png",
    { file: upload(encrypted(one, "user", "owner")), output: "made" },
    { Accept: "image/png" },
  );
  expect([response.status, await response.json()]).toEqual([
    401,
    { error: "The input file is password protected and cannot be processed." },
  ]);
  expect(response.headers.get("Server-Timing")).toContain("receive;dur=");
  expect(response.headers.get("Vary")).toBe("Accept");
});

test("what documents lost is told in a header", async () => {
  const fields = { file: upload(encrypted(one, "", "owner")), output: "made", "type[]": "file", "pages[]": "1" };
  const response = await ask("/merged-pdf", fields, { Accept: "application/pdf" });
  expect(response.headers.get("Notices")).toBe('"protection by an owner password was removed"');
});

test("a large answer is sent while it is made, and a client that leaves makes room for the next", async () => {
  const large = { file: pdf(), output: "made", resolution: "720" };
  const leaving = new AbortController();
  const form = new FormData();
  for (const [name, value] of Object.entries(large)) form.append(name, value);
  const response = await fetch(`${privateClient().url}/bmp`, {
    method: "POST",
    body: form,
    headers: { Accept: "image/bmp" },
    signal: leaving.signal,
  });
  expect(response.headers.get("Content-Length")).toBeNull();
  await response.body!.getReader().read();
  leaving.abort();
  const next = await ask("/bmp", { ...large, file: pdf() }, { Accept: "image/bmp" });
  // 3000 by 2000 pixels of three bytes, after a header of 54 bytes.
  expect((await next.arrayBuffer()).byteLength).toBe(54 + 18_000_000);
});
