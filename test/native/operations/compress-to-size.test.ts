// Tests compression to a size: that the size is reached with a small loss, and what happens if it cannot be reached.
// Contract: docs/api.md#compressed-pdf
import { expect, test } from "vitest";
import { type CompressParams, compressPdf } from "../../../src/operations/compress-pdf.ts";
import { imageObject, onePage, rawPdf } from "../../fixtures/image-pdfs.ts";
import { plainPdf } from "../../fixtures/pdf-builder.ts";
import { CONTEXT, outputsOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../support/pictures.ts";
import { encode, photograph } from "../document/formats/jpeg-pictures.ts";

const context = { ...CONTEXT, heapLimitBytes: 512 * 2 ** 20 };
const compressed = async (pdf: Uint8Array, params: CompressParams) =>
  (await outputsOf(compressPdf, [pdf], params, context))[0]!;

/** A photograph of 1,000 x 1,000 pixels at 240 dpi. */
const jpeg = Buffer.from(encode(photograph(1000, 1000, 3), 95));
const entries = "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode";
const pdf = rawPdf({ image: imageObject(1000, 1000, entries, jpeg) }, [onePage()]);

test("each size is reached, and the smaller it is, the larger is the loss", async () => {
  const before = await popplerPage(pdf, 1, 100);
  let loss = -1;
  for (const share of [1, 0.5, 0.2, 0.06, 0.02]) {
    const targetSize = Math.floor(pdf.length * share);
    const made = await compressed(pdf, { level: "low", targetSize });
    expect(qpdfComplaints(made)).toBe("");
    expect(made.length).toBeLessThanOrEqual(targetSize);
    const distance = perceptualDistance(before, await popplerPage(made, 1, 100));
    expect(distance).toBeGreaterThan(loss);
    expect(distance).toBeLessThan(8);
    loss = distance;
  }
  expect(loss).toBeGreaterThan(0.5);
});

test("the level is the first attempt, even if less would do", async () => {
  const usual = await compressed(pdf, { level: "medium" });
  expect((await compressed(pdf, { level: "medium", targetSize: pdf.length })).length).toBe(usual.length);
  const text = plainPdf("First", "Second");
  const same = await compressed(text, { level: "low", targetSize: text.length });
  expect(pageTexts(same).map((page) => page.trim())).toEqual(["First", "Second"]);
});

test("a size that cannot be reached is an error with the size that was reached", async () => {
  const failed = await compressed(pdf, { level: "high", targetSize: 100 }).catch((error: unknown) => error);
  expect(failed).toMatchObject({ reason: "target-missed", feature: expect.stringMatching(/^[\d,]+$/) });
  const reached = Number((failed as { feature: string }).feature.replaceAll(",", ""));
  expect((await compressed(pdf, { level: "low", targetSize: reached })).length).toBe(reached);
});
