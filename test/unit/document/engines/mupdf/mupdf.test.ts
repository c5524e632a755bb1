// Tests MuPDF as an engine: colors, bands, limits and hostile documents.
import { PDFDocument } from "mupdf";
import { describe, expect, test, vi } from "vitest";
import { EngineFailure } from "../../../../../src/document/contract/failure.ts";
import type { ColorModel } from "../../../../../src/document/contract/raster.ts";
import { MupdfDocument } from "../../../../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../../../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage, type RasterOptions } from "../../../../../src/document/engines/mupdf/page.ts";
import { HOSTILE_PDFS, onePage, pdfOf, stream } from "../../../../support/hostile-pdfs.ts";

const MIB = 1024 * 1024;
const LIMITS = { heapLimitBytes: 88 * MIB };

async function open(bytes: Uint8Array, limits = LIMITS): Promise<MupdfDocument> {
  return MupdfDocument.open(await Mupdf.create(limits), bytes, limits);
}

function draw(document: MupdfDocument, options: RasterOptions, order?: "bottom-up") {
  const page = new MupdfPage(document, 0);
  try {
    const raster = page.raster(options);
    const bands: { top: number; samples: Buffer }[] = [];
    for (const { top, samples } of raster.bands(order)) bands.push({ top, samples: Buffer.from(samples) });
    const samples = Buffer.concat(bands.toSorted((one, other) => one.top - other.top).map((band) => band.samples));
    return { width: raster.width, height: raster.height, bands: bands.map(({ top }) => top), samples };
  } finally {
    page.close();
  }
}

async function picture(bytes: Uint8Array, options: RasterOptions = { colorModel: "gray", dpi: 72 }) {
  const document = await open(bytes);
  try {
    return draw(document, options);
  } finally {
    document.close();
  }
}

/** Returns the reason for which a document cannot be opened. */
async function refusal(bytes: Uint8Array): Promise<string> {
  try {
    (await open(bytes)).close();
    return "opened";
  } catch (error) {
    if (error instanceof EngineFailure) return error.reason;
    throw error;
  }
}

const small = (content: string, resources = "", more: (string | Uint8Array)[] = [], page = "") =>
  onePage(content, resources, more, page, "0 0 10 10");

describe("colors", () => {
  const models: [ColorModel, number[], number[], number[]][] = [
    ["rgb", [255, 0, 0], [0, 0, 0], [255, 255, 255]],
    ["rgba", [255, 0, 0, 255], [0, 0, 0, 255], [0, 0, 0, 0]],
    ["gray", [77], [0], [255]],
    ["cmyk", [0, 254, 255, 0], [0, 0, 0, 255], [0, 0, 0, 0]],
    ["lab", [138, 209, 198], [0, 128, 128], [255, 128, 128]],
  ];
  test.each(models)("%s: red, black and paper", async (colorModel, red, black, paper) => {
    const sample = async (content: string) => {
      const { samples } = await picture(small(content), { colorModel, dpi: 72 });
      return [...samples.subarray(0, red.length)];
    };
    const drawn = await sample("1 0 0 rg 0 0 10 10 re f");
    for (const [index, value] of drawn.entries()) expect(Math.abs(value - red[index]!)).toBeLessThanOrEqual(2);
    expect(await sample("0 g 0 0 10 10 re f")).toEqual(black);
    expect(await sample("")).toEqual(paper);
  });

  test("rgba is straight: half transparent red stays red", async () => {
    const content = "/G gs 1 0 0 rg 0 0 10 10 re f";
    const bytes = small(content, "/ExtGState<</G<</ca .5>>>>");
    const { samples } = await picture(bytes, { colorModel: "rgba", dpi: 72 });
    expect(samples[0]).toBe(255);
    expect(samples[1]).toBe(0);
    expect(Math.abs(samples[3]! - 128)).toBeLessThanOrEqual(2);
  });

  test("ink that the document asks for is not converted, and its profile comes along", async () => {
    const document = await open(small("1 0 0 0 k 0 0 10 10 re f"));
    expect([...draw(document, { colorModel: "cmyk", dpi: 72 }).samples.subarray(0, 4)]).toEqual([255, 0, 0, 0]);
    const profile = Buffer.from(new MupdfPage(document, 0).raster({ colorModel: "cmyk", dpi: 72 }).iccProfile!);
    expect(profile.readUInt32BE(0)).toBe(profile.length);
    expect(profile.toString("latin1", 16, 20)).toBe("CMYK");
    expect(profile.toString("latin1", 36, 40)).toBe("acsp");
    document.close();
  });
});

/**
 * Expects equal pixels, except at edges, which can be rounded to a different quarter of a pixel if a band starts
 * elsewhere.
 */
