// Tests that complete fonts in a document are reduced to subsets: used glyphs remain, and text stays the same. The
// fonts are installed on the machine.
import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { readCmap } from "../../../../src/document/fonts/truetype/cmap.ts";
import { dehint, needsHints } from "../../../../src/document/fonts/truetype/dehint.ts";
import { subsetTrueType } from "../../../../src/document/fonts/truetype/subset-truetype.ts";
import { outlineOf, readTrueType } from "../../../../src/document/fonts/truetype/truetype.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, qpdfComplaints } from "../../../support/pdf-readers.ts";

const path = ["/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"].find((file) => existsSync(file));
if (!path) console.log("DejaVu Sans is not installed: tests of fonts are skipped.");
const program = path ? new Uint8Array(readFileSync(path)) : new Uint8Array(0);
const compressed = async (pdf: Uint8Array, level: Level = "low") =>
  (await outputsOf(compressPdf, [pdf], { level }))[0]!;

/** Returns a builder with the whole font, and its descriptor. */
function withFont() {
  const builder = new PdfBuilder();
  const file = builder.stream(program, `/Length1 ${program.length}`);
  const metrics =
    "/Flags 32/FontBBox[-1000 -300 1500 1000]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80";
  const descriptor = builder.add(`<</Type/FontDescriptor/FontName/DejaVuSans${metrics}/FontFile2 ${file}>>`);
  return { builder, descriptor };
}

const widths = `[${Array(224).fill(600).join(" ")}]`;
const simple = (descriptor: string) =>
  `<</Type/Font/Subtype/TrueType/BaseFont/DejaVuSans/FirstChar 32/LastChar 255/Widths ${widths}/Encoding/WinAnsiEncoding/FontDescriptor ${descriptor}>>`;

