// Requests page images by URL, in the short form and by IIIF. Other programs decode the images, and the test compares
// them with those of the image endpoints.
// Contract: docs/api.md#page-images, #iiif, #stored-files
import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { docx, zip } from "../fixtures/office.ts";
import { encrypted, quartersPdf, textPdf, withoutXref } from "../fixtures/pdfs.ts";
import { beginning } from "../support/beginning.ts";
import { type Client, privateClient, upload } from "../support/client.ts";
import { decode, type Picture, perceptualDistance, pixel } from "../support/pictures.ts";

let client: Client;
let id: string;
/** ID of a document with four quarters in different colors. */
let quarters: string;

beforeAll(async () => {
  client = privateClient();
  id = await stored(await textPdf(3));
  quarters = await stored(await quartersPdf());
});

async function stored(content: Uint8Array | string, name = "document.pdf", headers = {}): Promise<string> {
  const form = new FormData();
  form.append("file", upload(content, name));
  const response = await fetch(`${client.url}/upload`, { method: "POST", body: form, headers });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}

const get = (path: string, init?: RequestInit) => fetch(client.url + path, { redirect: "manual", ...init });
const jsonOf = async (path: string, init?: RequestInit) => (await (await get(path, init)).json()) as never;
const errorOf = async (path: string) => {
  const response = await get(path);
  return [response.status, ((await response.json()) as { error: string }).error];
};
async function pictureOf(path: string): Promise<Picture> {
  const response = await get(path);
  expect([path, response.status]).toEqual([path, 200]);
  const format = path.replace(/\?.*/, "").slice(-3);
  return decode(new Uint8Array(await response.arrayBuffer()), format === "png" ? "opaquePng" : format);
}
const sizeOf = ({ width, height }: Picture) => [width, height];