function expectAlmostEqual(some: Uint8Array, other: Uint8Array): void {
  expect(some.length).toBe(other.length);
  const differences = some.map((value, index) => Math.abs(value - other[index]!)).filter((value) => value > 0);
  expect(differences.length / some.length).toBeLessThan(0.01);
  expect(Math.max(0, ...differences)).toBeLessThan(48);
}

describe("bands", () => {
  const text = `BT /F 40 Tf 20 700 Td 44 TL ${"(Hamburgefonts in bands) Tj T* ".repeat(15)} ET 3 w 0 0 m 612 792 l S`;
  const letter = onePage(text, "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>");

  test("make the same picture whatever their height and order", async () => {
    const options = { colorModel: "gray", dpi: 100 } as const;
    const whole = await picture(letter, options);
    expect(whole.bands).toEqual([0]);
    for (const bandBytes of [1, 100_000, 500_000]) {
      const banded = await picture(letter, { ...options, bandBytes });
      expect(banded.bands.length).toBeGreaterThan(1);
      expectAlmostEqual(banded.samples, whole.samples);
    }
    const document = await open(letter);
    const upward = draw(document, { ...options, bandBytes: 100_000 }, "bottom-up");
    expect(upward.bands).toEqual(upward.bands.toSorted((one, other) => other - one));
    expectAlmostEqual(upward.samples, whole.samples);
    document.close();
  });

  test("are made anew at every pass", async () => {
    const document = await open(letter);
    const page = new MupdfPage(document, 0);
    const raster = page.raster({ colorModel: "rgb", dpi: 50, bandBytes: 50_000 });
    const pass = () => Buffer.concat(Array.from(raster.bands(), ({ samples }) => Buffer.from(samples)));
    expect(pass().equals(pass())).toBe(true);
    document.close();
  });

  test("end when the page is closed or the job aborted", async () => {
    const document = await open(letter);
    const aborting = new AbortController();
    const page = new MupdfPage(document, 0);
    const bands = page.raster({ colorModel: "rgb", dpi: 72, bandBytes: 100_000, signal: aborting.signal }).bands();
    const iterator = bands[Symbol.iterator]();
    iterator.next();
    aborting.abort(new Error("gone"));
    expect(() => iterator.next()).toThrow("gone");
    page.close();
    expect(() => [...page.raster({ colorModel: "rgb", dpi: 72 }).bands()]).toThrow("closed");
    document.close();
  });

  test("become smaller where transparency needs more than the heap may have", async () => {
    const deep = HOSTILE_PDFS.find(({ name }) => name === "transparency groups 60 deep")!.bytes();
    const document = await open(deep, { heapLimitBytes: 40 * MIB });
    const { bands, samples } = draw(document, { colorModel: "rgb", dpi: 72 });
    expect(bands.length).toBeGreaterThan(1);
    expect(document.engine.refusals).toBeGreaterThan(0);
    expectAlmostEqual(samples, (await picture(deep, { colorModel: "rgb", dpi: 72, bandBytes: 50_000 })).samples);
    document.close();
  });
});

describe("the size of a page", () => {
  const boxes: [string, string, number, number][] = [
    ["is the media box", "", 200, 100],
    ["is the crop box", "/CropBox[10 10 110 60]", 100, 50],
    ["turns with /Rotate", "/Rotate 90", 100, 200],
    ["grows with /UserUnit", "/UserUnit 2", 400, 200],
    ["is rounded", "/CropBox[0 0 50.4 50.6]", 50, 51],
  ];
  test.each(boxes)("%s", async (_, entries, width, height) => {
    const drawn = await picture(onePage("0 g 0 0 500 500 re f", "", [], entries, "0 0 200 100"));
    expect([drawn.width, drawn.height]).toEqual([width, height]);
    expect(Math.max(...drawn.samples)).toBeLessThanOrEqual(16);
  });

  test("is one pixel at least", async () => {
    const drawn = await picture(onePage("", "", [], "", "0 0 100 2"), { colorModel: "gray", dpi: 12 });
    expect([drawn.width, drawn.height]).toEqual([17, 1]);
  });

  test("gray is the weighted color, pixel by pixel, in rows of any length", async () => {
    const page = onePage("1 0 0 rg 3 0 2 2 re f 0 1 0 rg 6 0 3 1 re f .9 g 0 1 1 1 re f", "", [], "", "0 0 11 3");
    const [rgb, gray] = [await picture(page, { colorModel: "rgb", dpi: 72 }), await picture(page)];
    const weighed = Array.from({ length: 33 }, (_, index) => {
      const [red, green, blue] = rgb.samples.subarray(3 * index);
      return (77 * red! + 151 * green! + 28 * blue! + 128) >> 8;
    });
    expect([...gray.samples]).toEqual(weighed);
    expect(new Set(weighed)).toEqual(new Set([255, 77, 150, 229]));
  });
});

