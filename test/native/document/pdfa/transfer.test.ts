// Tests that pages without transfer functions look as poppler shows the originals with the functions, and that text,
// vectors and the pixel dimensions of images stay the same.
import { expect, test } from "vitest";
import { applyTransferFunctions } from "../../../../src/operations/pdfa-steps/apply-transfer-functions.ts";
import { TRANSFER_PDFS } from "../../../fixtures/transfer-pdfs.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";

/** Maximum distance; from 8 on, it is visible side by side. */
const FARTHEST = 4;
const sizesOf = (pdf: Uint8Array) =>
  new Set(
    new PdfJson(pdf).dictionaries
      .filter((entries) => entries["/Subtype"] === "/Image")
      .map((entries) => `${entries["/Width"]} x ${entries["/Height"]}`),
  );

test.each(TRANSFER_PDFS)("$name", async ({ bytes: pdf }) => {
  const [bytes] = await outputsOf(applyTransferFunctions, [pdf], {}, { ...CONTEXT, heapLimitBytes: 2 ** 29 });
  expect(qpdfComplaints(bytes!)).toBe("");
  expect(uncompressed(bytes!)).not.toMatch(/\/TR2? (?!\/Identity|\/Default)/);
  expect(pageTexts(bytes!)).toEqual(pageTexts(pdf));
  // The inline image becomes an image XObject.
  const added = [...sizesOf(bytes!)].filter((size) => !sizesOf(pdf).has(size));
  expect(added.filter((size) => size !== "2 x 2")).toEqual([]);
  const [before, after] = [await popplerPage(pdf, 1, 100), await popplerPage(bytes!, 1, 100)];
  expect(perceptualDistance(before, after)).toBeLessThan(FARTHEST);
});
