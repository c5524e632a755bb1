// Requests page images with paths, headers and documents that no viewer sends.
// Contract: docs/api.md#page-images, #iiif
import { beforeAll, describe, expect, test } from "vitest";
import { rawPdf } from "../fixtures/image-pdfs.ts";
import { textPdf, turnedPdf } from "../fixtures/pdfs.ts";
import { type Client, privateClient, upload } from "../support/client.ts";

let client: Client;
let id: string;

beforeAll(async () => {
  client = privateClient();
  id = await stored(await textPdf(2));
});

async function stored(content: Uint8Array | string): Promise<string> {
  const form = new FormData();
  form.append("file", upload(content, "document.pdf"));
  const response = await fetch(`${client.url}/upload`, { method: "POST", body: form });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

const get = (path: string, init?: RequestInit) => fetch(client.url + path, { redirect: "manual", ...init });
async function statusOf(path: string, init?: RequestInit): Promise<number> {
  const response = await get(path, init);
  await response.arrayBuffer();
  return response.status;
}

describe("paths", () => {
  test.each([
    [200, "full/%5E!9,9/%210/default.png"],
    [200, "full/%2150,50/!360/default.jpg"],
    [200, "pct:99.5,99.5,100,100/max/90.0/gray.png"],
    [200, "2549,3299,1,1/^8,8/180/bitonal.gif"],
    [400, "0%2C0%2C9%2C9%2C9/max/0/default.png"],
    [400, "pct:0,0,0.000001,100/max/0/default.png"],
    [400, "pct:NaN,0,1,1/max/0/default.png"],
    [400, "0,0,1e3,9/max/0/default.png"],
    [400, "0,0,999999999,0/max/0/default.png"],
    [400, "0,0,9999999999,9/max/0/default.png"],
    [400, `${encodeURIComponent("full/max")}/max/0/default.png`],
    [400, "full/!0,5/0/default.png"],
    [400, "full/!,5/0/default.png"],
    [400, "full/^^max/0/default.png"],
    [400, "full/^!max/0/default.png"],
    [400, "full/^0,0/0/default.png"],
    [400, "full/^999999999,999999999/0/default.png"],
    [400, "full/^pct:99999/0/default.png"],
    [400, "full/pct:1e2/0/default.png"],
    [400, "full/pct:0.00001/0/default.png"],
    [400, "full/9,9/!!0/default.png"],
    [400, "full/9,9/+90/default.png"],
    [400, "full/9,9/450/default.png"],
    [400, "full/9,9/0/default.PNG"],
    [400, "full/9,9/0/constructor.png"],
    [400, "full/9,9/0/default.png%00"],
    [400, "full/%FF/0/default.png"],
    [400, "full/%/0/default.png"],
    [400, "full/%EF%BC%99,/0/default.png"],
  ])("%i for %s", async (status, path) => {
    expect(await statusOf(`/iiif/${id}:1/${path}`)).toBe(status);
  });

  test("identifiers", async () => {
    const path = "full/9,/0/default.png";
    for (const name of [`${id}%3a2`, `${id}:002`]) expect(await statusOf(`/iiif/${name}/${path}`)).toBe(200);
    for (const name of [
      ...[`${id}:0`, `${id}:3`, `${id}:999999999`, `${id}:9999999999`, `${id}:-1`, `${id}:1.0`, `${id}:`, ":1", id],
      ...[
        `${id}%253A1`,
        `${id}:1:1`,
        "%00:1",
        "%FF:1",
        "..%2f..:1",
        `${id}%2F:1`,
        `${id.toUpperCase()}:1`,
        "%E2%80%AE:1",
      ],
    ]) {
      expect([name, await statusOf(`/iiif/${name}/${path}`)]).toEqual([name, 404]);
    }
  });
});

test("HEAD, ranges and conditions", async () => {
  const tile = `/iiif/${id}:1/0,0,512,512/256,256/0/default.png`;
  const whole = await get(tile);
  const { length } = Buffer.from(await whole.arrayBuffer());
  const ranged = await get(tile, { headers: { Range: "bytes=0-9" } });
  expect([ranged.status, (await ranged.arrayBuffer()).byteLength]).toEqual([200, length]);
  for (const path of [tile, "full/^3000,/0/default.tif"].map((path) =>
    path === tile ? path : `/iiif/${id}:1/${path}`,
  )) {
    const head = await get(path, { method: "HEAD" });
    expect([head.status, (await head.arrayBuffer()).byteLength]).toEqual([200, 0]);
  }
  expect(await statusOf(`/iiif/${id}:1/9999,0,1,1/max/0/default.png`, { method: "HEAD" })).toBe(400);
  expect(await statusOf(`/iiif/${id}:3/full/9,/0/default.png`, { method: "HEAD" })).toBe(404);
  for (const method of ["POST", "PUT", "DELETE", "PATCH"]) expect(await statusOf(tile, { method })).toBe(405);
  const tags = ['"x"', 'W/"x", ,', ",".repeat(9000), '"'].map((tag) => ({ headers: { "If-None-Match": tag } }));
  for (const init of tags) expect(await statusOf(tile, init)).toBe(200);
});

describe("boxes of pages", () => {
  const boxed = (more: string) => async () =>
    rawPdf({}, [{ content: "1 0 0 rg -9999 -9999 99999 99999 re f", resources: "<<>>", more }]);

  test.each([
    ["a crop box, turned, in user units", turnedPdf, [1667, 2500]],
    ["negative", boxed("/MediaBox[-100 -100 100 100]"), [833, 833]],
    ["upside down", boxed("/MediaBox[200 100 0 0]"), [833, 417]],
    ["a crop box beyond the page", boxed("/MediaBox[0 0 200 100]/CropBox[-50 -50 900 900]"), [833, 417]],
    ["turned backwards", boxed("/MediaBox[0 0 200 100]/Rotate -90"), [417, 833]],
    ["the largest", boxed("/MediaBox[0 0 14400 14400]"), [60_000, 60_000]],
  ] as const)("%s", async (_, make, size) => {
    const image = `/iiif/${await stored(await make())}:1`;
    const { width, height } = (await (await get(`${image}/info.json`)).json()) as { width: number; height: number };
    expect([width, height]).toEqual(size);
    const corner = `${width - 99},${height - 99},99,99`;
    for (const path of [`${corner}/max/0`, `${corner}/max/!90`, "full/!200,200/270", "square/9,9/0"]) {
      expect([path, await statusOf(`${image}/${path}/default.png`)]).toEqual([path, 200]);
    }
  });

  test.each([
    ["empty", "/MediaBox[0 0 0 0]"],
    ["no numbers", "/MediaBox[/A(b)null[]]"],
    ["endless", "/MediaBox[0 0 1e30 1e30]"],
    ["far away", "/MediaBox[1e9 1e9 1000000100 1000000100]"],
    ["very thin", "/MediaBox[0 0 14400 .001]"],
    ["a crop box beside the page", "/MediaBox[0 0 100 100]/CropBox[200 200 300 300]"],
    ["a wrong user unit", "/MediaBox[0 0 100 100]/UserUnit -1e20"],
    ["a wrong turn", "/MediaBox[0 0 100 100]/Rotate 1e10"],
  ])("%s: a picture or a refusal", async (_, more) => {
    const file = await stored(await boxed(more)());
    for (const path of [
      "info.json",
      "full/max/0/default.png",
      "full/!100,100/90/default.jpg",
      "square/^9,9/0/gray.png",
    ]) {
      const status = await statusOf(`/iiif/${file}:1/${path}`);
      expect([path, [200, 400, 404, 422].includes(status) ? "answered" : status]).toEqual([path, "answered"]);
    }
  });

  test("a document without pages", async () => {
    const file = await stored(rawPdf({}, []));
    for (const path of [`/iiif/${file}:1/info.json`, `/resource/${file}/pages/1.png`, `/iiif/${file}/manifest.json`]) {
      const status = await statusOf(path);
      expect([path, [200, 400, 404, 422].includes(status) ? "answered" : status]).toEqual([path, "answered"]);
    }
  });
});
