// Decodes our PNG files with @jsquash, which has a different decoder than the native tests.
import { describe, expect, test } from "vitest";
import { encodePng } from "../../../../../src/document/formats/png/write.ts";
import { channelsOf } from "../../../../support/jsquash.ts";
import { jsquashInNode } from "../../../../support/jsquash-in-node.ts";
import { collect, KINDS, syntheticRaster } from "../../../../support/synthetic-rasters.ts";

const decoders = await jsquashInNode();

describe("PNG: the same samples", () => {
  describe.each([
    ["gray", 1],
    ["rgb", 3],
    ["rgba", 4],
  ] as const)("%s", (colorModel, channels) => {
    test.each(KINDS)("%s", async (kind) => {
      const raster = syntheticRaster(kind, { width: 211, height: 97, colorModel });
      const decoded = await decoders.png(collect(encodePng(raster)));
      expect([decoded.width, decoded.height]).toEqual([211, 97]);
      expect(Buffer.compare(channelsOf(decoded, channels), raster.samples)).toBe(0);
    });
  });
});
