// Tests how entries of a page affect its drawing: annotations, boxes, layers and the page tree.
import { describe, expect, test } from "vitest";
import { MupdfDocument } from "../../../../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../../../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../../../../src/document/engines/mupdf/page.ts";
import { onePage, pdfOf, stream } from "../../../../support/hostile-pdfs.ts";

const LIMITS = { heapLimitBytes: 88 * 1024 * 1024 };

async function pictures(bytes: Uint8Array, ...pages: number[]) {
  const document = MupdfDocument.open(await Mupdf.create(LIMITS), bytes, LIMITS);
  try {
    return pages.map((index) => {
      const page = new MupdfPage(document, index);
      const { width, height, bands } = page.raster({ colorModel: "gray", dpi: 72 });
      const samples = Buffer.concat(Array.from(bands(), (band) => Buffer.from(band.samples)));
      page.close();
      return { width, height, samples };
    });
  } finally {
    document.close();
  }
}

const picture = async (bytes: Uint8Array) => (await pictures(bytes, 0))[0]!;
const isDrawn = async (bytes: Uint8Array) => (await picture(bytes)).samples.some((value) => value < 128);

describe("annotations with the flag Invisible", () => {
  const annotated = (subtype: string, flags: number) =>
    onePage(
      "",
      "",
      [
        `<</Type/Annot/Subtype/${subtype}/Rect[0 0 10 10]/AP<</N 6 0 R>>/F ${flags}>>`,
        stream("0 g 0 0 10 10 re f", "/Type/XObject/Subtype/Form/BBox[0 0 10 10]"),
      ],
      "/Annots[5 0 R]",
      "0 0 10 10",
    );
  const flags: [string, string, number, boolean][] = [
    ["of a standard type are drawn", "Square", 5, true],
    ["of another type are not drawn", "Cube", 5, false],
    ["are not drawn when hidden as well", "Square", 7, false],
    ["are drawn without the Print flag too", "Square", 1, true],
  ];
  test.each(flags)("%s", async (_, subtype, value, expected) => {
    expect(await isDrawn(annotated(subtype, value))).toBe(expected);
  });
});

describe("boxes and units that make no sense", () => {
  const pages: [string, string, number, number][] = [
    ["a crop box beside the media box is ignored", "/CropBox[500 500 600 600]", 200, 100],
    ["a crop box without width is ignored", "/CropBox[10 10 10 60]", 200, 100],
    ["a crop box that is none is ignored", "/CropBox[10 /a]", 200, 100],
    ["a crop box larger than the media box is cut", "/CropBox[-100 50 1000 1000]", 200, 50],
    ["a crop box with its corners swapped counts", "/CropBox[110 60 10 10]", 100, 50],
    ["a user unit of 0 is ignored", "/UserUnit 0", 200, 100],
    ["a negative user unit is ignored", "/UserUnit -1", 200, 100],
    ["a user unit that is no number is ignored", "/UserUnit/a", 200, 100],
  ];
  test.each(pages)("%s", async (_, entries, width, height) => {
    const drawn = await picture(onePage("0 g 0 0 500 500 re f", "", [], entries, "0 0 200 100"));
    expect([drawn.width, drawn.height]).toEqual([width, height]);
    expect(Math.max(...drawn.samples)).toBeLessThanOrEqual(16);
  });
});

/** Groups 6 and 7 are on, 8 and 9 are off, and 10 is on but off for the screen. */
function layered(membership: string, page: string, more: (string | Uint8Array)[] = []) {
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R/OCProperties<</OCGs[6 0 R 7 0 R 8 0 R 9 0 R 10 0 R]/D<</OFF[8 0 R 9 0 R]/AS[<</Event/View/Category[/View]/OCGs[10 0 R]>>]>>>>>>`,
    "<</Type/Pages/Kids[3 0 R 3 0 R]/Count 2>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 10]${page}>>`,
    membership,
    stream("/OC /L BDC 0 0 10 10 re f EMC"),
    ...["on", "on", "off", "off"].map((name) => `<</Type/OCG/Name(${name})>>`),
    "<</Type/OCG/Name(paper)/Usage<</View<</ViewState/OFF>>>>>>",
    ...more,
  ]);
}

