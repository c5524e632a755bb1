// Tests pages that are larger than PDF/A allows: the result has the same pages in larger units. Poppler and qpdf read
// the results.
import { expect, test } from "vitest";
import { hugePdf } from "../../../fixtures/huge-pdf.ts";
import { readArchived } from "../../../support/archival.ts";
import { pageTexts, qpdfComplaints } from "../../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../../support/pictures.ts";

/**
 * Maximum distance of pages, drawn at three times the resolution. From about 8 on, the difference is visible side by
 * side.
 */
const FARTHEST = 8;

test.each(["1b", "2b"] as const)("%s: looks the same, in units that state its size", async (level) => {
  const before = hugePdf();
  const { bytes, json, page } = await readArchived(before, level);
  expect(qpdfComplaints(bytes)).toBe("");
  expect(page(1)["/MediaBox"].map(Number)).toEqual([0, 0, 20000 / 3, 10000].map((side) => expect.closeTo(side, 2)));
  expect([page(1)["/UserUnit"], page(2)["/UserUnit"]]).toEqual([level === "1b" ? undefined : 3, undefined]);
  expect(pageTexts(bytes).map((text) => text.replace(/\s+/g, " "))).toEqual(["Huge Note", "Plain"]);
  // Poppler ignores `UserUnit`.
  const [one, other] = [await popplerPage(before, 1, 1.2), await popplerPage(bytes, 1, 3.6)];
  expect(perceptualDistance(one, other)).toBeLessThan(FARTHEST);
  const [field, link, note] = json.annotations(1);
  expect(field["/Rect"]).toEqual([4000, 4000, 6000, expect.closeTo(4666.67, 1)]);
  expect(link["/QuadPoints"][2]).toBe(3000);
  expect(note["/Rect"].map(Number)).toEqual([1000, 10000, 9000, 11700].map((side) => expect.closeTo(side / 3, 0)));
  expect([note["/DA"], note["/AP"]]).toEqual([expect.stringContaining("/Helv 300 Tf"), expect.anything()]);
  expect(json.at(json.catalog, "Threads", 0, "F", "R")).toEqual([1000, 2000, 3000, 4000]);
  // The destination of a page that does not change.
  expect(json.get(link["/Dest"]).slice(1)).toEqual(["/XYZ", 10, 20, 0]);
  expect(json.get(json.catalog["/OpenAction"]).slice(1)).toEqual(["/FitR", 0, 0, expect.closeTo(666.67, 1), 1000]);
  const there = json.tree(json.at(json.catalog, "Names", "Dests")).get("u:there");
  expect(json.get(there).slice(1)).toEqual(["/XYZ", expect.closeTo(666.67, 1), 1000, null]);
});
