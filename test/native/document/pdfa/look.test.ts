// Tests properties that a repair must not change: the appearance of pages, and the parts of a document. Poppler and
// qpdf read the results.
import { describe, expect, test } from "vitest";
import { EngineFailure } from "../../../../src/document/contract/failure.ts";
import { repairPdfa } from "../../../../src/operations/pdfa-steps/repair-pdfa.ts";
import { ARCHIVAL_PDFS, markedPdf } from "../../../fixtures/archival-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { archived, readArchived } from "../../../support/archival.ts";
import { corpusDir, corpusFile } from "../../../support/corpus.ts";
import { LEVEL_NAMES } from "../../../support/levels.ts";
import { CONTEXT, outputsOf } from "../../../support/operations.ts";
import { type Json, PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints } from "../../../support/pdf-readers.ts";
import { perceptualDistance, pixel, popplerPage } from "../../../support/pictures.ts";

/** Maximum distance of a page with few colors, in levels of 255. */
const SAME = 0.5;
/**
 * Documents whose appearance depends on the broken rule itself: interpolation, colorants with equal names, invalid
 * profiles.
 */
const CHANGED = ["marked", "content", "states", "rgb", "cmyk", "both", "limits"];

describe.each(Object.entries(ARCHIVAL_PDFS))("%s", (name, make) => {
  test.each(LEVEL_NAMES)("%s is sound, and looks as it did", async (level) => {
    const before = make();
    const after = await archived(before, level);
    expect(qpdfComplaints(after)).toBe("");
    // The movie becomes a stamp; poppler draws nothing for the movie.
    if (CHANGED.includes(name) || name === "annotations") return;
    const [a, b] = [await popplerPage(before, 1, 72), await popplerPage(after, 1, 72)];
    expect(perceptualDistance(a, b)).toBeLessThan(SAME);
  });
});

/** Returns a document with tags, a language, an outline, a named destination, labels, a link and a field. */
function structuredPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const [page, element, item, widget] = [1, 2, 3, 4].map(() => builder.reserve()) as [string, string, string, string];
  const link = builder.add("<</Type/Annot/Subtype/Link/F 4/Rect[0 0 9 9]/StructParent 1/A<</S/GoTo/D(there)>>>>");
  const form = builder.stream("/Tx BMC EMC", "/Type/XObject/Subtype/Form/BBox[0 0 90 9]/Resources<<>>");
  builder.set(
    widget,
    `<</Type/Annot/Subtype/Widget/FT/Tx/T(field)/V(value)/F 4/Rect[9 9 99 18]/AP<</N ${form}>>/P ${page}>>`,
  );
  builder.page(
    "/P<</MCID 0>>BDC BT /F 24 Tf 30 150 Td (Hello) Tj ET EMC",
    `/Annots[${link} ${widget}]/StructParents 0/Tabs/S`,
    "",
    page,
  );
  const tree = builder.add(
    `<</Type/StructTreeRoot/K ${element}/ParentTree<</Nums[0[${element}]1 ${element}]>>/RoleMap<</Absatz/P>>>>`,
  );
  builder.set(element, `<</Type/StructElem/S/Absatz/P ${tree}/Pg ${page}/K 0/Alt(words)/Lang(de)>>`);
  const outlines = builder.add(`<</Type/Outlines/First ${item}/Last ${item}/Count 1>>`);
  builder.set(item, `<</Title(Chapter)/Parent ${outlines}/Dest(there)>>`);
  builder.catalog =
    `/Lang(de-CH)/MarkInfo<</Marked true>>/StructTreeRoot ${tree}/Outlines ${outlines}/AcroForm<</Fields[${widget}]>>` +
    `/Names<</Dests<</Names[(there)[${page}/Fit]]>>>>/PageLabels<</Nums[0<</S/r>>]>>/ViewerPreferences<</DisplayDocTitle true>>/PageMode/UseOutlines`;
  return builder.bytes();
}

test.each(LEVEL_NAMES)("%s: tags, outline, destinations, labels, links and fields stay", async (level) => {
  const { bytes, json, page } = await readArchived(structuredPdf(), level);
  const { catalog } = json;
  expect(pageTexts(bytes)).toEqual(["Hello"]);
  expect(catalog).toMatchObject({ "/Lang": "u:de-CH", "/PageMode": "/UseOutlines" });
  expect(json.at(catalog, "MarkInfo")).toEqual({ "/Marked": true });
  expect(json.at(catalog, "ViewerPreferences")).toEqual({ "/DisplayDocTitle": true });
  expect(json.outlines).toMatchObject([{ title: "Chapter", destpageposfrom1: 1 }]);
  expect([...json.tree(json.at(catalog, "Names", "Dests")).keys()]).toEqual(["u:there"]);
  expect(json.at(catalog, "PageLabels", "Nums", 1)).toEqual({ "/S": "/r" });
  const element = json.at(catalog, "StructTreeRoot", "K");
  expect(element).toMatchObject({ "/S": "/Absatz", "/Alt": "u:words", "/Lang": "u:de", "/Pg": json.pages[0] });
  expect(json.at(catalog, "StructTreeRoot", "RoleMap")).toEqual({ "/Absatz": "/P" });
  expect(page(1)).toMatchObject({ "/StructParents": 0, "/Tabs": "/S" });
  const [link, widget] = json.annotations(1);
  expect(json.get(link["/A"])).toEqual({ "/S": "/GoTo", "/D": "u:there" });
  expect(link["/StructParent"]).toBe(1);
  expect(widget).toMatchObject({ "/T": "u:field", "/V": "u:value" });
  expect(json.at(catalog, "AcroForm", "Fields")).toHaveLength(1);
});

