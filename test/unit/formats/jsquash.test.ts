// Decodes our PNG and JPEG files with @jsquash, whose decoders differ from the native ones that other tests use.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { beforeAll, describe, expect, test } from "vitest";
import { encodePng } from "../../../src/formats/png/write.ts";
import { type Decoders, jsquash, type Rgba } from "../../support/jsquash.ts";
import { decode } from "../../support/pictures.ts";
import { encode, photograph, textPage } from "./jpeg-pictures.ts";
import { collect, syntheticRaster } from "./synthetic-rasters.ts";

const require = createRequire(import.meta.url);
const compiled = async (path: string) => new WebAssembly.Module(await readFile(require.resolve(path)));
let decoders: Decoders;
beforeAll(async () => {
  decoders = await jsquash({
    png: await compiled("@jsquash/png/codec/pkg/squoosh_png_bg.wasm"),
    jpg: await compiled("@jsquash/jpeg/codec/dec/mozjpeg_dec.wasm"),
  });
});

/** Returns the first channels of each pixel; gray has its value in all three. */
function channelsOf({ data }: Rgba, channels: number): Uint8Array {
  const samples = new Uint8Array((data.length / 4) * channels);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    for (let channel = 0; channel < channels; channel++) samples[to++] = data[from + channel]!;
  }
  return samples;
}

describe("PNG: the same samples", () => {
  describe.each([
    ["gray", 1],
    ["rgb", 3],
    ["rgba", 4],
  ] as const)("%s", (colorModel, channels) => {
    test.each(["gradient", "text", "noise", "gray-in-rgb", "transparent", "blank"] as const)("%s", async (kind) => {
      const raster = syntheticRaster(kind, { width: 211, height: 97, colorModel });
      const decoded = await decoders.png(collect(encodePng(raster)));
      expect([decoded.width, decoded.height]).toEqual([211, 97]);
      expect(Buffer.compare(channelsOf(decoded, channels), raster.samples)).toBe(0);
    });
  });
});

describe("JPEG: what libjpeg-turbo decodes, within the rounding of two decoders", () => {
  /** Inverse transforms and chroma upsampling may round differently (ITU-T T.81 leaves both open). */
  const ROUNDING = 3;
  describe.each([
    ["gray", 1],
    ["rgb", 3],
  ] as const)("%s", (_, channels) => {
    test.each([
      ["photograph", 50],
      ["photograph", 95],
      ["text page", 75],
      ["text page", 100],
    ] as const)("%s, quality %i", async (kind, quality) => {
      const picture = (kind === "photograph" ? photograph : textPage)(203, 131, channels);
      const file = encode(picture, quality);
      const [ours, turbo] = [await decoders.jpg(file), await decode(file, "jpg")];
      expect([ours.width, ours.height]).toEqual([203, 131]);
      const samples = channelsOf(ours, turbo.channels);
      let furthest = 0;
      for (const [at, value] of samples.entries()) furthest = Math.max(furthest, Math.abs(value - turbo.samples[at]!));
      expect(furthest).toBeLessThanOrEqual(ROUNDING);
    });
  });
});
