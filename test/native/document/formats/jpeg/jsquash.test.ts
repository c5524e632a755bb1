// Decodes our JPEG files with @jsquash, which has a different decoder than the native tests, and compares the two
// decoders.
import { describe, expect, test } from "vitest";
import { channelsOf } from "../../../../support/jsquash.ts";
import { jsquashInNode } from "../../../../support/jsquash-in-node.ts";
import { decode } from "../../../../support/pictures.ts";
import { encode, photograph, textPage } from "../jpeg-pictures.ts";

const decoders = await jsquashInNode();

describe("JPEG: what libjpeg-turbo decodes, within the rounding of two decoders", () => {
  /** Allows for differences in rounding of inverse transforms and chroma upsampling (ITU-T T.81 specifies neither). */
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
