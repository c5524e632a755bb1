// Tests properties that only POST /png has (PNG Specification, 3rd edition).
// Contract: docs/api.md#png
import { expect, test } from "vitest";
import { squarePdf } from "../fixtures/pdfs.ts";
import { privateClient, upload } from "../support/client.ts";
import { decode, pixel } from "../support/pictures.ts";

const make = async (color_model: string) =>
  Buffer.from(
    (
      await privateClient().make("/png", {
        file: upload(await squarePdf()),
        output: "a",
        resolution: "72",
        color_model,
      })
    )[0]!.bytes,
  );

test.each([
  ["gray", 0],
  ["rgb", 2],
  ["rgba", 6],
])("spec: color_model %s is color type %i, and pHYs carries the resolution", async (model, colorType) => {
  const bytes = await make(model);
  expect([bytes.readUInt8(24), bytes.readUInt8(25)]).toEqual([8, colorType]);
  const pHYs = bytes.indexOf("pHYs");
  // 72 dpi, in pixels per meter.
  expect([bytes.readUInt32BE(pHYs + 4), bytes.readUInt32BE(pHYs + 8), bytes.readUInt8(pHYs + 12)]).toEqual([
    2835, 2835, 1,
  ]);
});

test("spec: rgba has a transparent background", async () => {
  const picture = await decode(await make("rgba"), "png");
  expect(picture.channels).toBe(4);
  expect(pixel(picture, 5, 5)[3]).toBe(0);
  expect(pixel(picture, 100, 50)).toEqual([0, 0, 0, 255]);
});
