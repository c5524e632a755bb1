// Tests page images as viewers request them: with OpenSeadragon in a browser, and as tiles that are compared with a
// complete image.
// Contract: docs/api.md#iiif
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { patternPdf, scanPdf, textPdf } from "../fixtures/pdfs.ts";
import { type Client, privateClient, upload } from "../support/client.ts";
import { corpusDir } from "../support/corpus.ts";
import { decode, type Picture, perceptualDistance } from "../support/pictures.ts";
import { missingBrowser, openPlainBrowser, type PlainBrowser } from "../support/plain-browser.ts";

let client: Client;
beforeAll(() => {
  client = privateClient();
});

async function stored(bytes: Uint8Array): Promise<string> {
  const form = new FormData();
  form.append("file", upload(bytes));
  const response = await fetch(`${client.url}/upload`, { method: "POST", body: form });
  return ((await response.json()) as { files: { id: string }[] }).files[0]!.id;
}
const corpusFile = (name: string) => new Uint8Array(readFileSync(join(corpusDir!, "pdf", name)));

async function pictureOf(url: string): Promise<Picture> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return decode(new Uint8Array(await response.arrayBuffer()), "opaquePng");
}

interface Information {
  readonly width: number;
  readonly height: number;
  readonly tiles: readonly { readonly width: number; readonly scaleFactors: readonly number[] }[];
}

/** Loads all tiles of a scale, and assembles them. */
async function stitched(image: string, { width, height, tiles }: Information, factor: number): Promise<Picture> {
  const side = tiles[0]!.width * factor;
  const size = { width: Math.ceil(width / factor), height: Math.ceil(height / factor) };
  const samples = new Uint8Array(size.width * size.height * 3);
  for (let y = 0; y < height; y += side) {
    for (let x = 0; x < width; x += side) {
      const [w, h] = [Math.min(side, width - x), Math.min(side, height - y)];
      const asked = [Math.ceil(w / factor), Math.ceil(h / factor)] as const;
      const tile = await pictureOf(`${image}/${x},${y},${w},${h}/${asked.join(",")}/0/default.png`);
      expect([tile.width, tile.height, tile.channels]).toEqual([...asked, 3]);
      for (let row = 0; row < tile.height; row++) {
        const from = tile.samples.subarray(row * tile.width * 3, (row + 1) * tile.width * 3);
        samples.set(from, ((y / factor + row) * size.width + x / factor) * 3);
      }
    }
  }
  return { ...size, channels: 3, samples };
}

describe.skipIf(!corpusDir)("tiles put together are the whole picture", () => {
  test.each([
    ["text", "pdf2image-memory-error-test-400p.pdf", 3],
    ["a mixed page", "amt_handbook_sample.pdf", 1],
    ["a gradient", "pattern_shading_type4_2.pdf", 1],
    ["transparency", "ColorDodge.pdf", 1],
    ["a form", "fancy_fields.pdf", 1],
    ["a page with an OCR layer", "Seige_of_Vicksburg_Sample_OCR.pdf", 3],
  ] as const)("%s", async (_, file, page) => {
    await compare(corpusFile(file), page, (factors) => factors.slice(-2));
  });
});

describe("tiles put together are the whole picture at every scale", () => {
  test.each([
    ["a scan", scanPdf],
    ["patterns and transparency", patternPdf],
  ])("%s", async (_, make) => {
    await compare(await make(), 1, (factors) => factors);
  });
});

/** Compares the tiles of some scale factors with one complete image of the page. */
async function compare(pdf: Uint8Array, page: number, choose: (factors: readonly number[]) => readonly number[]) {
  const image = `${client.url}/iiif/${await stored(pdf)}:${page}`;
  const information = (await (await fetch(`${image}/info.json`)).json()) as Information;
  for (const factor of choose(information.tiles[0]!.scaleFactors)) {
    const size = [information.width, information.height].map((side) => Math.ceil(side / factor)).join(",");
    const whole = await pictureOf(`${image}/full/${size}/0/default.png`);
    const distance = perceptualDistance(await stitched(image, information, factor), whole);
    expect(distance, `scale factor ${factor}`).toBeLessThan(0.5);
  }
}

const SIZE = [1000, 800] as const;
/** On a busy machine, a hundred tiles and a browser need long. */
const TIMEOUT_MS = 600_000;

