// Contract: docs/api.md#webp
// Contract: docs/api.md#avif

import { readFileSync } from "node:fs";
import { join } from "node:path";
import avifFactory from "@jsquash/avif/codec/dec/avif_dec.js";
import webpFactory from "@jsquash/webp/codec/dec/webp_dec.js";
import { describe, expect, test } from "vitest";
import avifModule from "#wasm/avif-decoder.wasm";
import webpModule from "#wasm/webp-decoder.wasm";
import { LIMITS } from "../../../src/document/contract/limits.ts";
import { parsePages } from "../../../src/document/contract/pages.ts";
import { instantiate } from "../../../src/document/engines/codecs/codec.ts";
import { drawWebImages } from "../../../src/operations/container-only/draw-web-images.ts";
import type { WebFormat, WebImageParams } from "../../../src/operations/draw-web-images.ts";
import { rasterizePdf } from "../../../src/operations/rasterize-pdf.ts";
import { corpusDir } from "../../support/corpus.ts";
import { onePage } from "../../support/hostile-pdfs.ts";
import { outputsOf } from "../../support/operations.ts";
import { decode } from "../../support/pictures.ts";

interface Decoder {
  decode(
    file: Uint8Array,
    bits?: number,
  ): { readonly width: number; readonly height: number; readonly data: Uint8Array };
}

const DECODERS = {
  webp: async () => [{ default: webpFactory }, { default: webpModule }] as const,
  avif: async () => [{ default: avifFactory }, { default: avifModule }] as const,
};
const BASE = { colorModel: "rgb", dpi: 50, pages: parsePages("1")!, quality: 75, avifQuality: 60 } as const;

async function drawn(pdf: Uint8Array, params: Partial<WebImageParams> & { readonly format: WebFormat }) {
  const [file] = await outputsOf(drawWebImages, [pdf], { ...BASE, ...params } as WebImageParams);
  const { decode } = await instantiate<Decoder>(DECODERS[params.format]);
  const { width, height, data } = decode(file!, ...(params.format === "avif" ? [8] : []));
  return { bytes: file!.length, width, height, rgba: data };
}

const PDF = readFileSync(join(corpusDir!, "pdf/amt_handbook_sample.pdf"));

describe.each(["webp", "avif"] as const)("%s", (format) => {
  test("shows the page, smaller and coarser with less quality", async () => {
    const [png] = await outputsOf(rasterizePdf, [PDF], { ...BASE, format: "png" });
    const { width, height, samples } = await decode(png!, "opaquePng");
    const differences = [];
    const sizes = [];
    for (const quality of [10, 90]) {
      const picture = await drawn(PDF, { format, quality, avifQuality: quality });
      expect([picture.width, picture.height]).toEqual([width, height]);
      const difference = samples.reduce(
        (sum, sample, at) => sum + Math.abs(sample - picture.rgba[Math.floor(at / 3) * 4 + (at % 3)]!),
        0,
      );
      differences.push(difference / samples.length);
      sizes.push(picture.bytes);
    }
    expect(differences[1]!).toBeLessThan(3);
    expect(differences[0]!).toBeGreaterThan(differences[1]!);
    expect(sizes[0]!).toBeLessThan(sizes[1]!);
  });

  test("keeps transparency, and gray", async () => {
    const pdf = onePage("1 0 0 rg 0 0 306 792 re f");
    const { width, rgba } = await drawn(pdf, { format, colorModel: "rgba", dpi: 36 });
    const at = 100 * width * 4;
    expect(rgba[at + 3]).toBe(255);
    expect(rgba[at + (width - 10) * 4 + 3]).toBe(0);
    const gray = await drawn(pdf, { format, colorModel: "gray", dpi: 36 });
    const [red, green, blue] = gray.rgba.subarray(at);
    expect(Math.max(red!, green!, blue!) - Math.min(red!, green!, blue!)).toBeLessThan(4);
  });

  test("is refused with too many pixels", async () => {
    await expect(drawn(onePage(""), { format, dpi: 2400 })).rejects.toThrow("out of range for dpi");
    expect((612 / 72) * 600 * (792 / 72) * 600).toBeLessThan(LIMITS.encodedPicturePixels);
  });
});

test("lossless WebP has the samples of the page", async () => {
  const [png] = await outputsOf(rasterizePdf, [PDF], { ...BASE, format: "png" });
  const { samples } = await decode(png!, "opaquePng");
  const { rgba } = await drawn(PDF, { format: "webp", lossless: true });
  expect(rgba.filter((_, at) => at % 4 < 3)).toEqual(new Uint8ClampedArray(samples));
});

test("each partition has its share of the pages", async () => {
  const book = readFileSync(join(corpusDir!, "pdf/pdf2image-memory-error-test-400p.pdf"));
  const all: WebImageParams = { ...BASE, format: "webp", dpi: 12, pages: parsePages("1-5")! };
  const share = (index: number) => drawWebImages.partition!(all, { share: index, shares: 2 });
  const [whole, even, odd] = await Promise.all(
    [all, share(0), share(1)].map((params) => outputsOf(drawWebImages, [book], params)),
  );
  expect([even!.length, odd!.length]).toEqual([3, 2]);
  expect(whole).toEqual([even![0], odd![0], even![1], odd![1], even![2]]);
});
