// Reads and searches stored PDFs by URL, by the IIIF Content Search API and by agents' tools. Poppler states where words
// are.
// Contract: docs/api.md#page-text, #search, #page-images, #iiif, #agents
import { execFileSync } from "node:child_process";
import { Client as Agent, type CallToolResult, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { beforeAll, describe, expect, test } from "vitest";
import { PdfBuilder } from "../fixtures/pdf-builder.ts";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { type Client, privateClient, upload } from "../support/client.ts";
import { withFile } from "../support/pdf-readers.ts";
import { decode, type Picture, pixel } from "../support/pictures.ts";

const PAGES = 40;
let client: Client;
let pdf: Uint8Array;
let id: string;

beforeAll(async () => {
  client = privateClient();
  pdf = await textPdf(PAGES);
  id = await stored(pdf);
});

async function stored(content: Uint8Array | string, name = "document.pdf"): Promise<string> {
  const form = new FormData();
  form.append("file", upload(content, name));
  const response = await fetch(`${client.url}/upload`, { method: "POST", body: form });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

const get = (path: string, init?: RequestInit) => fetch(client.url + path, init);
async function jsonOf<T>(path: string): Promise<T> {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  return (await response.json()) as T;
}
const errorOf = async (path: string) => {
  const response = await get(path);
  return [response.status, ((await response.json()) as { error: string }).error];
};

type Box = [left: number, bottom: number, right: number, top: number];
interface Result {
  readonly total: number;
  readonly hits: readonly { page: number; boxes: Box[]; before: string; match: string; after: string }[];
  readonly next?: string;
}

/** Returns the box of a word on a page, as Poppler finds it, from the lower left corner. */
function boxByPoppler(word: string, page: number): Box {
  const args = ["-bbox", "-f", String(page), "-l", String(page)];
  const html = withFile(pdf, (path) => execFileSync("pdftotext", [...args, path, "-"], { encoding: "utf8" }));
  const found = new RegExp(`xMin="([^"]+)" yMin="([^"]+)" xMax="([^"]+)" yMax="([^"]+)">${word}<`).exec(html)!;
  const [left, top, right, bottom] = found.slice(1).map(Number) as Box;
  return [left, 792 - bottom, right, 792 - top];
}

/** Compares boxes. Programs differ in how high they regard the letters of a font. */
function expectPlace(box: readonly number[], other: readonly number[], fontSize: number): void {
  const tolerances = [1, fontSize / 2, 1, fontSize / 2];
  const apart = box.map((side, at) => Math.abs(side - other[at]!) < tolerances[at]!);
  expect([box, other, apart]).toEqual([box, other, [true, true, true, true]]);
}

describe("text of pages", () => {
  test("as text", async () => {
    const response = await get(`/resource/${id}/pages/2.txt`);
    expect(response.headers.get("Content-Type")).toBe("text/plain; charset=utf-8");
    expect(await response.text()).toBe("2\nThe quick brown fox jumps over the lazy dog.\n");
  });

  test("as Markdown", async () => {
    const own = await stored(await textPdf(1));
    const response = await get(`/resource/${own}/pages/1.md`);
    expect(response.headers.get("Content-Type")).toBe("text/markdown; charset=utf-8");
    expect(await response.text()).toMatch(/^(# )?1\n\nThe quick brown fox jumps over the lazy dog\.\n\n$/);
  });

  test("as JSON with the places of words", async () => {
    const page = await jsonOf<{ page: number; width: number; words: { text: string; box: Box }[]; blocks: object[] }>(
      `/resource/${id}/pages/40.json`,
    );
    expect([page.page, page.width, page.blocks.length]).toEqual([40, 612, 2]);
    const fox = page.words.find(({ text }) => text === "fox")!;
    expectPlace(fox.box, boxByPoppler("fox", 40), 12);
  });

  test("has conditional requests, and the headers alone", async () => {
    const path = `/resource/${id}/pages/1.txt`;
    const ETag = (await get(path, { method: "HEAD" })).headers.get("ETag")!;
    expect((await get(path, { headers: { "If-None-Match": ETag } })).status).toBe(304);
  });

  test("is the same after a search, as its tag", async () => {
    // The word is whole on page 20, which the index knows, but not the text of pages 1 to 16.
    const builder = new PdfBuilder();
    for (let page = 1; page <= 20; page++) {
      const first = page === 1 ? "(a well-) Tj 0 -14 Td (known fact)" : page === 20 ? "(wellknown)" : "(other)";
      builder.page(`BT /F 12 Tf 60 180 Td ${first} Tj ${"0 -14 Td (A line of words.) Tj ".repeat(6)} ET`);
    }
    const own = await stored(builder.bytes());
    const read = async () => {
      const response = await get(`/resource/${own}/pages/1.txt`);
      return [response.headers.get("ETag"), await response.text()];
    };
    const before = await read();
    await jsonOf(`/resource/${own}/search?q=wellknown`);
    expect(await read()).toEqual(before);
  });

  test("errors are those of page images", async () => {
    expect(await errorOf(`/resource/${id}/pages/41.txt`)).toEqual([404, "That page does not exist."]);
    expect(await errorOf(`/resource/${id}/pages/0.json`)).toEqual([404, "That page does not exist."]);
    const locked = await stored(encrypted(await textPdf(1), "secret", "owner"));
    for (const path of [`/resource/${locked}/pages/1.txt`, `/resource/${locked}/search?q=fox`]) {
      expect(await errorOf(path)).toEqual(await errorOf(`/resource/${locked}/pages/1.png`));
    }
    const html = await stored("<p>Hello", "a.html");
    expect(await errorOf(`/resource/${html}/search?q=a`)).toEqual(await errorOf(`/resource/${html}/pages/1.png`));
  });
});

describe("search", () => {
  test("finds each page, in portions", async () => {
    const pages: number[] = [];
    let path: string | undefined = `/resource/${id}/search?q=FOX&limit=15`;
    while (path !== undefined) {
      const result: Result = await jsonOf(path);
      expect(result.total).toBe(PAGES);
      pages.push(...result.hits.map(({ page }) => page));
      path = result.next?.slice(client.url.length);
    }
    expect(pages).toEqual(Array.from({ length: PAGES }, (_, index) => index + 1));
  });

  test("states the place and the words around", async () => {
    const { total, hits } = await jsonOf<Result>(`/resource/${id}/search?q=${encodeURIComponent('"brown fox" 33')}`);
    expect([total, hits.map(({ page, match }) => [page, match])]).toEqual([
      2,
      [
        [33, "33"],
        [33, "brown fox"],
      ],
    ]);
    expect(hits[1]).toMatchObject({ before: "33 The quick", after: "jumps over the lazy dog." });
    const [left] = boxByPoppler("brown", 33);
    const [, , right] = boxByPoppler("fox", 33);
    expect(Math.abs(hits[1]!.boxes[0]![0] - left)).toBeLessThan(1);
    expect(Math.abs(hits[1]!.boxes[0]![2] - right)).toBeLessThan(1);
  });

  test("finds nothing", async () => {
    expect(await jsonOf(`/resource/${id}/search?q=zebra`)).toEqual({ query: "zebra", total: 0, offset: 0, hits: [] });
  });

  test("rejects invalid parameters", async () => {
    expect(await errorOf(`/resource/${id}/search`)).toEqual([400, "The 'q' field is required."]);
    expect(await errorOf(`/resource/${id}/search?q=a&limit=0`)).toEqual([
      400,
      "0 is not within the acceptable range for limit.",
    ]);
  });

  test("finds nothing in a deleted document", async () => {
    const own = await stored(await textPdf(1));
    await jsonOf(`/resource/${own}/search?q=fox`);
    await get(`/resource/${own}`, { method: "DELETE" });
    expect((await errorOf(`/resource/${own}/search?q=fox`))[0]).toBe(404);
    expect((await errorOf(`/resource/${own}/pages/1.txt`))[0]).toBe(404);
  });
});

test("a picture marks the hits, and nothing else", async () => {
  const drawn = async (query: string): Promise<Picture> => {
    const response = await get(`/resource/${id}/pages/3.png?width=612${query}`);
    return decode(new Uint8Array(await response.arrayBuffer()), "opaquePng");
  };
  const [plain, marked] = [await drawn(""), await drawn("&highlight=fox")];
  const [left, bottom, right, top] = boxByPoppler("fox", 3);
  let changed = 0;
  for (let y = 0; y < 792; y++) {
    for (let x = 0; x < 612; x++) {
      if (String(pixel(plain, x, y)) === String(pixel(marked, x, y))) continue;
      changed++;
      expect([x > left - 3, x < right + 3, 792 - y > bottom - 8, 792 - y < top + 8]).toEqual([true, true, true, true]);
    }
  }
  expect(changed).toBeGreaterThan(50);
});

test("a page that is too complex ends the search, but not the text of pages far from it", async () => {
  const builder = new PdfBuilder();
  for (let page = 1; page <= 16; page++) builder.page(`Page ${page}`);
  builder.page(`BT /F 1 Tf ${`(${"a".repeat(1000)}) Tj `.repeat(501)} ET`);
  const other = await stored(builder.bytes());
  const tooComplex = [422, "The input file is too complex to be processed."];
  expect(await errorOf(`/resource/${other}/search?q=page`)).toEqual(tooComplex);
  expect(await (await get(`/resource/${other}/pages/1.txt`)).text()).toBe("Page 1\n");
  expect(await errorOf(`/resource/${other}/pages/17.txt`)).toEqual(tooComplex);
});

describe("IIIF Content Search", () => {
  const hits = (annotations: readonly { target: string }[]) => annotations.map(({ target }) => target.split("#"));

  test("the manifest refers to a search whose annotations are on canvases", async () => {
    interface Manifest {
      readonly service: readonly { id?: string; type?: string; "@id"?: string }[];
      readonly items: readonly { id: string; width: number; height: number }[];
    }
    const { service, items } = await jsonOf<Manifest>(`/iiif/${id}/manifest.json`);
    const current = service.find(({ type }) => type === "SearchService2")!;
    const found = await jsonOf<{ type: string; items: { target: string }[]; annotations: object[] }>(
      `${current.id!.slice(client.url.length)}?q=37`,
    );
    expect([found.type, found.items.length]).toEqual(["AnnotationPage", 1]);
    const [[canvas, place]] = hits(found.items) as [[string, string]];
    expect(canvas).toBe(items[36]!.id);
    const [x, y, width, height] = place.slice("xywh=".length).split(",").map(Number) as Box;
    const scale = items[36]!.width / 612;
    const { height: canvasHeight } = items[36]!;
    const sides = [x, canvasHeight - y - height, x + width, canvasHeight - y].map((side) => side / scale);
    expectPlace(sides, boxByPoppler("37", 37), 153);
    expect(JSON.stringify(found.annotations)).toContain('"exact":"37"');
    const old = service.find((one) => one["@id"] !== undefined)!;
    const list = await jsonOf<{ resources: { on: string }[] }>(`${old["@id"]!.slice(client.url.length)}?q=37`);
    expect(list.resources[0]!.on).toBe(found.items[0]!.target);
  });

  test("pages of any origin read it, and its parameters are checked", async () => {
    const response = await get(`/iiif/${id}/search?q=fox&motivation=painting`);
    expect([response.status, response.headers.get("Access-Control-Allow-Origin")]).toEqual([200, "*"]);
    expect((await errorOf(`/iiif/${id}/search?q=fox&page=0`))[0]).toBe(400);
  });
});

test("an agent searches, reads and sees pages", async () => {
  const agent = new Agent({ name: "test", version: "1" });
  await agent.connect(new StreamableHTTPClientTransport(new URL(`${client.url}/mcp`)) as never);
  const call = async (name: string, args: object) =>
    (await agent.callTool({ name, arguments: { file: id, ...args } })) as CallToolResult;
  try {
    const found = await call("search_pages", { query: '"38"', limit: 1 });
    expect(found.structuredContent).toMatchObject({ total: 1, hits: [{ page: 38 }] });
    const many = await call("search_pages", { query: "fox", limit: 1 });
    expect(many.structuredContent).not.toHaveProperty("next");
    expect(await call("search_pages", { query: "" })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("`query`") }],
    });
    const read = await call("read_pages", { pages: "38-last" });
    expect(read.content[0]).toMatchObject({
      text: expect.stringMatching(/\[p38:\d+,\d+,\d+,\d+\] The quick brown fox/),
    });
    const seen = await call("look_at_page", { page: 38, highlight: "fox" });
    expect(seen.content[0]).toMatchObject({ type: "image", mimeType: "image/jpeg" });
    const wrong = await call("read_pages", { pages: "99" });
    expect(wrong.isError).toBe(true);
    const errors = [
      await call("look_at_page", { page: 99 }),
      await call("read_pages", { file: await stored(encrypted(await textPdf(1), "secret", "owner")) }),
    ].map(({ isError, content: [first] }) => [isError, first]);
    expect(errors).toEqual([
      [true, { type: "text", text: "That page does not exist." }],
      [true, { type: "text", text: "The input file is password protected and cannot be processed." }],
    ]);
  } finally {
    await agent.close();
  }
});
