// Contract: docs/api.md#pdf-with-page-boxes-set
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { OutOfRange } from "../../../src/document/contract/failure.ts";
import { type SetPageBoxesParams, setPageBoxes } from "../../../src/operations/set-page-boxes.ts";
import { REPEATED_PAGES, WRONG_TREES } from "../../fixtures/page-trees.ts";
import { encrypted, labeledPdf, textPdf, withoutXref } from "../../fixtures/pdfs.ts";
import { HOSTILE_PDFS, onePage, pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, outputsOf, reasonOf } from "../../support/operations.ts";
import { infoOf, pageTexts, qpdfComplaints, uncompressed, withFile } from "../../support/pdf-readers.ts";

type Box = SetPageBoxesParams["boxes"]["boxes"][number]["box"];
const margins = (range: string, left: number, top = left, bottom = left, right = left) => ({
  ...{ range, left, top, bottom, right },
});
const set = async (pdf: Uint8Array, ...boxes: readonly (readonly [Box, ...ReturnType<typeof margins>[]])[]) => {
  const given = boxes.map(([box, ...pages]) => ({ box, pages }));
  const [made] = await outputsOf(setPageBoxes, [pdf], { boxes: { boxes: given } });
  return made!;
};

/** Returns the boxes of each page as poppler reads them, including default boxes. */
function boxesOf(pdf: Uint8Array): readonly Readonly<Record<string, readonly number[]>>[] {
  const pages = infoOf(pdf).Pages!;
  return withFile(pdf, (path) => {
    const text = execFileSync("pdfinfo", ["-box", "-f", "1", "-l", pages, path], { encoding: "utf8" });
    const boxes: Record<string, number[]>[] = [];
    for (const [, page, name, rest] of text.matchAll(/^Page +(\d+) (\w+)Box: (.*)$/gm)) {
      boxes[Number(page) - 1] ??= {};
      boxes[Number(page) - 1]![name!.toLowerCase()] = rest!.trim().split(/\s+/).map(Number);
    }
    return boxes;
  });
}
const page = (entries: string) => onePage("", "", [], entries);
const media = (box: string) => onePage("", "", [], "", box);

describe("boxes are margins from the media box", () => {
  test("of each kind, on the pages of their ranges", async () => {
    const pdf = await set(
      await textPdf(4),
      ["crop", margins("1-2", 10, 20, 30, 40), margins("last", 72)],
      ["bleed", margins("even", 1)],
      ["trim", margins("all", 2)],
      ["art", margins("odd", 3.25)],
    );
    expect(qpdfComplaints(pdf)).toBe("");
    expect(pageTexts(pdf).map((text) => Number(text.split(/\s/)[0]))).toEqual([1, 2, 3, 4]);
    const [width, height] = [612, 792];
    const inside = (by: number) => [by, by, width - by, height - by];
    const crops = [
      ...[
        [10, 30, width - 40, height - 20],
        [10, 30, width - 40, height - 20],
      ],
      ...[inside(0), inside(72)],
    ];
    const made = boxesOf(pdf);
    expect(made.map(({ crop }) => crop)).toEqual(crops);
    expect(made.map(({ bleed }) => bleed)).toEqual([crops[0], inside(1), crops[2], inside(1)]);
    expect(made.map(({ trim }) => trim)).toEqual([inside(2), inside(2), inside(2), inside(2)]);
    expect(made.map(({ art }) => art)).toEqual([inside(3.25), crops[1], inside(3.25), crops[3]]);
  });

  test("and a new media box counts for what follows", async () => {
    const pdf = await set(
      page(""),
      ["trim", margins("1", 10)],
      ["media", margins("1", -100)],
      ["art", margins("1", 1)],
    );
    expect(boxesOf(pdf)[0]).toMatchObject({
      media: [-100, -100, 712, 892],
      trim: [10, 10, 602, 782],
      art: [-99, -99, 711, 891],
    });
  });

  test.each([
    [
      "inherited",
      pdfOf([
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 100 200]>>",
        "<</Type/Page/Parent 2 0 R>>",
        "<</Type/Page/Parent 2 0 R>>",
      ]),
      [10, 10, 90, 190],
    ],
    ["inverted", media("300 400 100 200"), [110, 210, 290, 390]],
    ["negative", media("-50 -60 50 60"), [-40, -50, 40, 50]],
    ["of huge numbers", media("0 0 1000000 1000000"), [10, 10, 999_990, 999_990]],
    ["missing", page("/MediaBox null"), [10, 10, 602, 782]],
    ["empty", media("5 5 5 5"), [10, 10, 602, 782]],
    ["of other things", media("/a (b) null 7"), [10, 10, 602, 782]],
    ["rotated", page("/Rotate 90"), [10, 10, 602, 782]],
    ["in units of 2 points", page("/UserUnit 2"), [5, 5, 607, 787]],
  ])("that is %s", async (_, pdf, crop) => {
    const made = await set(pdf, ["crop", margins("1", 10)]);
    expect(boxesOf(made)[0]!.crop).toEqual(crop);
    expect(qpdfComplaints(made)).toBe("");
  });

  test("instead of a box outside of it", async () => {
    const pdf = await set(
      page("/CropBox[900 900 1000 1000]/TrimBox[0 0 0 0]"),
      ["crop", margins("all", 9)],
      ["trim", margins("all", 8)],
    );
    expect(boxesOf(pdf)[0]).toMatchObject({ crop: [9, 9, 603, 783], trim: [8, 8, 604, 784] });
  });

  test("of one place of a page that is in the document repeatedly", async () => {
    for (const [, pdf] of REPEATED_PAGES) {
      const [first, second, ...others] = boxesOf(await set(pdf, ["trim", margins("2", 7)]));
      expect(second!.trim).not.toEqual(first!.trim);
      for (const other of others) expect(other.trim).toEqual(other.crop);
    }
  });
});

