// Tests GET /resource/{id} (spec), and the behavior that HTTP clients expect for files (RFC 9110).
// Contract: docs/api.md#stored-files, #ids
import { beforeAll, describe, expect, test } from "vitest";
import { keyedClient, privateClient, upload } from "../support/client.ts";

const content = "<script>document.title = document.cookie</script>0123456789";
const client = privateClient;
const addressOf = (query: string, id: string) => `${client().url}/resource/${id}${query}`;

/** Stores three files in one request: two with the same content, and between them one of another type. */
async function several(): Promise<string[]> {
  const file = [upload(content, "page.html"), upload("a", "a.txt"), upload(content, "page.html")];
  const { body } = await client().post("/zip", { file, output: "a" });
  return body.inputId as string[];
}

describe.each([
  ["a file alone", async () => (await client().make("/html", { content, output: "page" }))[0]!.id],
  ["one that came with others", async () => (await several())[2]!],
])("GET /resource/{id}: %s", (_, make) => {
  let made: string;
  const address = (query: string, id = made) => addressOf(query, id);
  beforeAll(async () => {
    made = await make();
  });

  test("spec: format=file gives the file itself", async () => {
    const response = await fetch(address("?format=file"));
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(content);
  });

  test("spec: format=url gives an object with url, of the same shape as outputUrl", async () => {
    const response = await fetch(address("?format=url"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ url: address("?format=file") });
  });

  test.each(["", "?format=", "?format=pdf", "?format=FILE", "?format=file&format=url", "?other=file"])(
    "spec: 400 Invalid Request for the query %o",
    async (query) => {
      const response = await fetch(address(query));
      expect(response.status).toBe(400);
      expect(await response.json()).toEqual({ error: "Invalid Request" });
    },
  );

  test.each(["2d0c1f2a5-0000-4000-8000-000000000000", "nonsense", "..%2f..%2fsecret", "%00", `1${"f".repeat(3000)}`])(
    "spec: 404 for the unknown resource %s",
    async (id) => {
      for (const format of ["file", "url", "info"]) {
        const response = await fetch(address(`?format=${format}`, id));
        expect(response.status).toBe(404);
        expect(await response.json()).toEqual({ error: "That file does not exist" });
      }
    },
  );

  test("spec: needs no key in the keyed variant", async () => {
    const [file] = await keyedClient().make("/html", { content, output: "page" });
    expect(new TextDecoder().decode(file!.bytes)).toBe(content);
  });

  test("format=info tells what is known of the file", async () => {
    const info = (await (await fetch(address("?format=info"))).json()) as Record<string, unknown>;
    expect(info).toMatchObject({
      id: made,
      name: "page.html",
      type: expect.stringMatching(/^text\/html/),
      size: content.length,
    });
    expect(info.url).toBe(address("?format=file"));
    expect(Math.abs(Date.parse(String(info.modified)) - Date.now())).toBeLessThan(600_000);
  });

  test("stored HTML cannot run as a page of the service's origin", async () => {
    const { headers } = await fetch(address("?format=file"));
    expect(headers.get("Content-Disposition")).toBe("attachment; filename=page.html");
    expect(headers.get("X-Content-Type-Options")).toBe("nosniff");
    expect(headers.get("Content-Security-Policy")).toBe("sandbox; default-src 'none'");
  });

  test("HEAD answers as GET does, without a body", async () => {
    const response = await fetch(address("?format=file"), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Length")).toBe(String(content.length));
    expect(response.headers.get("Accept-Ranges")).toBe("bytes");
    expect(await response.text()).toBe("");
    const missing = await fetch(address("?format=file", "nonsense"), { method: "HEAD" });
    expect(missing.status).toBe(404);
  });

  test.each([
    ["bytes=0-3", content.slice(0, 4), `bytes 0-3/${content.length}`],
    ["bytes=-4", "6789", `bytes ${content.length - 4}-${content.length - 1}/${content.length}`],
    [`bytes=${content.length - 2}-`, "89", `bytes ${content.length - 2}-${content.length - 1}/${content.length}`],
    [`bytes=${content.length - 1}-99999`, "9", `bytes ${content.length - 1}-${content.length - 1}/${content.length}`],
  ])("Range: %s", async (range, expected, contentRange) => {
    const response = await fetch(address("?format=file"), { headers: { Range: range } });
    expect(response.status).toBe(206);
    expect(response.headers.get("Content-Range")).toBe(contentRange);
    expect(await response.text()).toBe(expected);
  });

  test.each(["bytes=0-1,4-5", "lines=1-2", "bytes=", "bytes=-", "bytes=5-2", `bytes=${" ".repeat(8_000)}x`])(
    "Range: %s is answered with the whole file",
    async (range) => {
      const response = await fetch(address("?format=file"), { headers: { Range: range } });
      expect(response.status).toBe(200);
      expect(await response.text()).toBe(content);
    },
  );

  test("Range beyond the end: 416 with the size", async () => {
    const response = await fetch(address("?format=file"), { headers: { Range: "bytes=5000-" } });
    expect(response.status).toBe(416);
    expect(response.headers.get("Content-Range")).toBe(`bytes */${content.length}`);
    expect(Object.keys((await response.json()) as object)).toEqual(["error"]);
  });

  test("ETag: If-None-Match gives 304, If-Range guards a range, If-Match that fails gives 412", async () => {
    const etag = (await fetch(address("?format=file"))).headers.get("ETag")!;
    expect(etag).toMatch(/^"[^"]+"$/);
    for (const value of [etag, `"other", W/${etag}`, "*"]) {
      const response = await fetch(address("?format=file"), { headers: { "If-None-Match": value } });
      expect([response.status, await response.text()]).toEqual([304, ""]);
      expect(response.headers.get("ETag")).toBe(etag);
    }
    const changed = await fetch(address("?format=file"), { headers: { "If-None-Match": '"other"' } });
    expect([changed.status, await changed.text()]).toEqual([200, content]);
    const current = await fetch(address("?format=file"), { headers: { Range: "bytes=0-0", "If-Range": etag } });
    expect(current.status).toBe(206);
    const outdated = await fetch(address("?format=file"), { headers: { Range: "bytes=0-0", "If-Range": '"other"' } });
    expect([outdated.status, await outdated.text()]).toEqual([200, content]);
    const other = await fetch(address("?format=file"), { headers: { "If-Match": '"other"' } });
    expect([other.status, Object.keys((await other.json()) as object)]).toEqual([412, ["error"]]);
    const modified = (await fetch(address("?format=file"))).headers.get("Last-Modified")!;
    const since = await fetch(address("?format=file"), { headers: { "If-Modified-Since": modified } });
    expect(since.status).toBe(304);
  });

  test("another method than GET, HEAD and DELETE: 405 with Allow", async () => {
    const response = await fetch(address("?format=file"), { method: "PUT" });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, "GET, HEAD, DELETE"]);
  });
});

test.each([
  ["a file alone", async () => (await client().make("/html", { content, output: "page" })).map(({ id }) => id)],
  ["one that came with others", several],
])("DELETE /resource/{id}: 204, afterwards 404: %s", async (_, make) => {
  const [id, ...others] = (await make()) as [string, ...string[]];
  expect((await fetch(addressOf("", id), { method: "DELETE" })).status).toBe(204);
  expect((await fetch(addressOf("?format=file", id))).status).toBe(404);
  expect((await fetch(addressOf("", id), { method: "DELETE" })).status).toBe(200);
  const rest = await Promise.all(others.map(async (id) => (await fetch(addressOf("?format=file", id))).text()));
  expect(rest).toEqual(others.length > 0 ? ["a", content] : []);
});
