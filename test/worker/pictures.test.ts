// Renders page images inside workerd and decodes them there with @jsquash, because no native decoder runs in workerd.
import jpgModule from "@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm";
import pngModule from "@jsquash/png/codec/pkg/squoosh_png_bg.wasm";
import { beforeAll, expect, test } from "vitest";
import { parsePages } from "../../src/document/contract/pages.ts";
import { type RasterFormat, rasterizePdf } from "../../src/operations/rasterize-pdf.ts";
import { type Decoders, jsquash, type Rgba } from "../support/jsquash.ts";
import { outputsOf } from "../support/operations.ts";

/** A page of 80 x 60 points: red on the left, blue on the right, a white band at the bottom. */
const CONTENT = "1 0 0 rg 0 20 40 40 re f 0 0 1 rg 40 20 40 40 re f";
const PDF = `%PDF-1.7
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 80 60]/Contents 4 0 R>>endobj
4 0 obj<</Length ${CONTENT.length}>>stream
${CONTENT}
endstream endobj
trailer<</Root 1 0 R>>`;
const pdf = new TextEncoder().encode(PDF);

let decoders: Decoders;
beforeAll(async () => {
  decoders = await jsquash({ png: pngModule, jpg: jpgModule });
});

async function picture(format: RasterFormat): Promise<Uint8Array> {
  const params = { format, colorModel: "rgb", dpi: 144, pages: parsePages("1")! } as const;
  const [made] = await outputsOf(rasterizePdf, [pdf], params);
  return made!;
}

const colorAt = ({ data, width }: Rgba, x: number, y: number) => [
  ...data.slice((y * width + x) * 4, (y * width + x) * 4 + 3),
];

test.each(["png", "jpg"] as const)("a page as %s has its size and its colors", async (format) => {
  const decoded = await decoders[format](await picture(format));
  expect([decoded.width, decoded.height]).toEqual([160, 120]);
  const samples = { red: [40, 40], blue: [120, 40], paper: [80, 110] } as const;
  const expected = { red: [255, 0, 0], blue: [0, 0, 255], paper: [255, 255, 255] };
  for (const [name, [x, y]] of Object.entries(samples)) {
    const color = colorAt(decoded, x, y);
    const furthest = Math.max(...color.map((value, index) => Math.abs(value - expected[name as "red"][index]!)));
    expect(furthest).toBeLessThanOrEqual(format === "png" ? 0 : 3);
  }
});
