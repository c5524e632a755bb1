// Compares pages before and after in poppler and MuPDF's own program, and finds what is left with qpdf and poppler.
// Contract: docs/api.md#rasterized-pdf
import { describe, expect, test } from "vitest";
import { pdfToRasterized, type RasterizedParams } from "../../../src/operations/pdf-to-rasterized.ts";
import { noticeSentences } from "../../../src/service/http/responses/notices.ts";
import { REPEATED_PAGES } from "../../fixtures/page-trees.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { scanPdf } from "../../fixtures/pdfs.ts";
import { distances, mutoolPage } from "../../support/flattened.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";
import { PdfJson } from "../../support/pdf-json.ts";
import { infoOf, pageTexts, qpdfComplaints } from "../../support/pdf-readers.ts";
import { perceptualDistance } from "../../support/pictures.ts";

const DPI = 144;
const USUAL: RasterizedParams = { dpi: DPI, colorModel: "rgb", jpegQuality: 90 };
/** Largest perceptual distance of the same content: edges between pixels can differ. */
const SAME = 0.5;

async function rasterized(pdf: Uint8Array, params: Partial<RasterizedParams> = {}) {
  for await (const output of pdfToRasterized.run([inputOf(pdf)], { ...USUAL, ...params }, CONTEXT)) {
    const made = await bytesOf(output);
    expect(qpdfComplaints(made)).toBe("");
    return { made, text: structure(made), notices: noticeSentences(output.notices!()) };
  }
  throw new Error("no output");
}

/** Returns all objects, without the data of streams. */
const structure = (pdf: Uint8Array): string => JSON.stringify(new PdfJson(pdf).json.qpdf[1]);

/** Rectangles that no rotation or reflection maps to each other, and text outside the page. */
const DRAWING = "BT /F 9 Tf 900 9 Td (Text) Tj ET 1 0 0 rg 50 40 60 20 re f 0 0 1 rg 100 100 60 40 re f ";
function page(entries: string): Uint8Array {
  const builder = new PdfBuilder();
  builder.page(DRAWING, entries);
  return builder.bytes();
}

