// Contract: docs/api.md#rotated-pdf
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { parseListedPages } from "../../../src/document/contract/pages.ts";
import { rotatePages } from "../../../src/operations/rotate-pages.ts";
import { REPEATED_PAGES, WRONG_TREES } from "../../fixtures/page-trees.ts";
import { textPdf } from "../../fixtures/pdfs.ts";
import { onePage } from "../../support/hostile-pdfs.ts";
import { outputsOf } from "../../support/operations.ts";
import { said } from "../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";

const rotated = async (pdf: Uint8Array, angle: number, pages = "all") => {
  const [made] = await outputsOf(rotatePages, [pdf], { angle, pages: parseListedPages(pages)! });
  expect(qpdfComplaints(made!)).toBe("");
  return made!;
};
/** Returns the rotation of each page, as poppler reads it. */
const rotations = (pdf: Uint8Array) =>
  [...said(pdf, "pdfinfo", "-l", "-1").matchAll(/^Page +\d+ rot: +(\d+)$/gm)].map(([, angle]) => Number(angle));

describe("a quarter turn", () => {
  test("is added on the selected pages", async () => {
    const pdf = await textPdf(4);
    const once = await rotated(pdf, 1, "2-3,2");
    expect(rotations(once)).toEqual([0, 90, 90, 0]);
    expect(rotations(await rotated(once, 3, "all"))).toEqual([270, 0, 0, 270]);
    expect(pageTexts(once)).toEqual(pageTexts(pdf));
  });

  test.each([
    ["/Rotate 270", 90],
    ["/Rotate -90", 90],
    ["/Rotate 450", 270],
    ["/Rotate/Wrong", 180],
  ])("is added to %s", async (entries, angle) => {
    expect(rotations(await rotated(onePage("", "", [], entries), 2))).toEqual([angle]);
  });

  test.each(REPEATED_PAGES)("is added to one place of a page that occurs repeatedly: %s", async (_, pdf) => {
    const made = rotations(await rotated(pdf, 1, "2"));
    expect(made).toEqual(made.map((_, index) => (index === 1 ? 90 : 0)));
  });
});

test("a page that does not exist is an error", async () => {
  await expect(rotated(await textPdf(2), 1, "3")).rejects.toBeInstanceOf(OutOfRange);
});

test.each(WRONG_TREES)("a wrong page tree: %s", async (_, pdf) => {
  expect(rotations(await rotated(pdf, 1)).every((angle) => angle === 90)).toBe(true);
});