describe("pictures of stored pages", () => {
  test("are what the image endpoints draw", async () => {
    const [file] = await client.make("/png", { id, output: "page", pages: "2", resolution: "100" });
    const same = await pictureOf(`/resource/${id}/pages/2.png?resolution=100`);
    expect(perceptualDistance(same, await decode(file!.bytes, "png"))).toBe(0);
  });

  test.each([
    ["png?width=400", [400, 518]],
    ["png?height=400", [309, 400]],
    ["jpg?width=400&height=400", [309, 400]],
    ["jpg?resolution=36", [306, 396]],
    ["png?width=5000", [5000, 6471]],
    ["jpg", [2550, 3300]],
  ] as const)("%s has the size %o", async (query, size) => {
    expect(sizeOf(await pictureOf(`/resource/${id}/pages/1.${query}`))).toEqual(size);
  });

  test("color_model and jpeg_quality", async () => {
    expect((await pictureOf(`/resource/${id}/pages/1.png?width=99&color_model=gray`)).channels).toBe(1);
    const [low, high] = await Promise.all(
      [10, 95].map(async (quality) =>
        Number(
          (await get(`/resource/${id}/pages/1.jpg?width=600&jpeg_quality=${quality}`)).headers.get("Content-Length"),
        ),
      ),
    );
    expect(low).toBeLessThan(high! / 2);
  });

  test.each([
    ["png?width=0", "0 is not within the acceptable range for width."],
    ["png?width=16385", "16385 is not within the acceptable range for width."],
    ["png?height=wide", "wide is not within the acceptable range for height."],
    ["png?height=16384&width=16384&resolution=9", "9 is not within the acceptable range for resolution."],
    ["png?resolution=2400", "2400 is not within the acceptable range for resolution."],
    ["png?color_model=cmyk", "cmyk is not within the acceptable range for color_model."],
    ["jpg?jpeg_quality=101", "101 is not within the acceptable range for jpeg_quality."],
    ["jpg?width=1&width=2", "Found more than one width key, only one is allowed."],
  ])("spec: 400 for %s", async (query, sentence) => {
    expect(await errorOf(`/resource/${id}/pages/1.${query}`)).toEqual([400, sentence]);
  });

  test.each(["4.png", "0.png", "999999999.jpg", "1.tif", "x", "-1.png"])("404 for %s", async (name) => {
    expect(await errorOf(`/resource/${id}/pages/${name}`)).toEqual([404, "That page does not exist."]);
  });

  test("404 for an unknown file, 405 for another method", async () => {
    const unknown = "10000000-0000-4000-8000-000000000000";
    expect(await errorOf(`/resource/${unknown}/pages/1.png`)).toEqual([404, "That file does not exist"]);
    expect((await get(`/resource/${id}/pages/1.png`, { method: "POST" })).status).toBe(405);
  });

  test("documents that have no pictures", async () => {
    const text = await stored("no PDF", "a.txt");
    const picture = await stored("GIF89a, but not much of it");
    expect(await errorOf(`/resource/${text}/pages/1.png`)).toEqual([400, "The input file is damaged or is not a PDF."]);
    expect(await errorOf(`/resource/${picture}/pages/1.png`)).toEqual([
      400,
      beginning("Uploaded file is not valid input for this route."),
    ]);
    const locked = await stored(encrypted(await textPdf(1), "user", "owner"));
    const damaged = await stored("%PDF-1.7\nnothing of use\n%%EOF");
    for (let again = 0; again < 2; again++) {
      expect(await errorOf(`/resource/${locked}/pages/1.png`)).toEqual([
        401,
        "The input file is password protected and cannot be processed.",
      ]);
      expect(await errorOf(`/iiif/${damaged}:1/info.json`)).toEqual([
        400,
        "The input file is damaged or is not a PDF.",
      ]);
    }
    for (const file of [text, picture, locked, damaged]) {
      expect(Object.keys(await jsonOf(`/resource/${file}?format=info`))).not.toContain("pages");
    }
  });

  test("HEAD, entity tags and conditional requests", async () => {
    const path = `/resource/${id}/pages/3.png?width=200`;
    const head = await get(path, { method: "HEAD" });
    expect(head.status).toBe(200);
    const first = await get(path);
    const again = await get(path);
    expect(first.headers.get("Cache-Control")).toBe("private, max-age=3600");
    expect(Buffer.from(await first.arrayBuffer()).equals(Buffer.from(await again.arrayBuffer()))).toBe(true);
    const tag = first.headers.get("ETag")!;
    expect([head.headers.get("ETag"), again.headers.get("ETag")]).toEqual([tag, tag]);
    expect((await get(path, { headers: { "If-None-Match": `"other", ${tag}` } })).status).toBe(304);
    expect((await get(path.replace("200", "201"), { headers: { "If-None-Match": tag } })).status).toBe(200);
    const any = { headers: { "If-None-Match": "*" } };
    expect((await get(path, any)).status).toBe(304);
    expect((await get(path.replace("3.png", "4.png"), any)).status).toBe(404);
    expect((await get(`/iiif/${id}:1/info.json`, any)).status).toBe(304);
  });

  test("are fresh no longer than their file exists", async () => {
    const own = await stored(await textPdf(1), "short.pdf", { "File-Lifetime": "600" });
    const tile = `/iiif/${own}:1/0,0,99,99/max/0/default.png`;
    for (const path of [tile, tile, `/resource/${own}/pages/1.png?width=2000`, `/iiif/${own}:1/info.json`]) {
      const { headers } = await get(path);
      const [, seconds] = /^private, max-age=(\d+)$/.exec(headers.get("Cache-Control")!)!;
      expect(Number(seconds)).toBeGreaterThan(0);
      expect(Number(seconds)).toBeLessThanOrEqual(600);
    }
  });

  test("are gone when the file is removed, also those that were drawn before", async () => {
    const own = await stored(await textPdf(2));
    const paths = [`/resource/${own}/pages/1.png?width=100`, `/iiif/${own}:2/0,0,512,512/512,512/0/default.jpg`];
    for (const path of paths) expect((await get(path)).status).toBe(200);
    const tag = (await get(paths[0]!)).headers.get("ETag")!;
    expect((await get(`/resource/${own}`, { method: "DELETE" })).status).toBe(204);
    for (const path of paths) {
      expect((await get(path)).status).toBe(404);
      expect((await get(path, { headers: { "If-None-Match": tag } })).status).toBe(404);
    }
  });
});

