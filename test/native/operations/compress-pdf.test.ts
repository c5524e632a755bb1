// Tests which content compression removes and which it keeps. qpdf and poppler read the results.
// Contract: docs/api.md#compressed-pdf
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { CompressionProfile } from "../../../src/document/compression/profile.ts";
import { type CompressParams, compressPdf } from "../../../src/operations/compress-pdf.ts";
import { imageObject, onePage, rawPdf, samples } from "../../fixtures/image-pdfs.ts";
import { SPACES, twoInks } from "../../fixtures/image-spaces.ts";
import { PdfBuilder, plainPdf } from "../../fixtures/pdf-builder.ts";
import { pdfOf, stream } from "../../support/hostile-pdfs.ts";
import { CONTEXT, outputsOf } from "../../support/operations.ts";
import { attachedTo, PdfJson } from "../../support/pdf-json.ts";
import { pageTexts, qpdfComplaints, uncompressed } from "../../support/pdf-readers.ts";
import { perceptualDistance, popplerPage } from "../../support/pictures.ts";
import { encode, photograph } from "../document/formats/jpeg-pictures.ts";

const LEVELS = ["low", "medium", "high"] as const;
const compressed = async (pdf: Uint8Array, params: CompressParams = { level: "low" }, context = CONTEXT) =>
  (await outputsOf(compressPdf, [pdf], params, context))[0]!;
const custom = (pdf: Uint8Array, profile: CompressionProfile) => compressed(pdf, { level: "custom", profile });
const CONTAINER = { ...CONTEXT, heapLimitBytes: 1024 * 2 ** 20 };
const packed = { compression: "compress-entire-file" } as const;

/**
 * Returns a page with an image, tags, a form, an outline, a link, an attachment, layers, labels, metadata and removable
 * data.
 */
function fullPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const widget = builder.reserve();
  const element = builder.reserve();
  const layer = builder.add("<</Type/OCG/Name(L)>>");
  const note = builder.add("<</Type/Annot/Subtype/Text/Rect[10 10 30 30]/Contents(note)>>");
  const link = builder.add("<</Type/Annot/Subtype/Link/Rect[40 10 60 30]/A<</S/URI/URI(http://example.com)>>>>");
  const action = builder.add("<</S/JavaScript/JS(app.alert\\(1\\))>>");
  const annotations = `/Annots[${widget} ${note} ${link}]/StructParents 0/Tabs/S`;
  const gone = `/PieceInfo<</A<</Private(${"secret ".repeat(500)})>>>>/Thumb ${builder.stream("x".repeat(3000), "/Width 10/Height 100/BitsPerComponent 8/ColorSpace/DeviceRGB")}`;
  const page = builder.page(
    "/Span<</MCID 0>>BDC BT /F 24 Tf 30 150 Td (Hello) Tj ET EMC /OC/L BDC EMC",
    `${annotations}${gone}`,
    `/Properties<</L ${layer}>>`,
  );
  builder.set(widget, `<</Type/Annot/Subtype/Widget/FT/Tx/T(field)/V(value)/DA(/F 9 Tf)/Rect[70 10 90 30]/P ${page}>>`);
  const tree = builder.add(`<</Type/StructTreeRoot/K ${element}/ParentTree<</Nums[0[${element}]]>>>>`);
  builder.set(element, `<</Type/StructElem/S/P/P ${tree}/Pg ${page}/K 0>>`);
  const item = builder.reserve();
  const outlines = builder.add(`<</Type/Outlines/First ${item}/Last ${item}/Count 1>>`);
  builder.set(item, `<</Title(Chapter)/Parent ${outlines}/Dest[${page}/Fit]>>`);
  const file = builder.stream("attached", "/Type/EmbeddedFile");
  const attachment = builder.add(`<</Type/Filespec/F(a.txt)/UF(a.txt)/EF<</F ${file}>>>>`);
  const packet = `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/"/>${" ".repeat(2000)}<?xpacket end="w"?>`;
  const metadata = builder.stream(packet, "/Type/Metadata/Subtype/XML");
  const intent = "/OutputIntents[<</Type/OutputIntent/S/GTS_PDFA1/OutputConditionIdentifier(c)>>]";
  builder.catalog = `/MarkInfo<</Marked true>>/StructTreeRoot ${tree}/Outlines ${outlines}/AcroForm<</Fields[${widget}]>>/Names<</EmbeddedFiles<</Names[(a.txt) ${attachment}]>>/JavaScript<</Names[(s) ${action}]>>>>/OCProperties<</OCGs[${layer}]/D<</Order[${layer}]>>>>/PageLabels<</Nums[0<</S/r>>]>>/Metadata ${metadata}/OpenAction ${action}${intent}`;
  builder.add(`(${"nobody refers to it ".repeat(100)})`);
  const info = builder.add("<</Title(Of the document)>>");
  return builder.bytes(`/Info ${info}`);
}

