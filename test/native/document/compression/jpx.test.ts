// Tests JPEG 2000 images: they are downsampled if they have more pixels than the level allows, and keep their colors.
// Unusual images do not change.
import { describe, expect, test } from "vitest";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { srgbProfile } from "../../../../src/document/formats/icc/profile.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { imageObject, rawPdf } from "../../../fixtures/image-pdfs.ts";
import { jp2, opacity, SIDE } from "../../../fixtures/jpx-pictures.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { qpdfComplaints } from "../../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";

const GRAY = 17;
const RGB = 16;
const CMYK = 12;
/** Size on the page at which the images have 300 dpi. */
const POINTS = (SIDE * 72) / 300;

function withImage(bytes: Uint8Array, entries = ""): Uint8Array {
  const ink = { syntax: "<</FunctionType 2/Domain[0 1]/N 1/C0[0 0 0 0]/C1[0 0.9 0.4 0.1]>>" };
  return rawPdf({ image: imageObject(SIDE, SIDE, `${entries}/Filter/JPXDecode`, bytes), ink }, [
    {
      content: `q ${POINTS} 0 0 ${POINTS} 0 0 cm /I Do Q`,
      resources: "<</XObject<</I {image}>>>>",
      more: `/MediaBox[0 0 ${POINTS} ${POINTS}]`,
    },
  ]);
}

const compressed = async (pdf: Uint8Array, level: Level) =>
  (await outputsOf(compressPdf, [pdf], { level }, { ...CONTEXT }))[0]!;
const imageOf = (pdf: Uint8Array) =>
  new PdfJson(pdf).dictionaries.find((dictionary) => dictionary["/Subtype"] === "/Image");

describe("becomes another coding, in the same colors", () => {
  test.each<[string, Uint8Array, string, string]>([
    ["RGB by the data", jp2("rgb", RGB), "", "/DeviceRGB"],
    ["gray by the data", jp2("gray", GRAY), "", "/DeviceGray"],
    ["CMYK by the data", jp2("cmyk", CMYK), "", "/DeviceCMYK"],
    ["an ICC profile of the data", jp2("rgb", srgbProfile()), "", "/ICCBased"],
    ["RGB by the dictionary", jp2("rgb", RGB), "/ColorSpace/DeviceRGB/BitsPerComponent 8", "/DeviceRGB"],
    ["CMYK by the dictionary", jp2("cmyk", CMYK), "/ColorSpace/DeviceCMYK", "/DeviceCMYK"],
    ["an ink", jp2("gray", GRAY), "/ColorSpace[/Separation/Red/DeviceCMYK {ink}]", "/Separation"],
    ["12 bits", jp2("deep", GRAY), "/ColorSpace/DeviceGray", "/DeviceGray"],
  ])("%s", async (_, bytes, entries, space) => {
    const pdf = withImage(bytes, entries);
    const before = await popplerPage(pdf, 1, 150);
    expect(imageOf(await compressed(pdf, "low"))["/Filter"]).toBe("/JPXDecode");
    for (const level of ["medium", "high"] as const) {
      const made = await compressed(pdf, level);
      const image = imageOf(made);
      expect(qpdfComplaints(made)).toBe("");
      expect(image["/Filter"]).not.toBe("/JPXDecode");
      expect([image["/ColorSpace"]].flat()[0]).toBe(space);
      expect(image["/Width"]).toBe(level === "medium" ? 40 : 27);
      // The waves are finer than the remaining pixels; only their mean colors remain.
      expect(perceptualDistance(before, await popplerPage(made, 1, 150), 10)).toBeLessThan(level === "medium" ? 4 : 8);
    }
  });
});

describe("stays what it is", () => {
  test.each<[string, Uint8Array, string]>([
    ["with opacity in the data", jp2("cmyk", RGB, opacity(4)), "/SMaskInData 1"],
    ["with opacity that nobody uses", jp2("cmyk", RGB, opacity(4)), ""],
    ["indices of a palette", jp2("gray", GRAY), "/ColorSpace[/Indexed/DeviceRGB 1<000000ffffff>]"],
    ["with a Decode array", jp2("rgb", RGB), "/ColorSpace/DeviceRGB/Decode[1 0 1 0 1 0]"],
    ["with transparent colors", jp2("rgb", RGB), "/ColorSpace/DeviceRGB/Mask[0 9 0 9 0 9]"],
    ["with components that do not fit its space", jp2("rgb", RGB), "/ColorSpace/DeviceCMYK"],
    ["of another size than it says", jp2("rgb", RGB), "/ColorSpace/DeviceRGB/Width 81"],
    ["without a codestream", jp2("rgb", srgbProfile()).subarray(0, 2400), "/ColorSpace/DeviceRGB"],
    ["without any data", Buffer.alloc(2000), "/ColorSpace/DeviceRGB"],
  ])("%s", async (_, bytes, entries) => {
    const made = await compressed(withImage(bytes, entries), "high");
    expect(imageOf(made)["/Filter"]).toBe("/JPXDecode");
  });
});

test.each([1200, 1800, 2400])("data that end after %i bytes fail nothing", async (length) => {
  const pdf = withImage(jp2("rgb", RGB).subarray(0, length), "/ColorSpace/DeviceRGB");
  const made = await compressed(pdf, "medium");
  expect(qpdfComplaints(made)).toBe("");
  const distance = perceptualDistance(await popplerPage(pdf, 1, 150), await popplerPage(made, 1, 150), 10);
  expect(distance).toBeLessThan(20);
});