describe("information about a file", () => {
  test("has the number and the sizes of the pages of a PDF", async () => {
    const { pages, pageSizes } = (await jsonOf(`/resource/${id}?format=info`)) as {
      pages: number;
      pageSizes: object[];
    };
    expect([pages, pageSizes]).toEqual([3, Array(3).fill({ width: 612, height: 792 })]);
  });

  test("tells why no operation reads a file, and nothing of files that one may read", async () => {
    const pdf = await textPdf(1);
    const isNone = (what: string) => `The file is not a document that the service reads: it is ${what}.`;
    const isLocked = "The input file is password protected and cannot be processed.";
    const isDamaged = "The input file is damaged or is not a PDF.";
    const program = Buffer.concat([Buffer.from("MZ\x90\0\x03\0\0\0", "latin1"), Buffer.alloc(3000, 0xe9)]);
    const compound = Buffer.concat([Buffer.from("d0cf11e0a1b11ae1", "hex"), Buffer.alloc(2040)]);
    const isBroken = "The file is damaged: it is not a whole Office document.";
    const letter = docx({ body: "" });
    const large = docx({ body: "", media: { "noise.bin": randomBytes(5 * 2 ** 20) } });
    const flipped = Buffer.from(letter);
    flipped[letter.indexOf("word/document.xml") + 24]! ^= 0x55;
    const files: readonly (readonly [string, Uint8Array | string, string | undefined])[] = [
      ["nothing.pdf", "", "The file is empty."],
      ["nothing.docx", "", "The file is empty."],
      ["setup.pdf", program, isNone("of no known type")],
      ["setup.exe", program, isNone("of no known type")],
      ["report.docx", program, isNone("of no known type")],
      ["letter.pdf", "Dear Sir or Madam,", isNone("of no known type")],
      ["letter.txt", "Dear Sir or Madam,", undefined],
      ["moving.gif", "GIF89a\x01\0\x01\0\0\0\0;", undefined],
      ["broken.pdf", "%PDF-1.7\nnothing of it is left", isDamaged],
      ["cut.pdf", pdf.subarray(0, 60), isDamaged],
      ["locked.pdf", encrypted(pdf, "secret", "owner"), isLocked],
      ["locked.docx", Buffer.concat([compound, Buffer.from("EncryptedPackage", "utf16le")]), isLocked],
      ["cut.docx", letter.subarray(0, -40), isBroken],
      ["flipped.docx", flipped, isBroken],
      ["large.docx", large, undefined],
      ["large-and-cut.docx", large.subarray(0, -40), isBroken],
      ["photos.docx", zip({ "1.jpg": "a", "2.jpg": "b" }), isNone("a ZIP archive")],
      ["open.pdf", encrypted(pdf, "", "owner"), undefined],
      ["rebuilt.pdf", withoutXref(pdf), undefined],
      ["headless.pdf", Buffer.from(Buffer.from(pdf).toString("latin1").replace("%PDF-", "?????"), "latin1"), undefined],
      ["letter.docx", letter, undefined],
      ["backslashes.docx", zip({ "[content_types].xml": "<Types/>", "word\\document.xml": "<w/>" }), undefined],
      ["page.html", "<p>Hello</p>", undefined],
      ["table.csv", "a,b\n1,2\n", undefined],
    ];
    for (const [name, content, problem] of files) {
      const info = (await jsonOf(`/resource/${await stored(content, name)}?format=info`)) as Record<string, unknown>;
      expect([name, info.problem]).toEqual([name, problem]);
      expect([name, "pages" in info]).toEqual([name, problem === undefined && name.endsWith(".pdf")]);
    }
  });
});

