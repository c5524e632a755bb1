// Draws images whose JPEG 2000 data have opacity or other channels (ISO 32000-1, table 89). The reference is poppler's
// drawing of the same images as plain samples with a soft mask.
import { beforeAll, describe, expect, test } from "vitest";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { MupdfSource } from "../../../../src/document/objects/engine/mupdf-source.ts";
import { CODESTREAMS, definitions, jp2, opacity, SIDE } from "../../../fixtures/jpx-pictures.ts";
import { PdfBuilder, plainPdf } from "../../../fixtures/pdf-builder.ts";
import { drawnPage } from "../../../support/drawn-pages.ts";
import { flattened } from "../../../support/flattened.ts";
import { CONTEXT } from "../../../support/operations.ts";
import { perceptualDistance, pixel, popplerPage } from "../../../support/pictures.ts";

const RGB = 16;
const YCC = 18;
const CODES = { cmyk: Buffer.from(CODESTREAMS.cmyk, "base64"), gray: Buffer.from(CODESTREAMS.gray, "base64") };
/** Distance caused by two viewers, and by multiplying and dividing colors. */
const ALIKE = 8;

/** Samples of the four channels of the codestream, as separate images. */
let channels: Uint8Array[];

beforeAll(async () => {
  const budget = new Budget(2 ** 26);
  const source = await MupdfSource.open(plainPdf("any"), CONTEXT.heapLimitBytes, budget);
  const { samples } = source.colors.decodeJpx(CODES.cmyk, { width: SIDE, height: SIDE }, 4)!;
  source.close();
  channels = [0, 1, 2, 3].map((channel) => samples.filter((_, at) => at % 4 === channel));
});

function pageWith(data: Uint8Array, entries: string, extra = (_: PdfBuilder) => ""): Uint8Array {
  const builder = new PdfBuilder();
  const size = `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}`;
  const image = builder.stream(data, `${size}${entries}${extra(builder)}`);
  builder.page("0 1 0 rg 0 0 300 200 re f q 160 0 0 160 20 20 cm /I Do Q %()", "", `/XObject<</I ${image}>>`);
  return builder.bytes();
}

const jpxPage = (data: Uint8Array, entries = "", extra?: (builder: PdfBuilder) => string) =>
  pageWith(data, `/Filter/JPXDecode${entries}`, extra);

const GRAY = `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8`;
const STENCIL = "/Type/XObject/Subtype/Image/Width 2/Height 1/ImageMask true/BitsPerComponent 1";
const withStencil = (builder: PdfBuilder) => `/Mask ${builder.stream(Uint8Array.of(0x40), STENCIL)}`;

/**
 * Returns a page with the image as plain samples. @param colors indexes of the channels; @param mask samples of the
 * soft mask
 */
function plainPage(colors: readonly number[], mask?: Uint8Array, change = (value: number, _at: number) => value) {
  const samples = channels[0]!.length;
  const interleaved = new Uint8Array(samples * colors.length);
  for (let at = 0; at < samples; at++) {
    colors.forEach((channel, index) => {
      interleaved[at * colors.length + index] = change(channels[channel]![at]!, at);
    });
  }
  const space = colors.length === 1 ? "/DeviceGray" : "/DeviceRGB";
  return pageWith(interleaved, `/ColorSpace${space}/BitsPerComponent 8`, (builder) =>
    mask ? `/SMask ${builder.stream(mask, GRAY)}` : "",
  );
}

const distance = async (pdf: Uint8Array, reference: Uint8Array) =>
  perceptualDistance(await drawnPage(pdf), await popplerPage(reference, 1, 72));

const alpha = () => channels[3]!;
const LAST = () => jp2("cmyk", RGB, opacity(4));
const FIRST = () => jp2("cmyk", RGB, definitions([1, 0], [0, 1], [0, 2], [0, 3]));
const SWAPPED = () => jp2("cmyk", RGB, definitions([0, 3], [0, 2], [0, 1], [1, 0]));
const UNKNOWN = () => jp2("cmyk", RGB, definitions([0, 1], [0, 2], [0, 3], [0xffff, 0xffff]));