describe("what is impossible is refused before any output", () => {
  test.each([
    ["crop", margins("3", 1), "boxes.0.pages.0.range", "3", "The document has 2 pages."],
    [
      "media",
      margins("1", 306),
      "boxes.0.pages.0",
      /"left":306/,
      "Page 1 measures 612 by 792 units, and a box 3 to 14400.",
    ],
    [
      "media",
      margins("2", -7000),
      "boxes.0.pages.0",
      /-7000/,
      "Page 2 measures 612 by 792 units, and a box 3 to 14400.",
    ],
  ] as const)("%s %o", async (box, given, parameter, value, why) => {
    const two = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2/MediaBox[0 0 612 792]>>",
      "<</Type/Page/Parent 2 0 R>>",
      "<</Type/Page/Parent 2 0 R>>",
    ]);
    const error = await set(two, [box, given]).catch((error) => error);
    expect(error).toBeInstanceOf(OutOfRange);
    expect(error).toMatchObject({ parameter, value: expect.stringMatching(value), why });
  });

  test("more boxes than anybody needs", async () => {
    const many = Array.from({ length: 1000 }, () => margins("all", 1));
    const pdf = await labeledPdf("P", 200);
    await expect(set(pdf, ["crop", ...many])).rejects.toMatchObject({ why: "A request sets at most 100000 boxes." });
  });

  test("a document that needs a password, or is none", async () => {
    const crop = ["crop", margins("1", 1)] as const;
    expect(await reasonOf(async () => set(encrypted(await labeledPdf("P", 1), "user", "owner"), crop))).toBe(
      "password-protected",
    );
    expect(await reasonOf(() => set(Buffer.from("%PDF-1.7\nnothing"), crop))).toBe("damaged");
  });
});

describe("documents", () => {
  test.each([
    ["with an owner password", async () => encrypted(await labeledPdf("P", 2), "", "owner")],
    ["without a cross-reference table", async () => withoutXref(await labeledPdf("P", 2))],
  ])("%s are changed", async (_, make) => {
    const made = await set(await make(), ["art", margins("all", 5)]);
    expect(qpdfComplaints(made)).toBe("");
    for (const { art, media } of boxesOf(made)) expect(art![0]).toBe(media![0]! + 5);
  });

  test.each(WRONG_TREES)("with a wrong page tree: %s", async (_, pdf) => {
    const reason = await reasonOf(async () =>
      expect(qpdfComplaints(await set(pdf, ["art", margins("all", 5)]))).toBe(""),
    );
    expect(["none", "damaged"]).toContain(reason);
  });

  test("stay without object streams if their version has none", async () => {
    const old = Buffer.from(Buffer.from(page("")).toString("latin1").replace("%PDF-1.7", "%PDF-1.4"), "latin1");
    const made = Buffer.from(await set(old, ["crop", margins("1", 1)])).toString("latin1");
    expect(made).toMatch(/^%PDF-1\.4/);
    expect(made).not.toContain("ObjStm");
  });

  test("lose claims of PDF/X, whose rules are about boxes, and of PDF/VT, which is PDF/X", async () => {
    const claims = 'xmlns:v="http://www.npes.org/pdfvt/ns/id/" v:GTS_PDFVTVersion="PDF/VT-1"';
    const pdf = pdfOf(
      [
        "<</Type/Catalog/Pages 2 0 R/Metadata 5 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1/MediaBox[0 0 90 90]>>",
        "<</Type/Page/Parent 2 0 R>>",
        "<</GTS_PDFXVersion(PDF/X-1:2001)>>",
        stream(`<rdf:RDF><rdf:Description ${claims}/></rdf:RDF>`, "/Type/Metadata/Subtype/XML"),
      ],
      "/Info 4 0 R",
    );
    const params = { boxes: { boxes: [{ box: "media" as const, pages: [margins("1", 1)] }] } };
    for await (const output of setPageBoxes.run([inputOf(pdf)], params, CONTEXT)) {
      expect(uncompressed(await bytesOf(output))).not.toMatch(/GTS_PDF(X|VT)/);
      expect(output.notices!()).toMatchObject([{ code: "claims-removed", count: 2 }]);
    }
  });

  test.each(HOSTILE_PDFS.map(({ name, bytes }) => [name, bytes] as const))("%s", async (_, bytes) => {
    const reason = await reasonOf(() => set(bytes(), ["crop", margins("1", 1)]));
    expect(["none", "damaged", "too-large", "too-complex", "unsupported"]).toContain(reason);
  });
});