describe("pages look as before, and keep their boxes", () => {
  test.each<[string, Uint8Array]>([
    ["plain", page("")],
    ["cropped", page("/CropBox[40 30 290 180]/TrimBox[50 40 280 170]")],
    ...[90, 180, 270, -90].map((angle): [string, Uint8Array] => [`turned by ${angle}`, page(`/Rotate ${angle}`)]),
    ["turned and cropped", page("/Rotate 90/CropBox[40 30 290 180]")],
    ["with a UserUnit", page("/UserUnit 2/CropBox[40 30 290 180]")],
  ])("%s", async (_, pdf) => {
    const { made, text } = await rasterized(pdf);
    const { poppler, mutool } = await distances(pdf, made, 1, DPI);
    expect(Math.max(poppler, mutool)).toBeLessThanOrEqual(SAME);
    expect(infoOf(made)["Page size"]).toBe(infoOf(pdf)["Page size"]);
    for (const [box] of structure(pdf).matchAll(/(Crop|Trim)Box":\[[^\]]+/g)) expect(text).toContain(box);
    expect(pageTexts(made)).toEqual([""]);
    expect(text).not.toContain("/Font");
    expect(text.match(/"\/Subtype":"\/Image"/g)).toHaveLength(1);
  });

  test("with text and annotations, exactly as MuPDF draws them", async () => {
    const builder = new PdfBuilder();
    const look = builder.stream("0 1 0 rg 0 0 60 40 re f", "/Type/XObject/Subtype/Form/BBox[0 0 60 40]");
    builder.page("Some text", `/Annots[<</Subtype/Stamp/Rect[20 20 80 60]/F 4/AP<</N ${look}>>>>]`);
    const { made, text } = await rasterized(builder.bytes());
    expect(text).not.toMatch(/Stamp|\/Font/);
    const [before, after] = await Promise.all([builder.bytes(), made].map((pdf) => mutoolPage(pdf, 1, DPI)));
    expect(perceptualDistance(before!, after!)).toBeLessThan(SAME);
  });

  test("pages that occur repeatedly", async () => {
    const [pages, pdf] = REPEATED_PAGES[0]!;
    const { made } = await rasterized(pdf);
    expect(pageTexts(made)).toEqual(pages.split(" ").map(() => ""));
  });
});

describe("images", () => {
  test.each(["rgb", "gray", "cmyk"] as const)("have the model %s, and a scan becomes a JPEG", async (colorModel) => {
    const scan = await scanPdf();
    const { made, text } = await rasterized(scan, { colorModel });
    expect(text.includes("/ICCBased")).toBe(colorModel === "cmyk");
    expect(text).toContain("/DCTDecode");
    const { poppler } = await distances(scan, made, 1, 72);
    expect(poppler).toBeLessThanOrEqual(12);
  });

  test("of a page without colors are gray and exact, and those of colors are not gray", async () => {
    const builder = new PdfBuilder();
    builder.page("Text");
    builder.page("1 0 0 rg 5 5 1 1 re f (x) pop");
    const pdf = builder.bytes();
    const { made, text } = await rasterized(pdf, { dpi: 72 });
    expect([...text.matchAll(/\/ColorSpace":"\/(\w+)/g)].map(([, space]) => space).sort()).toEqual([
      "DeviceGray",
      "DeviceRGB",
    ]);
    expect((await mutoolPage(made, 1, 72)).samples).toEqual((await mutoolPage(pdf, 1, 72)).samples);
  });

  test("have the resolution, and their quality changes the size of photographs", async () => {
    const { text } = await rasterized(plainPdf("A"), { dpi: 100 });
    expect(text).toContain('"/Width":417');
    const scan = await scanPdf();
    const sizes = [10, 95].map(async (jpegQuality) => (await rasterized(scan, { jpegQuality })).made.length);
    const [low, high] = await Promise.all(sizes);
    expect(low).toBeLessThan(high! / 2);
  });
});

describe("what stays, and what goes", () => {
  const builder = new PdfBuilder();
  const first = builder.reserve();
  const orphan = builder.add("<</Type/Page/Contents 1 0 R/Secret(ORPHAN)>>");
  const link = (entries: string) => `<</Subtype/Link/Rect[9 9 90 90]/Border[0 0 5]/AP<<>>${entries}>>`;
  builder.page("One", "", "", first);
  builder.page(
    "Two",
    `/AA<</O<</S/JavaScript/JS(SECRET)>>>>/PieceInfo<</SECRET(S)>>/Annots[${link(`/Dest[${first} /XYZ 0 99 2]`)}${link(
      "/A<</S/URI/URI(https://example.org/)>>",
    )}${link("/A<</S/JavaScript/JS(SECRET)>>")}${link(`/Dest[${orphan} /Fit]`)}${link("/Dest(named)")}]`,
  );
  const items = Array.from({ length: 4 }, () => builder.reserve());
  const [outline, top, kid, script] = items as [string, string, string, string];
  builder.set(outline, `<</First ${top}/Last ${script}/Count -1>>`);
  builder.set(top, `<</Title(Top)/First ${kid}/Last ${kid}/Next ${script}/Count -1/Dest[${first} /Fit]/C[1 0 0]>>`);
  builder.set(kid, `<</Title(Kid)/Parent ${top}/A<</S/GoTo/D(named)/Next<</S/Launch/F(SECRET)>>>>>>`);
  builder.set(script, `<</Title(Script)/Prev ${top}/A<</S/JavaScript/JS(SECRET)>>>>`);
  const attached = builder.stream("SECRET", "/Type/EmbeddedFile");
  builder.catalog =
    `/Outlines ${outline}/PageMode/UseOutlines/Lang(de)/PageLabels<</Nums[0<</S/r>>]>>/MarkInfo<</Marked true>>` +
    `/ViewerPreferences<</DisplayDocTitle true>>/OpenAction[${first} /Fit]` +
    `/Names<</Dests<</Names[(named)[${first} /FitH 5]]>>/JavaScript<</Names[(s)<</S/JavaScript/JS(SECRET)>>]>>` +
    `/EmbeddedFiles<</Names[(f.txt)<</F(f.txt)/EF<</F ${attached}>>>>]>>>>`;
  const information = builder.add("<</Title(The title)/GTS_PDFXVersion(PDF/X-4)>>");
  const pdf = builder.bytes(`/Info ${information}`);

  test("bookmarks, links, labels, metadata and preferences stay", async () => {
    const { text } = await rasterized(pdf);
    const kept = ["u:Top", "u:Kid", "u:Script", "u:The title", "u:de", "u:https://example.org/", '"/XYZ",0,99,2'];
    for (const part of [...kept, '"/DisplayDocTitle":true', '"/S":"/r"']) expect(text).toContain(part);
    expect(text.match(/"\/Subtype":"\/Link"/g)).toHaveLength(3);
  });

  test("nothing else is left, and notices list it", async () => {
    const { text, notices } = await rasterized(pdf);
    expect(text).not.toMatch(/SECRET|ORPHAN|JavaScript|EmbeddedFile|PieceInfo|MarkInfo|GTS_PDFX/);
    expect(notices).toEqual([
      "1 attachment was removed: f.txt",
      "JavaScript was removed",
      "1 action was removed",
      "1 claim of conformance was removed: PDF/X-4",
    ]);
  });
});

test("a page that is too large for a resolution gives its name, and pages are drawn within the memory of an isolate", async () => {
  const huge = new PdfBuilder();
  huge.page(DRAWING, "/UserUnit 2/MediaBox[0 0 14400 9]");
  await expect(rasterized(huge.bytes(), { dpi: 200 })).rejects.toMatchObject({ parameter: "dpi" });
  const wide = new PdfBuilder();
  wide.page(DRAWING, "/MediaBox[0 0 6000 6000]");
  const { text } = await rasterized(wide.bytes(), { dpi: 72, colorModel: "gray" });
  expect(text).toContain('"/Width":6000');
});

test("an output is readable while later pages are drawn", async () => {
  const pages = 60;
  const pdf = plainPdf(...Array.from({ length: pages }, (_, index) => `Page ${index}`));
  let bytes = 0;
  for await (const { body } of pdfToRasterized.run([inputOf(pdf)], { ...USUAL, dpi: 72 }, CONTEXT)) {
    const chunks = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
      if (bytes === 0) expect(next.value.length).toBeLessThan(100_000);
      bytes += next.value.length;
    }
  }
  expect(bytes).toBeGreaterThan(pages * 500);
});

describe("hostile documents have an answer", () => {
  const outcome = (pdf: Uint8Array) => reasonOf(() => rasterized(pdf, { dpi: 12 }));
  const withCatalog = (catalog: (builder: PdfBuilder) => string) => {
    const builder = new PdfBuilder();
    builder.page("A");
    builder.catalog = catalog(builder);
    return builder.bytes();
  };

  test("bookmarks in a circle", async () => {
    const pdf = withCatalog((builder) => {
      const [one, two] = [builder.reserve(), builder.reserve()];
      builder.set(one, `<</Title(1)/Next ${two}/First ${two}/Parent ${two}>>`);
      builder.set(two, `<</Title(2)/Next ${one}/First ${one}/Dest ${one}>>`);
      return `/Outlines<</First ${one}>>`;
    });
    expect(await outcome(pdf)).toBe("none");
  });

  test("destinations and preferences that contain themselves", async () => {
    const pdf = withCatalog((builder) => {
      const loop = builder.reserve();
      builder.set(loop, `<</D ${loop}/S/GoTo>>`);
      return `/OpenAction ${loop}/ViewerPreferences ${loop}/Dests<</a ${loop}>>`;
    });
    expect(await outcome(pdf)).toBe("none");
  });

  test("a few objects that unfold to billions", async () => {
    const pdf = withCatalog((builder) => {
      let inner = builder.add("(x)");
      for (let depth = 0; depth < 9; depth++) inner = builder.add(`[${`${inner} `.repeat(20)}]`);
      return `/ViewerPreferences<</A ${inner}>>`;
    });
    expect(await outcome(pdf)).toBe("too-large");
  });
});