describe("content that belongs to several layers", () => {
  const [on, on2, off, off2, paper] = [6, 7, 8, 9, 10].map((number) => `${number} 0 R`);
  const cases: [string, boolean][] = [
    [`/OCGs[${on} ${off}]`, true],
    [`/OCGs[${off} ${off2}]`, false],
    [`/OCGs ${off}`, false],
    [`/OCGs ${on}/P/AllOff`, false],
    ["/OCGs[]", true],
    ["/OCGs[null]/P/AllOn", true],
    ["", true],
    [`/OCGs[${on} ${off}]/P/AnyOn`, true],
    [`/OCGs[${on} ${on2}]/P/AllOn`, true],
    [`/OCGs[${on} ${off}]/P/AllOn`, false],
    [`/OCGs[${off} ${on}]/P/AllOn`, false],
    [`/OCGs[${on} ${paper}]/P/AllOn`, false],
    [`/OCGs[${on} ${off}]/P/AnyOff`, true],
    [`/OCGs[${on} ${on2}]/P/AnyOff`, false],
    [`/OCGs[${off} ${off2}]/P/AllOff`, true],
    [`/OCGs[${on} ${off}]/P/AllOff`, false],
    [`/VE[/Not ${on}]`, false],
    [`/VE[/Not ${off}]`, true],
    [`/VE[/And ${on} ${off}]`, false],
    [`/VE[/Or ${off} ${on}]`, true],
    [`/VE[/Or ${off} ${paper}]`, false],
    [`/VE[/And ${on}[/Not ${off}][/Or ${off} ${on2}]]`, true],
    [`/OCGs ${on}/VE[/Not[/Or ${on}]]`, false],
  ];
  test.each(cases)("%s: %s", async (entries, expected) => {
    const properties = `/Contents 5 0 R/Resources<</Properties<</L`;
    const [first, again] = await pictures(layered(`<</Type/OCMD${entries}>>`, `${properties} 4 0 R>>>>`), 0, 1);
    expect(first!.samples[0]! < 128).toBe(expected);
    expect(again!.samples).toEqual(first!.samples);
    expect(await isDrawn(layered("null", `${properties}<</Type/OCMD${entries}>>>>>>`))).toBe(expected);
  });

  const form = (entries: string) => stream("0 0 10 10 re f", `/Type/XObject/Subtype/Form/BBox[0 0 10 10]${entries}`);
  const hidden = `/OC<</Type/OCMD/VE[/Not ${on}]>>`;
  const places: [string, string, (string | Uint8Array)[]][] = [
    [
      "an annotation",
      "/Annots[11 0 R]",
      [`<</Type/Annot/Subtype/Square/Rect[0 0 10 10]/F 4/AP<</N 12 0 R>>${hidden}>>`, form("")],
    ],
    [
      "a form in a form",
      "/Contents 13 0 R/Resources<</XObject<</X 11 0 R>>>>",
      [
        stream("/Y Do", "/Subtype/Form/BBox[0 0 10 10]/Resources<</XObject<</Y 12 0 R>>>>"),
        form(hidden),
        stream("/X Do"),
      ],
    ],
  ];
  test.each(places)("%s is hidden by its expression", async (_, page, more) => {
    expect(await isDrawn(layered("null", page, more))).toBe(false);
    const shown = more.map((object) =>
      typeof object === "string"
        ? object.replace("/Not", "/And")
        : new Uint8Array(Buffer.from(Buffer.from(object).toString("latin1").replace("/Not", "/And"), "latin1")),
    );
    expect(await isDrawn(layered("null", page, shown))).toBe(true);
  });

  test("an expression that comes back to itself ends", async () => {
    const loop = `<</Type/OCMD/VE 11 0 R>>`;
    const page = "/Contents 5 0 R/Resources<</Properties<</L 4 0 R>>>>";
    const twice = "[/And 11 0 R 11 0 R]";
    expect((await picture(layered(loop, page, [twice]))).width).toBe(10);
  });
});

describe("a page tree", () => {
  const tree = (root: string, ...more: (string | Uint8Array)[]) =>
    pdfOf(["<</Type/Catalog/Pages 2 0 R>>", root, ...more]);
  const metadata = stream("<x/>", "/Type/Metadata/Subtype/XML");
  const destroyed: [string, Uint8Array][] = [
    ["is none", tree(Buffer.from(metadata).toString("latin1"))],
    ["has only what is no page", tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", metadata)],
    ["has only a node without kids", tree("<</Type/Pages/Kids[3 0 R]/Count 1>>", "<</Type/Pages/Count 1>>")],
  ];
  test.each(destroyed)("that %s is damaged", async (_, bytes) => {
    await expect(picture(bytes)).rejects.toMatchObject({ reason: "damaged" });
  });

  test("may have pages without their type, or with another one", async () => {
    const page = (type: string) => `<<${type}/Contents 5 0 R/MediaBox[0 0 10 10]/Resources<<>>>>`;
    const bytes = tree("<</Kids[3 0 R 4 0 R]/Count 2>>", page(""), page("/Type/page"), stream("0 0 10 10 re f"));
    for (const { samples } of await pictures(bytes, 0, 1)) expect(samples[0]).toBe(0);
  });

  test("loses what is no page at its end, and keeps the pages", async () => {
    const page = "<</Type/Page/Parent 2 0 R/Contents 5 0 R/MediaBox[0 0 10 10]>>";
    const bytes = tree("<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>", page, metadata, stream("0 0 10 10 re f"));
    const document = MupdfDocument.open(await Mupdf.create(LIMITS), bytes, LIMITS);
    expect(document.pageCount).toBe(1);
    document.close();
    expect((await picture(bytes)).samples[0]).toBe(0);
  });
});
