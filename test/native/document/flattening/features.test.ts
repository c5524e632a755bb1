// Tests every kind of transparency separately: none remains, the page looks the same, its text is kept, and content
// stays a vector if possible.
import { describe, expect, test } from "vitest";
import { FLATTENING_QUALITIES } from "../../../../src/document/flattening/settings.ts";
import { densePdfs } from "../../../fixtures/dense-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { SPOT_PDF, TRANSPARENT_PDFS } from "../../../fixtures/transparent-pdfs.ts";
import { distances, flattened } from "../../../support/flattened.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../../support/pdf-readers.ts";
import { ascending, atLeast, finestOf } from "../../../support/picture-densities.ts";
import { readOnce } from "../../../support/read-once.ts";
import { transparencyIn } from "../../../support/transparency-scan.ts";

/** Maximum distance; from 8 on, it is visible side by side. Images of a low resolution have softer edges. */
const FARTHEST = { low: 7, medium: 6, high: 6 };
const words = (pdf: Uint8Array) =>
  pageTexts(pdf)
    .join(" ")
    .match(/[A-Z]+/g)
    ?.toSorted();
const wordsBefore = readOnce(words);
const transparencyBefore = readOnce(transparencyIn);
const fixture = (name: string) => TRANSPARENT_PDFS.find((pdf) => pdf.name === name)!.bytes;
const imagesIn = (pdf: Uint8Array) =>
  new PdfJson(pdf).dictionaries.filter((entries) => entries["/Subtype"] === "/Image" && !entries["/ImageMask"]);

describe.each(TRANSPARENT_PDFS)("$name", ({ bytes }) => {
  test.each(FLATTENING_QUALITIES)("%s", async (quality) => {
    const made = await flattened(bytes, quality);
    expect(transparencyBefore(bytes)).not.toEqual([]);
    expect(transparencyIn(made.bytes)).toEqual([]);
    expect(qpdfComplaints(made.bytes)).toBe("");
    expect(words(made.bytes)).toEqual(wordsBefore(bytes));
    const { poppler, mutool, disagreement } = await distances(bytes, made.bytes, 1, 100);
    expect(mutool).toBeLessThan(FARTHEST[quality]);
    expect(poppler).toBeLessThan(FARTHEST[quality] + disagreement);
  });
});

describe("the least means", () => {
  test.each(["a form with alpha, of shapes alone", "multiply over white"])("%s needs no picture", async (name) => {
    const { bytes, coverage } = await flattened(fixture(name));
    expect(coverage).toEqual([0]);
    expect(imagesIn(bytes)).toEqual([]);
  });

  test("a hard mask becomes a mask of one bit, and the image stays", async () => {
    const { bytes } = await flattened(fixture("an image with a hard mask"));
    const [image] = imagesIn(bytes);
    expect([image["/Width"], image["/Height"], typeof image["/Mask"]]).toEqual([16, 16, "string"]);
  });

  test("dots over one color stay dots", async () => {
    const { coverage } = await flattened(fixture("sixty dots with alpha"));
    expect(coverage[0]).toBeLessThan(0.05);
  });

  test("text across two colors stays text, and shows a picture", async () => {
    const { bytes } = await flattened(fixture("text with alpha"));
    expect(uncompressed(bytes)).toMatch(/7 Tr \(ACROSS\) Tj/);
  });

  test("a page without transparency keeps its content, byte for byte", async () => {
    const builder = new PdfBuilder();
    const content = "BT  /F 24 Tf\r30 150 Td %comment\n(AS IT WAS)Tj  ET";
    builder.page("/H gs 0 0 300 100 re f (X) pop", "", "/ExtGState<</H<</ca .5>>>>");
    builder.page(content, "/Group<</S/Transparency/CS/DeviceRGB>>");
    const { bytes } = await flattened(builder.bytes());
    expect(transparencyIn(bytes)).toEqual([]);
    // The content is too short for Flate, so it can be compared.
    expect(Buffer.from(bytes).includes(content, 0, "latin1")).toBe(true);
  });

  test("pictures are no part of the structure, unless what they show is", async () => {
    const builder = new PdfBuilder();
    const root = builder.add("<</Type/StructTreeRoot>>");
    builder.catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${root}`;
    const across = "1 0 0 rg 0 0 150 200 re f 0 0 1 rg 150 0 150 200 re f /M gs";
    builder.page(
      `/P <</MCID 0>> BDC BT /F 9 Tf 9 9 Td (TAGGED) Tj ET EMC ${across} 0 1 1 rg 50 20 200 40 re B /N gs /Figure <</MCID 1>> BDC /M gs .5 w 0 1 0 rg 50 90 200 40 re B EMC`,
      "/StructParents 0",
      "/ExtGState<</M<</BM/Difference>>/N<</BM/Normal>>>>",
    );
    const made = uncompressed((await flattened(builder.bytes())).bytes);
    expect(made).toMatch(/\/Artifact BMC q [^\n]+ Do Q EMC/);
    expect(made).toMatch(/\/Figure\s*<<\s*\/MCID 1\s*>>\s*BDC[\s\S]*?q [^\n]+ Do Q\s+EMC/);
  });
});

describe("layers", () => {
  test("one that is hidden can still be shown, and looks as it would have", async () => {
    const before = fixture("layers");
    const { bytes } = await flattened(before);
    const show = (pdf: Uint8Array) =>
      new Uint8Array(
        Buffer.from(
          uncompressed(pdf).replace(/\/OFF \[[^\]]*\]/, (text) => " ".repeat(text.length)),
          "latin1",
        ),
      );
    const { poppler, mutool, disagreement } = await distances(show(before), show(bytes), 1, 100);
    expect(mutool).toBeLessThan(FARTHEST.medium);
    expect(poppler).toBeLessThan(FARTHEST.medium + disagreement);
  });
});

describe("annotations", () => {
  test("they stay annotations, with appearances that are opaque", async () => {
    const { bytes } = await flattened(fixture("annotations"));
    const json = new PdfJson(bytes);
    const [highlight, stamp] = json.annotations(1);
    expect([highlight["/Subtype"], stamp["/Subtype"]]).toEqual(["/Highlight", "/Stamp"]);
    expect(json.at(stamp, "AP", "N", "BBox")).toEqual([200, 60, 260, 140]);
    expect(highlight["/CA"]).toBeUndefined();
  });
});

describe("inks", () => {
  test("alpha on paper makes less of the same ink; pictures are of CMYK", async () => {
    const { bytes } = await flattened(SPOT_PDF);
    expect(uncompressed(bytes)).toMatch(/\.4 scn/);
    const spaces = imagesIn(bytes).map((image) => JSON.stringify(image["/ColorSpace"]));
    expect(spaces.length).toBeGreaterThan(0);
    for (const space of spaces) expect(space).toContain("/DeviceCMYK");
  });
});

describe("pictures have at least the resolution of the images that they replace", () => {
  test.each(densePdfs("/Half gs 0 1 0 rg 0 0 150 100 re f 1 0 1 rg 30 30 60 30 re f"))(
    "$name",
    async ({ bytes: pdf, ppi, dpi }) => {
      const made = await flattened(pdf);
      expect(transparencyIn(made.bytes)).toEqual([]);
      expect(finestOf(made.bytes)).toEqual(ppi.toSorted(ascending).map(atLeast));
      const { poppler, disagreement } = await distances(pdf, made.bytes, 1, dpi);
      expect(poppler).toBeLessThan(FARTHEST.medium + disagreement);
    },
  );
});