describe.skipIf(missingBrowser())("in a browser", () => {
  const script = readFileSync(
    join(import.meta.dirname, "../../node_modules/openseadragon/build/openseadragon/openseadragon.js"),
  );
  const page = `<!doctype html><style>body { margin: 0 } #viewer { width: 1000px; height: 800px }</style>
    <div id="viewer"></div><script src="/openseadragon.js"></script>`;
  const site = createServer(({ url }, response) => {
    response.setHeader("Content-Type", url === "/openseadragon.js" ? "text/javascript" : "text/html");
    response.end(url === "/openseadragon.js" ? script : page);
  });
  let browser: PlainBrowser;

  beforeAll(async () => {
    await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
    browser = await openPlainBrowser(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`, SIZE);
    const isReady = async () => expect(await browser.evaluate("typeof OpenSeadragon")).toBe("function");
    await vi.waitFor(isReady, { timeout: 60_000, interval: 200 });
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    site.close();
  });

  test.skipIf(!corpusDir)("OpenSeadragon zooms into a page down to its full size", async () => {
    const image = `${client.url}/iiif/${await stored(corpusFile("pdf2image-memory-error-test-400p.pdf"))}:3`;
    await browser.evaluate(`(async () => {
      window.failed = [];
      // Requests lossless images, because they can be compared exactly.
      const information = await (await fetch("${image}/info.json")).json();
      window.viewer = OpenSeadragon({ id: "viewer", showNavigationControl: false, animationTime: 0, drawer: "canvas",
        crossOriginPolicy: "Anonymous", tileSources: { ...information, tileFormat: "png" }, immediateRender: true,
        imageSmoothingEnabled: false, minPixelRatio: 0.9 });
      viewer.addHandler("tile-load-failed", ({ message }) => failed.push(message));
      await new Promise((done) => viewer.addOnceHandler("open", done));
      window.settled = async () => {
        const item = viewer.world.getItemAt(0);
        const drawn = () => new Promise((done) => {
          viewer.addOnceHandler("update-viewport", done);
          viewer.forceRedraw();
        });
        // The viewer detects missing tiles while it draws, and draws them the next time, after they have arrived.
        do await drawn(); while (!item.getFullyLoaded());
        await drawn();
      };
      await settled();
    })()`);
    for (const [factor, x, y] of [
      [4, 0, 0],
      [2, 400, 1200],
      [1, 150, 100],
      [1, 1200, 900],
      [1, 1500, 2500],
    ] as const) {
      const region = [x, y, Math.min(SIZE[0] * factor, 2550 - x), Math.min(SIZE[1] * factor, 3300 - y)] as const;
      await browser.evaluate(`(async () => {
        const item = viewer.world.getItemAt(0);
        const [width, height] = [${SIZE.map((side) => side * factor).join(", ")}];
        viewer.viewport.fitBounds(item.imageToViewportRectangle(${x}, ${y}, width, height), true);
        await settled();
      })()`);
      const shown = await decode(await browser.screenshot(), "opaquePng");
      const sides = region.slice(2).map((side) => Math.ceil(side / factor));
      const part = await pictureOf(`${image}/${region.join(",")}/${sides.join(",")}/0/default.png`);
      expect(strangers(shown, part), `scale factor ${factor} from ${x}, ${y}`).toBe(0);
    }
    expect(await browser.evaluate("failed")).toEqual([]);
  });

  test(
    "a hundred tiles at once arrive, and so does a POST beside them",
    async () => {
      const image = `${client.url}/iiif/${await stored(await textPdf(4))}`;
      const tiles = Array.from({ length: 100 }, (_, index) => {
        const [x, y] = [512 * (index % 5), 512 * (Math.floor(index / 5) % 5)];
        return `${image}:${1 + (index % 4)}/${x},${y},${Math.min(512, 2550 - x)},512/max/0/default.png`;
      });
      const loaded = browser.evaluate<string[]>(`Promise.all(${JSON.stringify(tiles)}.map(async (url) => {
      const response = await fetch(url);
      const { width, height } = await createImageBitmap(await response.blob());
      return [response.status, width, height].join(" ");
    }))`);
      const files = await client.make("/png", { file: upload(await textPdf(1)), output: "beside", resolution: "100" });
      expect(files).toHaveLength(1);
      expect(await loaded).toEqual(tiles.map((_, index) => `200 ${index % 5 === 4 ? 502 : 512} 512`));
    },
    TIMEOUT_MS,
  );
});

/** At the edge of a tile, the outline of a clipped shape can be rounded differently. */
const EDGE_DIFFERENCE = 4;

/**
 * Counts the pixels of a screenshot that differ from the image's pixels at the same and at all adjacent positions.
 * OpenSeadragon enlarges each tile by one pixel to the right and downwards.
 */
function strangers(shown: Picture, { width, height, samples }: Picture): number {
  const isAt = (pixel: number, x: number, y: number) => {
    const there = (y * width + x) * 3;
    return [0, 1, 2].every(
      (channel) => Math.abs(shown.samples[pixel + channel]! - samples[there + channel]!) <= EDGE_DIFFERENCE,
    );
  };
  let count = 0;
  for (let y = 1; y < height; y++) {
    for (let x = 1; x < width; x++) {
      const pixel = (y * shown.width + x) * 3;
      const isKnown = [0, 1].some((up) => [0, 1].some((left) => isAt(pixel, x - left, y - up)));
      if (!isKnown) count++;
    }
  }
  return count;
}