describe("levels", () => {
  test("all parts of a document stay", async () => {
    const pdf = await compressed(fullPdf(), { level: "high" });
    const json = new PdfJson(pdf);
    expect(qpdfComplaints(pdf)).toBe("");
    expect(pageTexts(pdf)[0]).toContain("Hello");
    expect(json.outlines[0]!.title).toBe("Chapter");
    expect(json.fields.map(({ fullname }) => fullname)).toEqual(["field"]);
    expect(json.annotations(1).map((annotation) => annotation["/Subtype"])).toEqual(["/Widget", "/Text", "/Link"]);
    expect([...attachedTo(pdf)]).toEqual([["a.txt", "attached"]]);
    expect(json.at(json.catalog, "StructTreeRoot", "K", "S")).toBe("/P");
    expect(json.at(json.catalog, "OCProperties", "D", "Order", 0, "Name")).toBe("u:L");
    expect(Object.keys(json.catalog)).toEqual(
      expect.arrayContaining(["/MarkInfo", "/PageLabels", "/Metadata", "/OpenAction", "/OutputIntents"]),
    );
  });

  test("private data, thumbnails, padding of metadata and what nothing refers to go", async () => {
    const text = uncompressed(await compressed(fullPdf()));
    for (const gone of ["secret", "/Thumb", "nobody", " ".repeat(100)]) expect(text).not.toContain(gone);
    expect(text).toContain("x:xmpmeta");
    expect(text).toContain("Of the document");
  });

  test("equal fonts and images are stored once, however they are nested", async () => {
    const builder = new PdfBuilder();
    for (let page = 0; page < 4; page++) {
      const profile = builder.stream("p".repeat(5000), "/N 3");
      const space = builder.add(`[/ICCBased ${profile}]`);
      const image = builder.stream(
        deflateSync(Buffer.alloc(300, 7)),
        `/Type/XObject/Subtype/Image/Width 10/Height 10/BitsPerComponent 8/ColorSpace ${space}/Filter/FlateDecode`,
      );
      builder.page(`BT /F 24 Tf 30 150 Td (${page}) Tj ET /I Do`, "", `/XObject<</I ${image}>>`);
    }
    const json = new PdfJson(await compressed(builder.bytes()));
    expect(json.dictionaries.filter((object) => object["/Subtype"] === "/Image")).toHaveLength(1);
    expect(json.dictionaries.filter((object) => object["/N"] === 3)).toHaveLength(1);
  });

  test("what belongs to one place of a document stays apart", async () => {
    const builder = new PdfBuilder();
    const pages = [1, 2].map((page) =>
      builder.page(
        "same",
        `/Annots[${builder.add(`<</Type/Annot/Subtype/Square/Rect[0 0 9 9]/P ${builder.reserve()}/Contents(${page})>>`)}]`,
      ),
    );
    expect(pages).toHaveLength(2);
    const json = new PdfJson(await compressed(builder.bytes()));
    expect([1, 2].map((page) => json.annotations(page)[0]["/Contents"])).toEqual(["u:1", "u:2"]);
  });

  test("a file that has nothing to give is given back, byte for byte", async () => {
    const once = await compressed(plainPdf("a", "b"), { level: "high" });
    expect(Buffer.from(await compressed(once, { level: "high" })).equals(once)).toBe(true);
  });

  test("each level gives a smaller file than the one before, of a photograph", async () => {
    const jpeg = Buffer.from(encode(photograph(1240, 1240, 3), 95));
    const entries = "/ColorSpace/DeviceRGB/BitsPerComponent 8/Filter/DCTDecode";
    const pdf = rawPdf({ image: imageObject(1240, 1240, entries, jpeg) }, [onePage()]);
    const before = await popplerPage(pdf, 1, 100);
    let size = pdf.length;
    for (const level of LEVELS) {
      const made = await compressed(pdf, { level }, { ...CONTEXT, heapLimitBytes: 512 * 2 ** 20 });
      expect(qpdfComplaints(made)).toBe("");
      expect(made.length).toBeLessThan(size);
      size = made.length;
      const distance = perceptualDistance(before, await popplerPage(made, 1, 100));
      expect(distance).toBeLessThan(level === "low" ? 0.01 : 4);
    }
  });

  test("LZW and what has no filter become Flate; ASCII filters go", async () => {
    const builder = new PdfBuilder();
    const long = `BT /F 9 Tf 10 10 Td (${"words and words ".repeat(60)}) Tj ET`;
    const hex = builder.stream(`${Buffer.from(long).toString("hex")}>`, "/Filter/ASCIIHexDecode");
    const page = builder.page("q Q");
    builder.set(page, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${hex}>>`);
    const [made] = [await compressed(builder.bytes())];
    expect(Buffer.from(made).toString("latin1")).not.toContain("ASCIIHex");
  });
});

describe.each(LEVELS)("images at level %s", (level) => {
  test.each(Object.entries(SPACES))("%s", async (_, [entries, channels, bits]) => {
    const side = 500;
    const shade = (x: number, y: number, channel: number) => (x / side + (y / side) * (channel + 1)) % 1;
    const bytes = samples(side, side, channels, bits, shade);
    const pdf = rawPdf({ image: imageObject(side, side, entries, bytes), inks: twoInks }, [onePage(200)]);
    const made = await compressed(pdf, { level }, { ...CONTEXT, heapLimitBytes: 512 * 2 ** 20 });
    const [before, after] = await Promise.all([popplerPage(pdf, 1, 72), popplerPage(made, 1, 72)]);
    expect(made.length).toBeLessThan(pdf.length);
    expect(perceptualDistance(before, after)).toBeLessThan(level === "low" ? 0.5 : 8);
  });
});

describe("profiles", () => {
  test("what a profile does not name stays", async () => {
    const text = uncompressed(await custom(fullPdf(), { general: { "write-output-even-if-increase-in-size": true } }));
    for (const kept of ["secret", "/Thumb", "x:xmpmeta", "/OpenAction", "/Outlines"]) expect(text).toContain(kept);
    expect(text).not.toContain("nobody");
  });

  test.each<[CompressionProfile, string]>([
    [{ objects: { "discard-javascript-actions": true } }, "app.alert"],
    [{ objects: { "discard-thumbnails": true } }, "/Thumb"],
    [{ objects: { "discard-document-tags": true } }, "/StructElem"],
    [{ objects: { "discard-bookmarks": true } }, "Chapter"],
    [{ objects: { "discard-output-intent": true } }, "/OutputIntent"],
    [{ userdata: { "discard-comments-forms-multimedia": true } }, "/Widget"],
    [{ userdata: { "discard-document-information-and-metadata": true } }, "Of the document"],
    [{ userdata: { "discard-file-attachments": true } }, "/EmbeddedFile"],
    [{ userdata: { "discard-private-data": true } }, "secret"],
    [{ userdata: { "discard-xmp-metadata-padding": true } }, " ".repeat(100)],
  ])("%o", async (profile, gone) => {
    const pdf = fullPdf();
    expect(uncompressed(pdf)).toContain(gone);
    const made = await custom(pdf, { ...profile, cleanup: packed });
    expect(uncompressed(made)).not.toContain(gone);
    expect(qpdfComplaints(made)).toBe("");
    expect(pageTexts(made)[0]).toContain("Hello");
  });

  test("remove-compression leaves no filter that loses nothing", async () => {
    const pdf = await compressed(fullPdf());
    const made = await custom(pdf, {
      cleanup: { compression: "remove-compression" },
      general: { "write-output-even-if-increase-in-size": true },
    });
    expect(Buffer.from(made).toString("latin1")).not.toContain("/FlateDecode");
    expect(qpdfComplaints(made)).toBe("");
  });

  test("preserve-version keeps a file of version 1.4 one", async () => {
    const old = Buffer.from(fullPdf());
    old.write("%PDF-1.4", 0, "latin1");
    const made = Buffer.from(await custom(old, { cleanup: packed, general: { "preserve-version": true } }));
    expect(made.subarray(0, 8).toString()).toBe("%PDF-1.4");
    expect(made.toString("latin1")).not.toContain("/ObjStm");
    expect(qpdfComplaints(made)).toBe("");
  });

  test("images come down to the resolution of their kind", async () => {
    const bytes = samples(600, 600, 1, 8, (x, y) => ((x * 7 + y * 13) % 256) / 255);
    const pdf = rawPdf({ image: imageObject(600, 600, "/ColorSpace/DeviceGray/BitsPerComponent 8", bytes) }, [
      onePage(144),
    ]);
    const to = { downsample: { "trigger-dpi": 200, "target-dpi": 100 }, recompress: { type: "jpeg" } } as const;
    const widthOf = async (profile: CompressionProfile) => {
      const json = new PdfJson(await custom(pdf, { ...profile, cleanup: packed }));
      return json.dictionaries.find((object) => object["/Subtype"] === "/Image")["/Width"];
    };
    expect(await widthOf({ images: { grayscale: to } })).toBe(200);
    expect(await widthOf({ images: { color: to } })).toBe(600);
  });
});

describe("many of a kind", () => {
  const MANY = 200_000;
  const names = (value: (index: number) => string) =>
    Array.from({ length: MANY }, (_, index) => `/N${index} ${value(index)}`).join("");

  test("a dictionary and a font of so many entries", async () => {
    const builder = new PdfBuilder();
    const font = builder.add(
      `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Extra<<${names((index) => `${index}`)}>>>>`,
    );
    builder.page("BT /G 9 Tf (a) Tj ET", "", `/ExtGState<<>>/Font<</G ${font}>>`);
    expect(qpdfComplaints(await compressed(builder.bytes(), { level: "low" }, CONTAINER))).toBe("");
  });

  test("forms that all look for their resources on the page", { timeout: 30_000 }, async () => {
    const builder = new PdfBuilder();
    const numbers = Array.from({ length: 6_000 }, (_, index) => index);
    const form = (index: number) => builder.stream(`0 0 ${index} 1 re f`, "/Type/XObject/Subtype/Form/BBox[0 0 1 1]");
    const forms = numbers.map((index) => `/N${index} ${form(index)}`).join("");
    builder.page(
      `% (\n${numbers.map((index) => `/N${index} Do`).join("\n")}`,
      "",
      `/XObject<<${forms}/Unused ${form(0)}>>`,
    );
    const made = await compressed(builder.bytes(), { level: "low" }, CONTAINER);
    expect(qpdfComplaints(made)).toBe("");
    const text = uncompressed(made);
    expect([text.includes("/N5999 "), text.includes("/Unused")]).toEqual([true, false]);
  });

  test("an appearance of so many states", async () => {
    const builder = new PdfBuilder();
    const state = builder.stream("0 0 1 1 re f", "/Type/XObject/Subtype/Form/BBox[0 0 1 1]");
    const appearance = `/AP<</N<<${names(() => state)}>>>>`;
    builder.page("a", `/Annots[<</Type/Annot/Subtype/Widget/FT/Btn/T(b)/AS/N1/Rect[0 0 9 9]${appearance}>>]`);
    expect(qpdfComplaints(await compressed(builder.bytes(), { level: "low" }, CONTAINER))).toBe("");
  });

  test("content that cannot be decoded keeps its resources", async () => {
    const builder = new PdfBuilder();
    const content = builder.stream("no deflated data", "/Filter/FlateDecode");
    const image = builder.stream(
      "\xff",
      "/Type/XObject/Subtype/Image/Width 1/Height 1/BitsPerComponent 8/ColorSpace/DeviceGray",
    );
    const page = builder.page("a", "/Rotate 0");
    const padding = `/PieceInfo<</A<</Private(${"secret ".repeat(500)})>>>>`;
    builder.set(
      page,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]${padding}/Contents ${content}/Resources<</XObject<</Kept ${image}>>>>>>`,
    );
    expect(uncompressed(await compressed(builder.bytes()))).toContain("/Kept");
  });
});

describe("failures", () => {
  test("usage rights go, and what they were for stays", async () => {
    const PLAIN: CompressionProfile = {
      cleanup: { compression: "remove-compression" },
      general: { "write-output-even-if-increase-in-size": true },
    };
    const builder = new PdfBuilder();
    const rights = builder.add("<</Type/Sig/Filter/Adobe.PPKLite/ByteRange[0 1 2 3]/Contents<00>>>");
    const field = builder.add("<</FT/Tx/T(name)/V(value)>>");
    builder.page("a");
    for (const others of ["", "/Other 1"]) {
      builder.catalog = `/AcroForm<</Fields[${field}]>>/Perms<</UR3 ${rights}${others}>>`;
      const made = Buffer.from(await custom(builder.bytes(), PLAIN)).toString("latin1");
      expect(made).not.toMatch(/ByteRange|UR3/);
      expect(made).toContain("(value)");
      expect(made.includes("/Perms")).toBe(others !== "");
    }
  });

  test("a large image at the edge goes to the container", async () => {
    const bytes = samples(3000, 2000, 3, 8, (x, y, channel) => ((x * 7 + y * 13 + channel) % 256) / 255);
    const pdf = rawPdf({ image: imageObject(3000, 2000, "/ColorSpace/DeviceRGB/BitsPerComponent 8", bytes) }, [
      onePage(),
    ]);
    const edge = { ...CONTEXT, heapLimitBytes: 60 * 2 ** 20 };
    await expect(compressed(pdf, { level: "medium" }, edge)).rejects.toMatchObject({ reason: "too-large" });
    const container = { ...CONTEXT, heapLimitBytes: 1024 * 2 ** 20 };
    expect((await compressed(pdf, { level: "medium" }, container)).length).toBeLessThanOrEqual(pdf.length);
  });
});

describe("a stream with more filters than the engine can stack", () => {
  test.each(["/ASCIIHexDecode", "/ASCII85Decode", "/RunLengthDecode", "/FlateDecode"])("%s", async (filter) => {
    const page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>";
    const content = stream("61>", `/Filter[${filter.repeat(60_000)}]`);
    const pdf = pdfOf(["<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>", page, content]);
    for (const level of LEVELS) {
      const ended = await compressed(pdf, { level }).then(
        () => "compressed",
        ({ reason }) => reason,
      );
      expect(["compressed", "too-complex", "damaged"]).toContain(ended);
    }
  });
});
