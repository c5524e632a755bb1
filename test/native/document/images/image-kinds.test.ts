// Tests limits of resolution for all kinds of images: poppler reads their size, and two readers draw them before and
// after.
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { imageObject, onePage, type RawObject, rawPdf, samples } from "../../../fixtures/image-pdfs.ts";
import { palette, SPACES, twoInks } from "../../../fixtures/image-spaces.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";
import { encode, photograph } from "../formats/jpeg-pictures.ts";
import { distances, limited, listed, shade, shapes } from "./limited-pdfs.ts";

const SIDE = 620;
const only = (entries: string, bytes: Uint8Array, more: Readonly<Record<string, RawObject>> = {}) =>
  rawPdf({ image: imageObject(SIDE, SIDE, entries, bytes), ...more }, [onePage()]);

describe.each(["lossy", "lossless"])("%s", (mode) => {
  const lossless = mode === "lossless";

  test.each(Object.keys(SPACES))("%s", async (name) => {
    const [entries, channels, bits] = SPACES[name]!;
    const value = bits === 1 ? shapes : shade;
    const before = only(entries, samples(SIDE, SIDE, channels, bits, value), { inks: twoInks });
    const after = await limited(before, { maxImageDpi: 100, lossless });
    const [image] = await listed(after);
    expect([image!.width, image!.height]).toEqual([416, 416]);
    expect(image!.dpi).toBeLessThanOrEqual(100);
    if (lossless) expect(image!.coding).not.toBe("jpeg");
    // The palettes are random, so a resampled index does not correspond to a mean color.
    expect(await distances(before, after)).toBeLessThan(name.startsWith("indexed, 4") ? 14 : bits === 1 ? 5 : 4);
  });

  test.each(["DCT gray", "DCT RGB"])("%s", async (name) => {
    const channels = name.endsWith("gray") ? 1 : 3;
    const space = channels === 1 ? "DeviceGray" : "DeviceRGB";
    const jpeg = encode(photograph(SIDE, SIDE, channels), 85);
    const before = only(`/ColorSpace/${space}/BitsPerComponent 8/Filter/DCTDecode`, jpeg);
    const after = await limited(before, { maxImageDpi: 72, lossless });
    const [image] = await listed(after);
    expect([image!.width, image!.height, image!.coding]).toEqual([300, 300, lossless ? "image" : "jpeg"]);
    expect(await distances(before, after)).toBeLessThan(4);
  });

  test("DCT of four components, by Adobe's marker and by Decode", async () => {
    const jpeg = encode(photograph(SIDE, SIDE, 4), 85);
    const entries = "/ColorSpace/DeviceCMYK/BitsPerComponent 8/Filter/DCTDecode/Decode[1 0 1 0 1 0 1 0]";
    const before = only(entries, jpeg);
    const after = await limited(before, { maxImageDpi: 72, lossless });
    const [image] = await listed(after);
    expect([image!.width, image!.components]).toEqual([300, 4]);
    expect(await distances(before, after)).toBeLessThan(4);
  });

  test.each([2, 10, 12, 14, 15])("rows with predictor %i", async (predictor) => {
    const plain = samples(SIDE, SIDE, 3, 8, shade);
    const rows: Buffer[] = [];
    for (let y = 0; y < SIDE; y++) {
      const row = Buffer.from(plain.subarray(y * SIDE * 3, (y + 1) * SIDE * 3));
      const above = y > 0 ? plain.subarray((y - 1) * SIDE * 3, y * SIDE * 3) : new Uint8Array(SIDE * 3);
      const filter = predictor === 2 ? 1 : predictor === 15 ? y % 5 : predictor - 10;
      const coded = Buffer.from(row.map((sample, x) => sample - predicted(filter, row, above, x)));
      rows.push(predictor === 2 ? coded : Buffer.concat([Buffer.of(filter), coded]));
    }
    const parameters = `/DecodeParms<</Predictor ${predictor}/Colors 3/Columns ${SIDE}>>`;
    const entries = `/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/FlateDecode${parameters}`;
    const before = only(entries, deflateSync(Buffer.concat(rows)));
    const after = await limited(before, { maxImageDpi: 100, lossless });
    expect((await listed(after))[0]!.width).toBe(416);
    expect(await distances(before, after)).toBeLessThan(4);
  });

  test("a soft mask, and a stencil that masks", async () => {
    const bytes = samples(SIDE, SIDE, 3, 8, shade);
    for (const [key, mask] of [
      ["SMask", imageObject(500, 700, "/ColorSpace/DeviceGray/BitsPerComponent 8", samples(500, 700, 1, 8, shade))],
      ["Mask", imageObject(500, 700, "/ImageMask true/BitsPerComponent 1", samples(500, 700, 1, 1, shapes))],
    ] as const) {
      const before = only(`/ColorSpace/DeviceRGB/BitsPerComponent 8/${key} {mask}`, bytes, { mask });
      const after = await limited(before, { maxImageDpi: 60, lossless });
      const images = await listed(after);
      expect(images.map(({ width, height }) => [width, height])).toEqual([
        [250, 250],
        [250, 250],
      ]);
      expect(await distances(before, after)).toBeLessThan(5);
    }
  });

  test("a soft mask with a matte has the size of its image", async () => {
    const mask = imageObject(
      SIDE,
      SIDE,
      "/ColorSpace/DeviceGray/BitsPerComponent 8/Matte[0 0 0]",
      samples(SIDE, SIDE, 1, 8, shade),
    );
    const bytes = samples(SIDE, SIDE, 3, 8, (x, y, channel) => shade(x, y, channel) * shade(x, y, 0));
    const before = only("/ColorSpace/DeviceRGB/BitsPerComponent 8/SMask {mask}", bytes, { mask });
    const after = await limited(before, { maxImageDpi: 60, lossless });
    const images = await listed(after);
    expect(images.map(({ width, height, coding }) => [width, height, coding])).toEqual([
      [250, 250, "image"],
      [250, 250, "image"],
    ]);
    expect(await distances(before, after)).toBeLessThan(5);
  });

  test.each([
    ["/ColorSpace/DeviceRGB/BitsPerComponent 8/Mask[250 255 250 255 250 255]", 3, 8],
    ["/ColorSpace/DeviceGray/BitsPerComponent 4/Mask[15 15]", 1, 4],
    [`/ColorSpace[/Indexed/DeviceRGB 15<${palette}>]/BitsPerComponent 4/Mask[15 15]`, 1, 4],
  ] as const)("a color key: %s", async (entries, channels, bits) => {
    const bytes = samples(SIDE, SIDE, channels, bits, (x, y) => (shapes(x, y) ? 1 : 0.4));
    const before = only(entries, bytes);
    const after = await limited(before, { maxImageDpi: 60, lossless });
    const [image] = await listed(after);
    expect([image!.width, image!.height]).toEqual([250, 250]);
    // MuPDF does not apply color keys with four bits, so poppler draws both.
    const [a, b] = await Promise.all([popplerPage(before, 1, 72), popplerPage(after, 1, 72)]);
    expect(perceptualDistance(a, b, 4)).toBeLessThan(6);
  });
});

function predicted(filter: number, row: Uint8Array, above: Uint8Array, x: number): number {
  const [a, b, c] = [row[x - 3] ?? 0, above[x] ?? 0, above[x - 3] ?? 0];
  const [pa, pb, pc] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter]!;
}
