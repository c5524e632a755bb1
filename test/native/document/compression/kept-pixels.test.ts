// Tests images that keep all of their samples, because downsampling would visibly change them.
import { expect, test } from "vitest";
import type { CompressionProfile } from "../../../../src/document/compression/profile.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { imageObject, onePage, rawPdf, samples } from "../../../fixtures/image-pdfs.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";
import { listed, shade } from "../images/limited-pdfs.ts";

const SIDE = 600;
const SMALL = { downsample: { "trigger-dpi": 60, "target-dpi": 50 } } as const;
const custom = async (pdf: Uint8Array, profile: CompressionProfile) =>
  (await outputsOf(compressPdf, [pdf], { level: "custom", profile }, CONTEXT))[0]!;
const sizesOf = async (pdf: Uint8Array) => (await listed(pdf)).map(({ width, height }) => [width, height]);
const gray = samples(SIDE, SIDE, 1, 8, shade);
const matted = (entries: string, bytes: Uint8Array) =>
  rawPdf(
    {
      image: imageObject(SIDE, SIDE, `${entries}/SMask {mask}`, bytes),
      mask: imageObject(SIDE, SIDE, "/ColorSpace/DeviceGray/BitsPerComponent 8/Matte[0 0 0]", gray),
    },
    [onePage()],
  );
const RGB = "/ColorSpace/DeviceRGB/BitsPerComponent 8";
const rgb = samples(SIDE, SIDE, 3, 8, shade);

test("with a matte, where only colors come down, and so the mask would stay", async () => {
  const made = await custom(matted(RGB, rgb), { images: { color: SMALL } });
  expect(await sizesOf(made)).toEqual([
    [SIDE, SIDE],
    [SIDE, SIDE],
  ]);
  const both = await sizesOf(await custom(matted(RGB, rgb), { images: { color: SMALL, grayscale: SMALL } }));
  expect(both[0]![0]).toBeLessThan(SIDE);
  expect(both[1]).toEqual(both[0]);
});

test("with a matte and a palette", async () => {
  const entries = "/ColorSpace[/Indexed/DeviceRGB 1<ff000000ff00>]/BitsPerComponent 8";
  const bytes = samples(SIDE, SIDE, 1, 8, (x, y) => ((x * y) % 7 > 3 ? 1 / 255 : 0));
  const made = await custom(matted(entries, bytes), { images: { color: SMALL, grayscale: SMALL } });
  expect(await sizesOf(made)).toEqual([
    [SIDE, SIDE],
    [SIDE, SIDE],
  ]);
});

test.each([
  [RGB, rgb],
  ["/ColorSpace/DeviceGray/BitsPerComponent 1", samples(SIDE, SIDE, 1, 1, shade)],
] as const)("rows that are missing, which readers show as they like: %s", async (entries, bytes) => {
  const pdf = rawPdf({ image: imageObject(SIDE, SIDE, entries, bytes.subarray(0, bytes.length / 3)) }, [onePage()]);
  const [made] = await outputsOf(compressPdf, [pdf], { level: "high" }, CONTEXT);
  expect(await sizesOf(made!)).toEqual([[SIDE, SIDE]]);
  expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(made!, 1, 72))).toBe(0);
});

test("a photograph with a side that JPEG cannot store stays lossless", async () => {
  const width = 66_000;
  const bytes = samples(
    width,
    16,
    3,
    8,
    (x, y, channel) => (Math.sin(x / 90 + channel) + Math.sin(y * 7 + x) / 9) / 3 + 0.5,
  );
  const page = { content: "q 14400 0 0 9 0 0 cm /I Do Q", resources: "<</XObject<</I {image}>>>>" };
  const pdf = rawPdf({ image: imageObject(width, 16, RGB, bytes) }, [{ ...page, more: "/MediaBox[0 0 14400 9]" }]);
  const [made] = await outputsOf(compressPdf, [pdf], { level: "low" }, CONTEXT);
  expect(await listed(made!)).toMatchObject([{ width, height: 16, coding: "image" }]);
  expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(made!, 1, 72))).toBe(0);
});
