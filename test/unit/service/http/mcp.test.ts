// Tests the results of agents' tool calls: their size, the requests that they send, and the images that they contain.
// The service is a table of responses; test/http/mcp.test.ts uses a whole service.
import { describe, expect, test } from "vitest";
import { endpoints } from "../../../../src/endpoints/index.ts";
import { createTools, serveMcp } from "../../../../src/service/http/mcp/server.ts";
import { createMemoryQuota } from "../../../../src/service/storage/memory-quota.ts";

const tools = createTools(endpoints, { variant: "private" });
const INPUT = "1f7b7c0de-0c2f-4f0e-8c62-0a2b9a9a3d11";
const idOf = (index: number) => `2d0c1f2a5-7d3f-4c39-9d7e-${String(index).padStart(12, "0")}`;

/** Returns the first bytes of a PNG of the given size, including its header. */
function png(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(64);
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 0, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

/** @param picture content of each output */
function callWith(outputs: number, picture: Buffer, type = "image/png") {
  const asked: string[] = [];
  let [busy, mostBusy] = [0, 0];
  const ids = Array.from({ length: outputs }, (_, index) => idOf(index + 1));
  const dispatch = async (path: string, init: RequestInit = {}) => {
    asked.push(path);
    if (init.method === "POST") return Response.json({ outputId: outputs === 1 ? ids[0] : ids, inputId: INPUT });
    if (path.endsWith("format=info")) {
      return Response.json({
        id: INPUT,
        name: "a",
        url: "u",
        type: "t",
        size: 1,
        modified: "m",
        pages: 400,
        pageSizes: [],
      });
    }
    return new Response(new Uint8Array(path.includes("/pages/") ? Buffer.from("\xff\xd8", "latin1") : picture));
  };
  const bodies = createMemoryQuota({ perRequest: 2 ** 20, total: 2 ** 20 });
  const factsOf = async (id: string) => {
    mostBusy = Math.max(mostBusy, ++busy);
    await Promise.resolve();
    busy--;
    const url = `http://localhost:8787/resource/${id}?format=file`;
    return { id, name: "report.pdf", url, type, size: picture.length, modified: "m", expires: "e" };
  };
  return async (name: string, given: Record<string, unknown> = {}) => {
    const params = {
      name,
      arguments: { ...given, ...(name === "describe_file" ? { file: INPUT } : { input: INPUT }) },
    };
    const request = new Request("http://localhost:8787/mcp", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }),
    });
    const answer = await serveMcp(request, { tools, dispatch, factsOf, bodies });
    const text = await answer.text();
    const { result } = JSON.parse(/^data: (.*)$/m.exec(text)![1]!);
    return { result, length: text.length, asked, mostBusy, ids };
  };
}
const images = (content: readonly { type: string; mimeType: string; data: string }[]) =>
  content
    .filter(({ type }) => type === "image")
    .map(({ mimeType, data }) => [mimeType, Buffer.from(data, "base64").length]);
const small = png(200, 300);

describe("a message", () => {
  const deep = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
  const members = Array.from({ length: 150_000 }, (_, index) => `"a${index}":1`).join();
  const called = (given: string) =>
    `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"png","arguments":${given}}}`;

  test.each([
    ["nested lists", deep(400_000)],
    ["a deep argument", called(`{"input":${deep(200)}}`)],
    ["many arguments", called(`{${members}}`)],
    ["many messages", `[${"{},".repeat(300_000)}{}]`],
  ])("of %s is refused before it is parsed", async (_, body) => {
    const request = new Request("http://localhost:8787/mcp", {
      ...{ method: "POST", body },
      headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" },
    });
    const bodies = createMemoryQuota({ perRequest: 2 ** 22, total: 2 ** 22 });
    const unasked = () => Promise.reject(new Error("asked the service"));
    const served = { tools, dispatch: unasked, factsOf: unasked, bodies };
    const answer = await serveMcp(request, served);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: -32700 } }]);
  });
});

describe("the result of a call", () => {
  test.each([1, 33, 50, 400, 5000])("of %i outputs asks for the facts of a few, one after the other", async (count) => {
    const { result, asked, mostBusy, ids, length } = await callWith(count, small, "application/pdf")("split");
    expect(result.isError).toBe(undefined);
    expect(asked).toEqual(["/split-pdf"]);
    expect(mostBusy).toBe(1);
    expect(result.structuredContent.ids).toEqual(ids);
    expect(result.structuredContent.files).toHaveLength(Math.min(count, 10));
    const inText = result.content.filter(({ type }: { type: string }) => type === "text");
    expect(JSON.stringify(inText).length).toBeLessThan(6_000);
    expect(length).toBeLessThan(12_000 + count * 41);
  });

  test("has the facts that an agent needs", async () => {
    const { result, length } = await callWith(1, small, "application/pdf")("split");
    expect(Object.keys(result.structuredContent.files[0])).toEqual(["id", "name", "url", "type", "size"]);
    expect(length).toBeLessThan(1_500);
    const { result: described } = await callWith(1, small)("describe_file");
    expect(described.structuredContent).toEqual({ id: INPUT, name: "a", url: "u", type: "t", size: 1, pages: 400 });
  });
});

describe("pictures", () => {
  test("a small PNG is shown as it is, by default the first", async () => {
    const { result } = await callWith(4, small)("png", { resolution: 30 });
    expect(images(result.content)).toEqual([["image/png", small.length]]);
  });

  test.each([
    [png(5000, 10), "image/png", undefined, [1, 2]],
    [Buffer.concat([small, Buffer.alloc(2 ** 20)]), "image/png", "7,5-9", [7, 5]],
    [small, "image/tiff", "last-1", [400, 399]],
    [small, "image/bmp", [3, "9"], [3, 9]],
  ])("what is large or no PNG is drawn anew, by its page: %#", async (picture, type, pages, drawn) => {
    const { result, asked } = await callWith(2, picture, type)("tif", { show: 2, ...(pages ? { pages } : {}) });
    expect(images(result.content)).toEqual([
      ["image/jpeg", 2],
      ["image/jpeg", 2],
    ]);
    expect(asked.filter((path) => path.includes("/pages/"))).toEqual(
      drawn.map((page) => `/resource/${INPUT}/pages/${page}.jpg?width=1024&height=1024`),
    );
  });

  test("an agent chooses how many; other tools show none", async () => {
    expect(images((await callWith(2, small)("png", { show: 0 })).result.content)).toEqual([]);
    expect((await callWith(2, small)("png", { show: 4 })).result.isError).toBe(true);
    expect((await callWith(2, small)("split", { show: 1 })).result.content[0].text).toContain("no parameter show");
  });
});