describe.skipIf(!path)("fonts", () => {
  const font = readTrueType(program)!;
  const glyphOf = (character: string) =>
    readCmap(font)!
      .map(({ glyphOf }) => glyphOf(character.codePointAt(0)!))
      .find((glyph) => glyph > 0)!;

  test("a font with codes of one byte: its accents, made of other glyphs, too", async () => {
    const { builder, descriptor } = withFont();
    const reference = builder.add(simple(descriptor));
    builder.page("BT /G 24 Tf 30 150 Td (Caf\xe9 \x80 \xc5) Tj ET", `/Resources<</Font<</G ${reference}>>>>`);
    const page = builder.reserve();
    const content = builder.stream(Buffer.from("BT /G 24 Tf 30 150 Td (Caf\xe9 \x80 \xc5) Tj ET", "latin1"));
    builder.page("a", "", "", page);
    builder.set(
      page,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${content}/Resources<</Font<</G ${reference}>>>>>>`,
    );
    const pdf = builder.bytes();
    const made = await compressed(pdf);
    expect(made.length).toBeLessThan(pdf.length / 20);
    expect(qpdfComplaints(made)).toBe("");
    expect(pageTexts(made)[1]).toBe("Café € Å");
    expect(picturesOf(made, 72)).toEqual(picturesOf(pdf, 72));
    const names = new PdfJson(made).dictionaries.flatMap((one) => one["/BaseFont"] ?? one["/FontName"] ?? []);
    expect(names.filter((name) => /^\/[A-Z]{6}\+DejaVuSans$/.test(name))).toHaveLength(2);
  });

  test("a font with codes of two bytes, from a hidden layer and an appearance's other state as well", async () => {
    const { builder, descriptor } = withFont();
    const cid = builder.add(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont/DejaVuSans/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/FontDescriptor ${descriptor}/DW 600/CIDToGIDMap/Identity>>`,
    );
    const reference = builder.add(
      `<</Type/Font/Subtype/Type0/BaseFont/DejaVuSans/Encoding/Identity-H/DescendantFonts[${cid}]>>`,
    );
    const codes = (text: string) => Array.from(text, (one) => glyphOf(one).toString(16).padStart(4, "0")).join("");
    const show = (text: string) => `BT /G 24 Tf 30 150 Td <${codes(text)}> Tj ET`;
    const resources = `/Resources<</Font<</G ${reference}>>>>`;
    const layer = builder.add("<</Type/OCG/Name(L)>>");
    const hidden = builder.stream(show("X"), `/Type/XObject/Subtype/Form/BBox[0 0 300 200]/OC ${layer}${resources}`);
    const states = ["Y", "Z"].map((text) =>
      builder.stream(show(text), `/Type/XObject/Subtype/Form/BBox[0 0 300 200]${resources}`),
    );
    const widget = builder.add(
      `<</Type/Annot/Subtype/Widget/FT/Btn/T(b)/AS/On/Rect[0 0 300 200]/AP<</N<</On ${states[0]}/Off ${states[1]}>>>>>>`,
    );
    const page = builder.page("a");
    const content = builder.stream(`${show("W")} /H Do`);
    builder.catalog = `/OCProperties<</OCGs[${layer}]/D<</OFF[${layer}]>>>>/AcroForm<</Fields[${widget}]>>`;
    builder.set(
      page,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${content}/Annots[${widget}]/Resources<</Font<</G ${reference}>>/XObject<</H ${hidden}>>>>>>`,
    );
    const pdf = builder.bytes();
    const made = await compressed(pdf);
    expect(made.length).toBeLessThan(pdf.length / 50);
    expect(picturesOf(made, 72)).toEqual(picturesOf(pdf, 72));
    const shown = (bytes: Uint8Array) => bytes;
    const subset = readTrueType(
      subsetTrueType(shown(program), { glyphs: new Set(["W", "X", "Y", "Z"].map(glyphOf)), byNumber: true })!,
    )!;
    for (const letter of "WXYZ") {
      expect([...outlineOf(subset, glyphOf(letter))].slice(0, 20)).toEqual(
        [...outlineOf(font, glyphOf(letter))].slice(0, 20),
      );
    }
    const length1 = new PdfJson(made).dictionaries.find((one) => one["/Length1"])["/Length1"];
    expect(length1).toBe(
      subsetTrueType(program, { glyphs: new Set(["W", "X", "Y", "Z"].map(glyphOf)), byNumber: true })!.length,
    );
  });

  test("medium leaves out what fits outlines to pixels, and no outline changes", async () => {
    const { builder, descriptor } = withFont();
    const reference = builder.add(simple(descriptor));
    const page = builder.page("a");
    // Glyphs of one outline, and composite glyphs.
    const content = builder.stream(Buffer.from("BT /G 24 Tf 30 150 Td (Caf\xe9 \x80 \xc5) Tj ET", "latin1"));
    builder.set(
      page,
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${content}/Resources<</Font<</G ${reference}>>>>>>`,
    );
    const pdf = builder.bytes();
    const [low, medium] = [await compressed(pdf), await compressed(pdf, "medium")];
    expect(medium.length).toBeLessThan(low.length * 0.8);
    expect(qpdfComplaints(medium)).toBe("");
    expect(pageTexts(medium)).toEqual(["Café € Å"]);
    expect(picturesOf(medium, 150)).toEqual(picturesOf(pdf, 150));
  });

  test("outlines that are not as they have to be", () => {
    expect(dehint(new Uint8Array(0))).toHaveLength(0);
    expect(dehint(Uint8Array.of(0, 1, 0, 0))).toBeUndefined();
    // Instructions beyond the end; a component without its numbers.
    expect(dehint(Uint8Array.of(0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 1))).toBeUndefined();
    expect(dehint(Uint8Array.of(0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x21, 0, 0, 0))).toBeUndefined();
  });

  test("fonts that programs draw keep them", () => {
    expect(["MingLiU", "DFKaiShu-SB-Estd-BF", "", "CIDFont+F1", "\xb2\xd3"].filter(needsHints)).toHaveLength(5);
    expect(["DejaVuSans", "ArialMT", "TimesNewRomanPS-BoldMT"].filter(needsHints)).toEqual([]);
  });

  test("a form's font keeps all its glyphs: what will be typed is not known", async () => {
    const { builder, descriptor } = withFont();
    const reference = builder.add(simple(descriptor));
    builder.catalog = `/AcroForm<</Fields[]/DR<</Font<</G ${reference}>>>>>>`;
    builder.page("BT (a) Tj ET");
    const made = await compressed(builder.bytes());
    expect(made.length).toBeGreaterThan(100_000);
  });

  test.each<[string, (bytes: Uint8Array) => Uint8Array]>([
    ["a font that ends early", (bytes) => bytes.subarray(0, bytes.length / 2)],
    ["one of another kind", (bytes) => Uint8Array.of(0x4f, 0x54, 0x54, 0x4f, ...bytes.subarray(4, 400))],
    ["nothing", () => new Uint8Array(0)],
  ])("%s is left as it is", (_, damage) => {
    expect(subsetTrueType(damage(program), { byNumber: true })).toBeUndefined();
  });
});
