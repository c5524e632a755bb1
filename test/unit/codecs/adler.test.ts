// Adler-32 beside the one that zlib puts at the end of its streams.
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Adler32 } from "../../../src/codecs/adler.ts";
import { syntheticRaster } from "./synthetic-rasters.ts";

function zlibs(bytes: Uint8Array): number {
  const stream = deflateSync(bytes, { level: 1 });
  return stream.readUInt32BE(stream.length - 4);
}

describe("equals zlib's", () => {
  test.each(["text", "noise", "blank"] as const)("%s", (kind) => {
    const { samples } = syntheticRaster(kind, { width: 501, height: 203, colorModel: "rgb" });
    const sum = new Adler32(samples);
    sum.add(0, samples.length);
    expect(sum.value).toBe(zlibs(samples));
  });

  test("whatever the pieces begin and end at", () => {
    const { samples } = syntheticRaster("text", { width: 77, height: 90, colorModel: "rgb" });
    const sum = new Adler32(samples);
    for (let from = 0, length = 0; from < samples.length; from += length, length = (length + 37) % 9001) {
      sum.add(from, Math.min(samples.length, from + length));
    }
    expect(sum.value).toBe(zlibs(samples));
    sum.reset();
    expect(sum.value).toBe(1);
  });

  test("of the highest bytes, where the sums are largest", () => {
    const bytes = new Uint8Array(100_000).fill(255);
    bytes[99_999] = 254;
    const sum = new Adler32(bytes);
    sum.add(0, bytes.length);
    expect(sum.value).toBe(zlibs(bytes));
  });

  test("of zeros that are only counted", () => {
    const bytes = new Uint8Array(70_003);
    bytes.set([9, 200, 255]);
    const sum = new Adler32(bytes);
    sum.add(0, 3);
    sum.addZeros(70_000);
    expect(sum.value).toBe(zlibs(bytes));
  });
});