describe("IIIF", () => {
  const information = (page = 1) => jsonOf(`/iiif/${id}%3A${page}/info.json`) as Promise<Record<string, never>>;

  test("info.json describes the page at 300 dpi", async () => {
    const { width, height, tiles, sizes, id: uri, profile } = await information();
    expect([width, height, profile]).toEqual([2550, 3300, "level2"]);
    expect(uri).toBe(`${client.url}/iiif/${id}%3A1`);
    expect(tiles).toEqual([{ type: "Tile", width: 512, height: 512, scaleFactors: [1, 2, 4, 8] }]);
    expect(sizes).toContainEqual({ type: "Size", width: 638, height: 825 });
  });

  test("JSON-LD if it is accepted, for pages of any origin", async () => {
    const path = `/iiif/${id}:1/info.json`;
    const [plain, linked] = await Promise.all([get(path), get(path, { headers: { Accept: "application/ld+json" } })]);
    expect(plain.headers.get("Content-Type")).toBe("application/json");
    expect(plain.headers.get("Link")).toContain("json-ld#context");
    expect(linked.headers.get("Content-Type")).toBe(
      'application/ld+json;profile="http://iiif.io/api/image/3/context.json"',
    );
    for (const { headers } of [plain, linked, await get(`/iiif/${id}:9/info.json`)]) {
      expect(headers.get("Access-Control-Allow-Origin")).toBe("*");
    }
    const preflight = await get(path, { method: "OPTIONS" });
    expect([preflight.status, preflight.headers.get("Access-Control-Allow-Methods")]).toEqual([
      204,
      "GET, HEAD, OPTIONS",
    ]);
  });

  test("the URI of a page redirects to its information", async () => {
    for (const separator of [":", "%3A"]) {
      const { status, headers } = await get(`/iiif/${id}${separator}2`);
      expect([status, headers.get("Location")]).toEqual([303, `${client.url}/iiif/${id}${separator}2/info.json`]);
    }
  });

  test.each([
    ["full/max", [2550, 3300], "full/max"],
    ["square/300,", [300, 300], "0,375,2550,2550/300,300"],
    ["0,0,1000,500/max", [1000, 500], "0,0,1000,500/max"],
    ["2000,3000,9999,9999/max", [550, 300], "2000,3000,550,300/max"],
    ["pct:50,50,50,50/pct:10", [128, 165], "1275,1650,1275,1650/128,165"],
    ["full/,330", [255, 330], "full/255,330"],
    ["full/!500,500", [386, 500], "full/386,500"],
    ["full/300,100", [300, 100], "full/300,100"],
    ["0,0,100,100/^200,", [200, 200], "0,0,100,100/^200,200"],
    ["0,0,100,100/^!900,300", [300, 300], "0,0,100,100/^300,300"],
    ["0,0,100,100/^max", [800, 800], "0,0,100,100/^max"],
  ] as const)("%s has the size %o", async (path, size, canonical) => {
    const response = await get(`/iiif/${id}:1/${path}/0/default.png`);
    expect(response.status).toBe(200);
    expect(sizeOf(await decode(new Uint8Array(await response.arrayBuffer()), "png"))).toEqual(size);
    expect(response.headers.get("Link")).toContain(
      `<${client.url}/iiif/${id}:1/${canonical}/0/default.png>; rel="canonical"`,
    );
    expect(response.headers.get("Link")).toContain('<http://iiif.io/api/image/3/level2.json>; rel="profile"');
  });

  test.each([
    ["-1,0,10,10/max/0/default.jpg", "-1,0,10,10 is not within the acceptable range for region."],
    ["0,0,0,10/max/0/default.jpg", "0,0,0,10 is not within the acceptable range for region."],
    ["2550,0,10,10/max/0/default.jpg", "2550,0,10,10 is not within the acceptable range for region."],
    ["pct:100,0,5,5/max/0/default.jpg", "pct:100,0,5,5 is not within the acceptable range for region."],
    ["full/0,/0/default.jpg", "0, is not within the acceptable range for size."],
    ["full/,/0/default.jpg", ", is not within the acceptable range for size."],
    ["full/2551,/0/default.jpg", "2551, is not within the acceptable range for size."],
    ["full/^16385,/0/default.jpg", "^16385, is not within the acceptable range for size."],
    ["0,0,10,10/^81,/0/default.jpg", "^81, is not within the acceptable range for size."],
    ["full/pct:0/0/default.jpg", "pct:0 is not within the acceptable range for size."],
    ["full/pct:100.1/0/default.jpg", "pct:100.1 is not within the acceptable range for size."],
    ["full/full/0/default.jpg", "full is not within the acceptable range for size."],
    ["full/max/45/default.jpg", "45 is not within the acceptable range for rotation."],
    ["full/max/-90/default.jpg", "-90 is not within the acceptable range for rotation."],
    ["full/max/0/native.jpg", "native is not within the acceptable range for quality."],
    ["full/max/0/default.webp", "webp is not within the acceptable range for format."],
  ])("spec: 400 for %s", async (path, sentence) => {
    expect(await errorOf(`/iiif/${id}:1/${path}`)).toEqual([400, sentence]);
  });

  test("404 for what is not there", async () => {
    expect(await errorOf(`/iiif/${id}:4/full/max/0/default.jpg`)).toEqual([404, "That page does not exist."]);
    expect(await errorOf("/iiif/a/b/full/max/0/default.jpg")).toEqual([404, "That file does not exist"]);
    for (const path of [`${id}/other.json`, `${id}:1/info.json/`, `${id}:1/full/max/0`, `${id}:1//`]) {
      expect(await errorOf(`/iiif/${path}`)).toEqual([404, "There is no such endpoint."]);
    }
  });

  test("rotation and mirroring", async () => {
    const corner = async (rotation: string) => {
      const picture = await pictureOf(`/iiif/${quarters}:1/full/max/${rotation}/default.png`);
      const far = [picture.width - 20, picture.height - 20] as const;
      return [pixel(picture, 20, 20), pixel(picture, far[0], 20), pixel(picture, ...far), pixel(picture, 20, far[1])];
    };
    const [a, b, c, d] = await corner("0");
    expect(new Set([a, b, c, d].map(String)).size).toBe(4);
    expect(await corner("90")).toEqual([d, a, b, c]);
    expect(await corner("180")).toEqual([c, d, a, b]);
    expect(await corner("270")).toEqual([b, c, d, a]);
    expect(await corner("!0")).toEqual([b, a, d, c]);
    expect(await corner("!90")).toEqual([c, b, a, d]);
  });

  test("qualities and formats", async () => {
    const part = `/iiif/${id}:1/200,2600,800,600/400,300/0`;
    expect((await pictureOf(`${part}/gray.png`)).channels).toBe(1);
    expect(new Set((await pictureOf(`${part}/bitonal.png`)).samples)).toEqual(new Set([0, 255]));
    const png = await pictureOf(`${part}/color.png`);
    for (const format of ["tif", "gif"])
      expect(perceptualDistance(await pictureOf(`${part}/color.${format}`), png)).toBe(0);
    expect(perceptualDistance(await pictureOf(`${part}/color.jpg`), png)).toBeLessThan(2);
  });

  test.each([1, 2, 4, 8])("tiles at scale factor %i are parts of one picture", async (factor) => {
    const [width, height] = [Math.ceil(2550 / factor), Math.ceil(3300 / factor)];
    const whole = await pictureOf(`/iiif/${id}:1/full/${width},${height}/0/default.png`);
    const side = 512 * factor;
    let tiles = 0;
    for (let y = 0; y < 3300; y += side) {
      for (let x = 0; x < 2550; x += side) {
        const region = [x, y, Math.min(side, 2550 - x), Math.min(side, 3300 - y)] as const;
        const size = `${Math.ceil(region[2] / factor)},${Math.ceil(region[3] / factor)}`;
        const tile = await pictureOf(`/iiif/${id}:1/${region.join(",")}/${size}/0/default.png`);
        // At the edge of a tile, the outline of a clipped shape can be rounded differently.
        expect(difference(tile, whole, x / factor, y / factor)).toBeLessThanOrEqual(4);
        tiles++;
      }
    }
    expect(tiles).toBe(Math.ceil(2550 / side) * Math.ceil(3300 / side));
  });

  test("a manifest has a canvas for each page", async () => {
    const manifest = (await jsonOf(`/iiif/${id}/manifest.json`)) as {
      type: string;
      items: { label: object; width: number; thumbnail: { id: string }[] }[];
    };
    expect(manifest.type).toBe("Manifest");
    expect(manifest.items.map(({ label, width }) => [label, width])).toEqual(
      ["1", "2", "3"].map((label) => [{ none: [label] }, 2550]),
    );
    const thumbnail = await fetch(manifest.items[2]!.thumbnail[0]!.id);
    expect([thumbnail.status, thumbnail.headers.get("Content-Type")]).toEqual([200, "image/jpeg"]);
  });

  test("many requests at once for the same and for different pictures", async () => {
    const own = await stored(await textPdf(5));
    const paths = Array.from({ length: 40 }, (_, index) => {
      const x = 256 * (index % 4);
      return `/iiif/${own}:${1 + (index % 5)}/${x},0,256,256/max/0/default.png`;
    });
    const answers = await Promise.all(paths.map((path) => get(path)));
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 200));
    for (const answer of answers)
      expect((await decode(new Uint8Array(await answer.arrayBuffer()), "png")).width).toBe(256);
  });
});

/** Returns the largest difference between a sample of a tile and the same position in the complete image. */
function difference(tile: Picture, whole: Picture, left: number, top: number): number {
  let most = 0;
  const { channels } = tile;
  for (let y = 0; y < tile.height; y++) {
    for (let at = 0; at < tile.width * channels; at++) {
      const there = whole.samples[((top + y) * whole.width + left) * channels + at]!;
      most = Math.max(most, Math.abs(tile.samples[y * tile.width * channels + at]! - there));
    }
  }
  return most;
}