test("part 1: large leaves of trees are split, and have the same in them (6.1.12)", async () => {
  const builder = new PdfBuilder();
  builder.page("x");
  const nums = Array.from({ length: 5000 }, (_, index) => `${index}<</S/D/St ${index + 1}>>`);
  builder.catalog = `/PageLabels<</Nums[${nums.join(" ")}]>>`;
  const { json } = await readArchived(builder.bytes(), "1b");
  const labels = json.at(json.catalog, "PageLabels");
  const kids = json.at(labels, "Kids").map((kid: Json) => json.get(kid));
  for (const kid of kids) expect(json.at(kid, "Nums").length).toBeLessThanOrEqual(8191);
  expect(json.at(kids[1], "Limits")).toEqual([1000, 1999]);
  expect(json.tree(labels).size).toBe(5000);
});

test("part 1: a marker that is opaque lies beneath what it marks (6.4)", async () => {
  const { bytes, text } = await readArchived(markedPdf(), "1b");
  expect(text).not.toMatch(/\/(ca|CA|BM|Group)\b/);
  const page = await popplerPage(bytes, 1, 72);
  // The text bar, the highlight next to it, and the page.
  expect(pixel(page, 70, 40)).toEqual([0, 0, 0]);
  const [red, green, blue] = pixel(page, 130, 40);
  expect(red! > 200 && green! > 200 && blue! < 100).toBe(true);
  expect(pixel(page, 180, 40)).toEqual([255, 255, 255]);
  expect((await readArchived(markedPdf(), "2b")).text).toMatch(/\/BM ?\/Multiply/);
});

test("an annotation that several pages have stays or goes on all of them", async () => {
  const builder = new PdfBuilder();
  const hidden = builder.add("<</Type/Annot/Subtype/Text/F 2/Rect[0 0 9 9]/Contents(hidden)>>");
  const seen = builder.add("<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<</S/URI/URI(http://example.com)>>>>");
  for (const text of ["1", "2"]) builder.page(text, `/Annots[${hidden} ${seen}]`);
  const { json } = await readArchived(builder.bytes(), "2b");
  for (const number of [1, 2]) expect(json.annotations(number)).toMatchObject([{ "/Subtype": "/Link", "/F": 4 }]);
});

test("text whose font is missing is shown in Helvetica", async () => {
  const builder = new PdfBuilder();
  builder.page("BT /Gone 20 Tf 10 10 Td (Text) Tj ET");
  const { json, page } = await readArchived(builder.bytes(), "2b");
  expect(json.at(page(1)["/Resources"], "Font", "Gone")["/Subtype"]).toMatch(/Type1|TrueType/);
});

test("long chains and deep trees end", async () => {
  const builder = new PdfBuilder();
  builder.page("x");
  const items = Array.from({ length: 20_000 }, () => builder.reserve());
  items.forEach((item, index) => {
    const next = items[index + 1];
    builder.set(item, `<</Title(t)/S/JavaScript${next ? `/Next ${next}/First ${next}` : ""}/Parent ${items[0]}>>`);
  });
  builder.catalog = `/Outlines<</First ${items[0]}/Last ${items.at(-1)}>>/OpenAction ${items[0]}`;
  const pdf = await archived(builder.bytes(), "1b");
  expect(qpdfComplaints(pdf)).toBe("");
});

test.each([
  ["no PDF", Buffer.from("plain text"), "not-a-pdf"],
  ["no pages", Buffer.from("%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj trailer<</Root 1 0 R>>"), "damaged"],
])("%s: refused", async (_, bytes, reason) => {
  const params = { level: { part: 2, conformance: "b" }, failures: [] } as const;
  const attempt = outputsOf(repairPdfa, [new Uint8Array(bytes)], params, CONTEXT);
  await expect(attempt).rejects.toSatisfy((error) => error instanceof EngineFailure && error.reason === reason);
});

describe.skipIf(corpusDir === undefined)("real documents", () => {
  test.each(["encrypted.pdf", "hello-world.pdf", "validAvoir_FR_type380_BASICWL.pdf", "form-xobjects-out.pdf"])(
    "%s",
    async (name) => {
      const before = corpusFile(`pdf/${name}`)!;
      const after = await archived(before, "3b");
      expect(qpdfComplaints(after)).toBe("");
      expect(pageTexts(after)).toEqual(pageTexts(before));
      expect(new PdfJson(after).json.encrypt.encrypted).toBe(false);
      const distance = perceptualDistance(await popplerPage(before, 1, 72), await popplerPage(after, 1, 72));
      expect(distance).toBeLessThan(SAME);
    },
  );
});
