// Tests that poppler reads each page's number at its place.
// Contract: docs/api.md#pdf-with-page-numbers
import { describe, expect, test } from "vitest";
import { parseListedPages } from "../../../src/document/contract/pages.ts";
import { type AddPageNumbersParams, addPageNumbers } from "../../../src/operations/add-page-numbers.ts";
import { AWKWARD_PAGES, pageWith } from "../../fixtures/awkward-pages.ts";
import { labeledPdf } from "../../fixtures/pdfs.ts";
import { changed, drawn } from "../../support/changed-pixels.ts";
import { bytesOf, inputOf } from "../../support/operations.ts";
import { pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";
import { TYPESETTING } from "../../support/typefaces.ts";

const DEFAULTS: AddPageNumbersParams = {
  ...{ format: "{page}", start: 1, digits: 1, pages: parseListedPages("all")!, position: "bottom-center", margin: 10 },
  ...{ font: "Arial", textSize: 10, opacity: 1 },
};

/** The tests of /pdf-with-added-text, which places forms in the same way, use all of them. */
const SOME_PAGES = AWKWARD_PAGES.filter((_, index) => index % 4 === 0);

async function number(pdf: Uint8Array, wishes: Partial<AddPageNumbersParams>) {
  for await (const output of addPageNumbers.run([inputOf(pdf)], { ...DEFAULTS, ...wishes }, TYPESETTING)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return made;
  }
  throw new Error("no output");
}

/** Returns what each page has besides its own label. */
const numbersOf = (pdf: Uint8Array) => pageTexts(pdf).map((text) => text.replace(/P\d+/, "").trim());

test.each<[Partial<AddPageNumbersParams>, readonly string[]]>([
  [{}, ["1", "2", "3", "4"]],
  [{ format: "Page {page} of {count}" }, ["Page 1 of 4", "Page 2 of 4", "Page 3 of 4", "Page 4 of 4"]],
  [{ start: 9, pages: parseListedPages("2-last")! }, ["", "9", "10", "11"]],
  [{ start: 0, digits: 6, prefix: "ACME-" }, ["ACME-000000", "ACME-000001", "ACME-000002", "ACME-000003"]],
  [{ format: "{page}/{count}", pages: parseListedPages("4,even,2")! }, ["", "1/2", "", "2/2"]],
  [{ format: "{page} {pages} $&" }, ["1 {pages} $&", "2 {pages} $&", "3 {pages} $&", "4 {pages} $&"]],
])("%j", async (wishes, numbers) => {
  expect(numbersOf(await number(await labeledPdf("P", 4), wishes))).toEqual(numbers);
});

describe("the number is at its place on the page as it is shown", () => {
  const middleOf = async (pdf: Uint8Array, wishes: Partial<AddPageNumbersParams>) => {
    const [left, bottom, right, top] = changed(drawn(pdf, 1).mupdf, drawn(await number(pdf, wishes), 1).mupdf)!;
    return { x: (left! + right!) / 2, y: (bottom! + top!) / 2, left: left!, right: right! };
  };

  test.each(SOME_PAGES)("that is %s", async (_, pdf) => {
    const { x, y } = await middleOf(pdf, { position: "bottom-left", format: "H", margin: 20 });
    expect([Math.abs(x - 23.6) < 0.6, Math.abs(y - 25.7) < 0.6]).toEqual([true, true]);
  });

  test.each([
    ["top-left", 10, 13.6, 190],
    ["top-right", 286.4, 290, 190],
    ["bottom-right", 286.4, 290, 10],
    ["top-center", 150, 150, 190],
  ] as const)("%s", async (position, least, most, edge) => {
    const { x, y } = await middleOf(pageWith("", ""), { position, format: "H" });
    expect([x > least - 0.7, x < most + 0.7, Math.abs(y - edge) < 10]).toEqual([true, true, true]);
  });
});

test("no page is numbered if none is selected", async () => {
  const pdf = await labeledPdf("P", 1);
  expect(numbersOf(await number(pdf, { pages: parseListedPages("even")! }))).toEqual([""]);
});

test("an unknown font is refused", async () => {
  await expect(number(pageWith(""), { font: "Nope" })).rejects.toMatchObject({ parameter: "font" });
});