describe("without SMaskInData, only the colors count", () => {
  test.each<[string, () => Uint8Array, () => Uint8Array]>([
    ["opacity last", () => jpxPage(LAST()), () => plainPage([0, 1, 2])],
    ["SMaskInData 0", () => jpxPage(LAST(), "/SMaskInData 0/ColorSpace/DeviceRGB"), () => plainPage([0, 1, 2])],
    ["opacity first", () => jpxPage(FIRST()), () => plainPage([1, 2, 3])],
    ["colors in another order", () => jpxPage(SWAPPED()), () => plainPage([2, 1, 0])],
    ["a channel without a meaning", () => jpxPage(UNKNOWN()), () => plainPage([0, 1, 2])],
    ["a channel too many", () => jpxPage(CODES.cmyk, "/ColorSpace/DeviceRGB"), () => plainPage([0, 1, 2])],
    [
      "a soft mask of the image",
      () => jpxPage(LAST(), "", (builder) => `/SMask ${builder.stream(alpha(), GRAY)}`),
      () => plainPage([0, 1, 2], alpha()),
    ],
  ])("%s", async (_, pdf, reference) => {
    expect(await distance(pdf(), reference())).toBeLessThan(ALIKE);
  });
});

describe("with SMaskInData, the opacity is the soft mask", () => {
  test.each<[string, () => Uint8Array, () => Uint8Array]>([
    ["alone", () => jpxPage(LAST(), "/SMaskInData 1"), () => plainPage([0, 1, 2], alpha())],
    [
      "and overrides a stencil",
      () => jpxPage(LAST(), "/SMaskInData 1", withStencil),
      () => plainPage([0, 1, 2], alpha()),
    ],
    [
      "and overrides a color key",
      () => jpxPage(LAST(), "/SMaskInData 1/Mask[0 200 0 200 0 200]"),
      () => plainPage([0, 1, 2], alpha()),
    ],
    ["as the first channel", () => jpxPage(FIRST(), "/SMaskInData 1"), () => plainPage([1, 2, 3], channels[0])],
    [
      "and has been multiplied with the colors",
      () => jpxPage(LAST(), "/SMaskInData 2"),
      () => plainPage([0, 1, 2], alpha(), (value, at) => Math.min(255, (value * 255) / Math.max(1, alpha()[at]!))),
    ],
  ])("%s", async (_, pdf, reference) => {
    expect(await distance(pdf(), reference())).toBeLessThan(ALIKE);
  });

  test("data without opacity have no soft mask, and the mask of the image counts", async () => {
    const gray = jpxPage(CODES.gray, "/ColorSpace/DeviceGray/SMaskInData 1", withStencil);
    const same = jpxPage(CODES.gray, "/ColorSpace/DeviceGray", withStencil);
    expect(await distance(gray, same)).toBeLessThan(ALIKE);
  });
});

test("opacity of luminance and chrominance is separated, too", async () => {
  const [opaque, masked] = [
    jpxPage(jp2("cmyk", YCC, opacity(4))),
    jpxPage(jp2("cmyk", YCC, opacity(4)), "/SMaskInData 1"),
  ];
  const colors = await drawnPage(opaque);
  expect(perceptualDistance(colors, await drawnPage(plainPage([0, 1, 2])))).toBeGreaterThan(4 * ALIKE);
  expect(perceptualDistance(colors, await drawnPage(masked))).toBeGreaterThan(ALIKE);
});

test("flattening burns in the opacity, and not the mask that it overrides", async () => {
  const { bytes, coverage } = await flattened(jpxPage(LAST(), "/SMaskInData 1", withStencil));
  expect(coverage[0]).toBeGreaterThan(0.3);
  const reference = await popplerPage(plainPage([0, 1, 2], alpha()), 1, 72);
  expect(perceptualDistance(await popplerPage(bytes, 1, 72), reference)).toBeLessThan(ALIKE);
});

test("an image that cannot be decoded leaves the rest of the page", async () => {
  const cut = jpxPage(LAST().subarray(0, 200), "/SMaskInData 2");
  expect(pixel(await drawnPage(cut), 0, 0)).toEqual([0, 255, 0]);
});