describe("what a screen shows", () => {
  const box = (entries: string) => [
    `<</Type/Annot/Subtype/Square/Rect[0 0 10 10]/AP<</N 6 0 R>>${entries}>>`,
    stream("0 g 0 0 10 10 re f", "/Type/XObject/Subtype/Form/BBox[0 0 10 10]"),
  ];
  const drawn = async (bytes: Uint8Array) => (await picture(bytes)).samples.some((value) => value < 128);
  const flags: [string, string, boolean][] = [
    ["an annotation with the Print flag is drawn", "/F 4", true],
    ["one without the Print flag is drawn", "/F 0", true],
    ["one without flags is drawn", "", true],
    ["one that is not for viewing but for printing is not drawn", "/F 36", false],
    ["a hidden one is not drawn", "/F 6", false],
  ];
  test.each(flags)("%s", async (_, entries, expected) => {
    expect(await drawn(small("", "", box(entries), "/Annots[5 0 R]"))).toBe(expected);
  });

  test("a pop-up is not drawn", async () => {
    const [annotation, appearance] = box("/F 4");
    const popup = (annotation as string).replace("/Square", "/Popup");
    expect(await drawn(small("", "", [popup, appearance!], "/Annots[5 0 R]"))).toBe(false);
  });

  test("a form field without appearance gets one", async () => {
    const field = "<</Type/Annot/Subtype/Widget/FT/Tx/T(a)/V(MMMM)/F 4/Rect[10 10 190 90]/DA(/Helv 40 Tf 0 g)>>";
    const font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>";
    const bytes = pdfOf([
      `<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[4 0 R]/NeedAppearances true/DR<</Font<</Helv ${font}>>>>>>>>`,
      "<</Type/Pages/Kids[3 0 R]/Count 1>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Annots[4 0 R]>>",
      field,
    ]);
    expect(await drawn(bytes)).toBe(true);
  });
});

describe("a page that nests", () => {
  const nested = async (content: string, times: number) => {
    const { samples } = await picture(small(`${content.repeat(times)} 0 0 10 10 re f`));
    return samples[0];
  };

  test("30,000 graphics states deep is drawn", async () => {
    expect(await nested("q ", 30_000)).toBe(0);
  });

  test("1,000 clips deep is drawn", async () => {
    expect(await nested("q 0 0 10 10 re W n ", 1_000)).toBe(0);
  });

  const limits: [string, string, number][] = [
    ["graphics states", "q ", 100_000],
    ["clips", "0 0 10 10 re W n ", 5_000],
    ["clips with states", "q 0 0 10 10 re W* n ", 5_000],
  ];
  test.each(limits)("%s deeper than the engine can is too complex, not blank", async (_, content, times) => {
    await expect(nested(content, times)).rejects.toMatchObject({ reason: "too-complex" });
  });

  test("too deep is the reason why all later work with the engine fails, too", async () => {
    const { engine } = await open(small("0 0 10 10 re f"));
    const nest = (): number => 1 + nest();
    expect(() => engine.run(nest)).toThrow("too-complex");
    expect(() => engine.run(() => 0)).toThrow("too-complex");
    expect(engine.dead).toBe(true);
  });

  test("a form too deep for the engine is too complex, and the document goes on", async () => {
    const form = stream("q ".repeat(100_000), "/Subtype/Form/BBox[0 0 10 10]");
    const document = await open(small("/X Do 0 0 10 10 re f", "/XObject<</X 5 0 R>>", [form]));
    for (let times = 0; times < 3; times++) {
      expect(() => draw(document, { colorModel: "gray", dpi: 72 })).toThrow("too many nested");
    }
    expect(document.engine.dead).toBe(false);
    document.close();
  });
});

describe("opening", () => {
  const encrypted = (passwords: string) => {
    const plain = PDFDocument.openDocument(small("0 0 10 10 re f"), "application/pdf");
    return plain.asPDF()!.saveToBuffer(`encrypt=aes-256,${passwords}`).asUint8Array().slice();
  };

  test("a document with a user password is password-protected", async () => {
    expect(await refusal(encrypted("user-password=user,owner-password=owner"))).toBe("password-protected");
  });

  test("a document encrypted for the holders of certificates is password-protected", async () => {
    const security = "<</Filter/Adobe.PubSec/SubFilter/adbe.pkcs7.s4/V 4/Length 128/Recipients[<00>]>>";
    const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[]/Count 0>>"], `/Encrypt ${security}`);
    expect(await refusal(pdf)).toBe("password-protected");
  });

  test("a document with only an owner password opens", async () => {
    const { samples } = await picture(encrypted("owner-password=owner"));
    expect(samples[0]).toBe(0);
  });

  const others: [string, string | Uint8Array][] = [
    ["nothing", ""],
    ["text", "Lorem ipsum dolor sit amet"],
    ["HTML", "<!DOCTYPE html><html><body><p>%PDF is not in here</p></body></html>"],
    ["RTF", "{\\rtf1\\ansi Hello}"],
    ["a zip", "PK\x03\x04\x14\x00\x00\x00\x00\x00mimetypeapplication/epub+zip"],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'],
    ["PNG", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"],
  ];
  test.each(others)("%s is not a PDF", async (_, content) => {
    expect(await refusal(new Uint8Array(Buffer.from(content as string, "latin1")))).toBe("not-a-pdf");
  });

  test.each([
    ["a header and nothing else", "%PDF-1.7\n%%EOF"],
    ["a stream longer than can be", "%PDF-1.7\n1 0 obj<</Type/Catalog/Length 2147483648>>stream"],
  ])("%s is damaged", async (_, content) => {
    expect(await refusal(new Uint8Array(Buffer.from(content)))).toBe("damaged");
  });

  test("a document without its header, cross-reference table or end is repaired", async () => {
    const bytes = Buffer.from(small("0 0 10 10 re f"));
    const cuts = [
      bytes.subarray(9),
      bytes.subarray(0, bytes.lastIndexOf("xref\n0")),
      Buffer.concat([Buffer.alloc(500, 32), bytes]),
    ];
    for (const cut of cuts) expect((await picture(new Uint8Array(cut))).samples[0]).toBe(0);
  });

  test("a page tree that comes back to itself gives the pages it has, with what they inherit", async () => {
    const bytes = pdfOf([
      "<</Type/Catalog/Pages 2 0 R>>",
      "<</Type/Pages/Kids[3 0 R 2 0 R 5 0 R]/Count 9/Parent 3 0 R>>",
      "<</Type/Pages/Kids[4 0 R 2 0 R]/Count 4/MediaBox[0 0 30 40]/Parent 2 0 R>>",
      "<</Type/Page/Parent 3 0 R>>",
      "<</Type/Page/Parent 2 0 R/MediaBox[0 0 10 20]>>",
    ]);
    const document = await open(bytes);
    const size = (index: number) => new MupdfPage(document, index).pixels(72);
    expect(document.pageCount).toBe(2);
    expect([size(0), size(1)]).toEqual([
      { width: 30, height: 40 },
      { width: 10, height: 20 },
    ]);
    await document.reopen();
    expect(size(1)).toEqual({ width: 10, height: 20 });
    document.close();
  });

  test("many documents are open side by side, each with its own bytes", async () => {
    const grays = [0, 0.2, 0.4, 0.6, 0.8];
    const documents = await Promise.all(grays.map((gray) => open(small(`${gray} g 0 0 10 10 re f`))));
    const drawn = documents.map((document) => draw(document, { colorModel: "gray", dpi: 72 }).samples[0]);
    expect(drawn).toEqual(grays.map((gray) => Math.round(gray * 255)));
    for (const document of documents) document.close();
  });

  test("what MuPDF reports is kept, and not written to the console", async () => {
    const spies = (["log", "warn", "error"] as const).map((method) => vi.spyOn(console, method));
    const document = await open(small("/Nothing Do 0 0 10 10 re f /Nothing gs"));
    draw(document, { colorModel: "gray", dpi: 72 });
    expect(document.messageCount).toBeGreaterThan(0);
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
    document.close();
    vi.restoreAllMocks();
  });

  test("goes on in a fresh engine", async () => {
    const document = await open(small("0 0 10 10 re f"));
    const old = document.engine;
    await document.reopen();
    expect(document.engine).not.toBe(old);
    expect(old.dead).toBe(true);
    expect(draw(document, { colorModel: "gray", dpi: 72 }).samples[0]).toBe(0);
    document.close();
  });
});

describe("hostile documents end in a picture or a refusal within the heap's limit", () => {
  // A tenth of the usual limit, to save time: the test checks that there is a limit, not its value.
  const limits = { ...LIMITS, effort: 0.1 };
  test.each(HOSTILE_PDFS)("$name", async ({ bytes }) => {
    const engine = await Mupdf.create(limits);
    let outcome = "a picture";
    try {
      const document = MupdfDocument.open(engine, bytes(), limits);
      draw(document, { colorModel: "rgb", dpi: 72 });
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      outcome = error.reason;
    }
    expect(["a picture", "damaged", "too-complex", "too-large"]).toContain(outcome);
    expect(engine.heapBytes).toBeLessThanOrEqual(LIMITS.heapLimitBytes);
    expect((await picture(small("0 0 10 10 re f"))).samples[0]).toBe(0);
  });
});
