// Tests several subsets of one font in a document: they share one program if they do not contradict each other, and
// otherwise stay separate. The fonts are installed on the machine.

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { CompressionProfile } from "../../../../src/document/compression/profile.ts";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { type CffFont, glyphNames, readCff } from "../../../../src/document/fonts/cff/cff.ts";
import { desubroutinize } from "../../../../src/document/fonts/cff/desubroutinize.ts";
import { writeNamedCff } from "../../../../src/document/fonts/cff/named-cff.ts";
import { writeCff } from "../../../../src/document/fonts/cff/writer.ts";
import { winAnsiEncoding } from "../../../../src/document/fonts/names/glyph-names.ts";
import { readCmap } from "../../../../src/document/fonts/truetype/cmap.ts";
import { mergeTrueType, readContents } from "../../../../src/document/fonts/truetype/merge-truetype.ts";
import { subsetTrueType } from "../../../../src/document/fonts/truetype/subset-truetype.ts";
import { advanceWidth, outlineOf, readTrueType } from "../../../../src/document/fonts/truetype/truetype.ts";
import { readProgram } from "../../../../src/document/pdfa/fonts/font-program.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { bareCff } from "../../../fixtures/font-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { damagedCopies } from "../../../support/damaged-bytes.ts";
import { hasMachineFonts, machineFace } from "../../../support/font-provider.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";

const compressed = async (pdf: Uint8Array, level: Level) => (await outputsOf(compressPdf, [pdf], { level }))[0]!;
const withProfile = async (pdf: Uint8Array, profile: CompressionProfile) =>
  (await outputsOf(compressPdf, [pdf], { level: "custom", profile }))[0]!;
const mupdfPictures = (pdf: Uint8Array) =>
  withFile(pdf, (path) =>
    execFileSync("mutool", ["draw", "-q", "-r", "72", "-F", "ppm", "-o", "-", path], { maxBuffer: 2 ** 28 }),
  );
const METRICS = "/Flags 4/FontBBox[-1000 -300 1500 1000]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80";
const SYSTEM = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";

function expectSameLook(made: Uint8Array, pdf: Uint8Array): void {
  expect(qpdfComplaints(made)).toBe("");
  expect(pageTexts(made)).toEqual(pageTexts(pdf));
  expect(Buffer.concat(picturesOf(made, 72)).equals(Buffer.concat(picturesOf(pdf, 72)))).toBe(true);
  expect(mupdfPictures(made).equals(mupdfPictures(pdf))).toBe(true);
}

/** A page: its text, and the program of its font. */
interface Page {
  readonly text: string;
  readonly program: Uint8Array;
  readonly name?: string;
}

describe.skipIf(!hasMachineFonts)("subsets of one font", () => {
  const program = machineFace("LiberationSans-Regular") ?? new Uint8Array(0);
  const font = readTrueType(program)!;
  const maps = hasMachineFonts ? readCmap(font)! : [];
  const glyphOf = (one: string) => maps.map((map) => map.glyphOf(one.codePointAt(0)!)).find((glyph) => glyph > 0)!;
  const glyphsOf = (text: string) => new Set(Array.from(text, glyphOf));
  const subset = (text: string) => subsetTrueType(program, { glyphs: glyphsOf(text), byNumber: true })!;
  const partOf = (text: string): Page => ({ text, program: subset(text) });
  const tagOf = (index: number) => `${String.fromCharCode(65 + (index % 26), 65 + ((index / 26) % 26))}AAAA+Some`;

  function addPage(builder: PdfBuilder, resources: string, shown: string): void {
    const page = builder.page("a");
    const content = builder.stream(Buffer.from(`BT /G 20 Tf 20 150 Td ${shown} Tj ET`, "latin1"));
    builder.set(page, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents ${content}${resources}>>`);
  }

  function composite(pages: readonly Page[], prepare: (builder: PdfBuilder) => void = () => {}): Uint8Array {
    const builder = new PdfBuilder();
    pages.forEach(({ text, program: file, name }, index) => {
      const base = name ?? tagOf(index);
      const set = builder.stream(Uint8Array.of(0x80, index));
      const stream = builder.stream(file, `/Length1 ${file.length}`);
      const descriptor = builder.add(
        `<</Type/FontDescriptor/FontName/${base}${METRICS}/CIDSet ${set}/FontFile2 ${stream}>>`,
      );
      const inner = builder.add(
        `<</Type/Font/Subtype/CIDFontType2/BaseFont/${base}${SYSTEM}/DW 600/CIDToGIDMap/Identity/FontDescriptor ${descriptor}>>`,
      );
      const outer = builder.add(
        `<</Type/Font/Subtype/Type0/BaseFont/${base}/Encoding/Identity-H/DescendantFonts[${inner}]>>`,
      );
      const codes = Array.from(text, (one) => glyphOf(one).toString(16).padStart(4, "0")).join("");
      addPage(builder, `/Resources<</Font<</G ${outer}>>>>`, `<${codes}>`);
    });
    prepare(builder);
    return builder.bytes();
  }

  function simple(pages: readonly Page[]): Uint8Array {
    const builder = new PdfBuilder();
    pages.forEach(({ text, program: file }, index) => {
      const base = tagOf(index);
      const stream = builder.stream(file, `/Length1 ${file.length}`);
      const metrics = METRICS.replace("/Flags 4", "/Flags 32");
      const descriptor = builder.add(`<</Type/FontDescriptor/FontName/${base}${metrics}/FontFile2 ${stream}>>`);
      const widths = `/FirstChar 32/LastChar 255/Widths[${Array(224).fill(600).join(" ")}]`;
      const reference = builder.add(
        `<</Type/Font/Subtype/TrueType/BaseFont/${base}${widths}/Encoding/WinAnsiEncoding/FontDescriptor ${descriptor}>>`,
      );
      addPage(builder, `/Resources<</Font<</G ${reference}>>>>`, `(${text})`);
    });
    return builder.bytes();
  }

  function inCff(pages: readonly Page[]): Uint8Array {
    const builder = new PdfBuilder();
    for (const { text, program: file, name } of pages) {
      const stream = builder.stream(file, "/Subtype/Type1C");
      const metrics = METRICS.replace("/Flags 4", "/Flags 32");
      const descriptor = builder.add(
        `<</Type/FontDescriptor/FontName/${name}${metrics}/CharSet(/A)/FontFile3 ${stream}>>`,
      );
      const widths = `/FirstChar 32/LastChar 255/Widths[${Array(224).fill(600).join(" ")}]`;
      const reference = builder.add(
        `<</Type/Font/Subtype/Type1/BaseFont/${name}${widths}/Encoding/WinAnsiEncoding/FontDescriptor ${descriptor}>>`,
      );
      addPage(builder, `/Resources<</Font<</G ${reference}>>>>`, `(${text})`);
    }
    return builder.bytes();
  }

  const programsOf = (pdf: Uint8Array) =>
    new PdfJson(pdf).dictionaries.filter((one) => one["/Length1"] !== undefined).length;
  const namesOf = (pdf: Uint8Array) =>
    new PdfJson(pdf).dictionaries.flatMap((one) => [one["/BaseFont"], one["/FontName"]].filter((name) => name));

  test.each<Level>(["low", "medium", "high"])("glyphs under the same numbers: %s", async (level) => {
    const pdf = composite(["Hello \xc9t\xe9", "World, \xe9l\xe8ve", "Held!", "xyz"].map(partOf));
    const made = await compressed(pdf, level);
    expectSameLook(made, pdf);
    expect(programsOf(made)).toBe(1);
    const names = new Set(namesOf(made).filter((name) => name.endsWith("+Some")));
    expect([...names]).toEqual([expect.stringMatching(/^\/[A-Z]{6}\+Some$/)]);
    expect(new PdfJson(made).dictionaries.some((one) => one["/CIDSet"] !== undefined)).toBe(false);
  });

  test("a hundred subsets take little more than their glyphs", async () => {
    const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const pages = Array.from({ length: 100 }, (_, at) =>
      partOf(Array.from({ length: 12 }, (_, one) => letters[(at * 7 + one * 5) % 52]).join("")),
    );
    const pdf = composite(pages);
    const made = await compressed(pdf, "low");
    expect(programsOf(made)).toBe(1);
    expect(made.length).toBeLessThan(pdf.length / 10);
    expect(pageTexts(made)).toEqual(pageTexts(pdf));
  });

  test("fonts with codes of one byte, whose maps agree", async () => {
    const own = (text: string): Page => {
      const characters = new Set(Array.from(text, (one) => one.codePointAt(0)!));
      return { text, program: subsetTrueType(program, { glyphs: glyphsOf(text), characters, byNumber: false })! };
    };
    const pdf = simple(["Caf\xe9", "Wasser", "acdef"].map(own));
    const made = await compressed(pdf, "medium");
    expect(programsOf(made)).toBe(1);
    expectSameLook(made, pdf);
  });

  test.each<Level>(["low", "medium"])("fonts in CFF, with hints and subroutines: %s", async (level) => {
    const whole = readCff(bareCff())!;
    const names = glyphNames(whole);
    const own = (text: string, index: number) => {
      const kept = [...new Set(Array.from(text, (one) => winAnsiEncoding()[one.charCodeAt(0)]!))];
      const glyphs = [".notdef", ...kept].map((name) => ({ source: names.indexOf(name), identity: name }));
      const made = writeCff(whole, glyphs, { keepsEncoding: false })!;
      return { text, program: made, name: `${tagOf(index)}` };
    };
    const pages = ["Caf\xe9 3", "Wasser & \xc5", "acdef %"].map(own);
    const pdf = inCff(pages);
    const made = await compressed(pdf, level);
    expect(new PdfJson(made).dictionaries.filter((one) => one["/Subtype"] === "/Type1C")).toHaveLength(1);
    expect(new PdfJson(made).dictionaries.some((one) => one["/CharSet"] !== undefined)).toBe(false);
    expect(made.length).toBeLessThan(
      (await withProfile(pdf, { cleanup: { compression: "compress-entire-file" } })).length,
    );
    expectSameLook(made, pdf);
    // A font with a different weight: the same names, different outlines.
    const bold = readProgram(machineFace("NimbusSans-Bold")!) as { font: CffFont };
    const other = writeCff(
      bold.font,
      [".notdef", "a"].map((name) => ({ source: glyphNames(bold.font).indexOf(name), identity: name })),
      { keepsEncoding: false },
    )!;
    const apart = await compressed(inCff([...pages, { text: "a", program: other, name: "ZZZZZZ+Some" }]), level);
    expect(new PdfJson(apart).dictionaries.filter((one) => one["/Subtype"] === "/Type1C")).toHaveLength(2);
  });

  test("damaged CFF does nothing bad", () => {
    const program = bareCff();
    for (const bytes of damagedCopies([program], { copies: 200, changes: 6, headBytes: 3000 })) {
      const font = readCff(bytes);
      if (!font) continue;
      try {
        const flat = desubroutinize(font, { names: ["A", "eacute", "ampersand"], codes: [65] });
        const made = flat && writeNamedCff([flat]);
        if (made) expect(glyphNames(readCff(made)!)).toContain(".notdef");
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }
  });

  test("a profile asks for it by one key", async () => {
    const pdf = composite(["Hello", "World"].map(partOf));
    const merged = await withProfile(pdf, { fonts: { "consolidate-duplicate-fonts": true } });
    expect(programsOf(merged)).toBe(1);
    expectSameLook(merged, pdf);
    expect(programsOf(await withProfile(pdf, { fonts: { "subset-embedded-fonts": true } }))).toBe(2);
  });

  /** Returns the subset with a changed table. */
  const changed = (bytes: Uint8Array, tag: string, change: (table: Uint8Array) => void) => {
    const copy = new Uint8Array(bytes);
    change(readTrueType(copy)!.tables.get(tag)!);
    return copy;
  };
  const numbered = () => {
    // A glyph under the number of another glyph, as producers that renumber glyphs write it.
    const copy = new Uint8Array(subset("ab"));
    const { tables, offsets } = readTrueType(copy)!;
    const [a, b] = [glyphOf("a"), glyphOf("b")];
    const glyf = tables.get("glyf")!;
    glyf.copyWithin(
      offsets[a]!,
      offsets[b]!,
      offsets[b]! + Math.min(offsets[a + 1]! - offsets[a]!, offsets[b + 1]! - offsets[b]!),
    );
    return copy;
  };
  const apart: readonly (readonly [what: string, other: () => Page])[] = [
    ["of another font", () => ({ ...partOf("ab"), name: "BAAAAA+Other" })],
    ["with another outline of one glyph", () => ({ text: "ab", program: numbered() })],
    ["of other units", () => ({ text: "ab", program: changed(subset("ab"), "head", (head) => head.fill(4, 18, 19)) })],
    ["of other hints", () => ({ text: "ab", program: changed(subset("ab"), "prep", (prep) => prep.fill(0x4f, 0, 1)) })],
    [
      "of another advance",
      () => ({
        text: "ab",
        program: changed(subset("ab"), "hmtx", (table) => table.fill(1, glyphOf("a") * 4, glyphOf("a") * 4 + 1)),
      }),
    ],
    [
      "in which a glyph that is shown is blank",
      () => {
        const blank = subsetTrueType(program, { glyphs: glyphsOf("bz"), byNumber: true })!;
        return { text: "ab", program: blank };
      },
    ],
    ["that ends early", () => ({ text: "ab", program: subset("ab").subarray(0, 3000) })],
  ];
  test.each(apart)("one %s stays apart", async (_, other) => {
    const pdf = composite([partOf("abc"), partOf("bcd"), other()]);
    const made = await compressed(pdf, "low");
    expect(programsOf(made)).toBe(2);
    expect(mupdfPictures(made).equals(mupdfPictures(pdf))).toBe(true);
  });

  test("PDF/A-1 keeps its subsets and their lists of glyphs", async () => {
    const attributes = `xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="1" pdfaid:conformance="B"`;
    const packet = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${attributes}/></rdf:RDF>`;
    const parts = [partOf("Hello"), { text: "Wor", program: subset("World") }];
    const pdf = composite(parts, (builder) => {
      builder.catalog = `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
    });
    for (const level of ["low", "medium", "high"] as const) {
      const made = await compressed(pdf, level);
      expect(new PdfJson(made).dictionaries.filter((one) => one["/CIDSet"] !== undefined)).toHaveLength(2);
      expect(programsOf(made)).toBe(2);
      expect(namesOf(made)).toContain(`/${tagOf(1)}`);
    }
  });

  test("the union has all glyphs with their metrics, and what is not wanted is not in it", () => {
    const wanted = (text: string) => ({
      glyphs: glyphsOf(text),
      keepsAll: false,
      characters: undefined,
      withoutHints: true,
    });
    const merged = readTrueType(
      mergeTrueType([
        [program, wanted("AB")],
        [program, wanted("B\xe9")],
      ])!,
    )!;
    for (const one of "AB\xe9") {
      expect(outlineOf(merged, glyphOf(one)).length).toBeGreaterThan(0);
      expect(advanceWidth(merged, glyphOf(one))).toBe(advanceWidth(font, glyphOf(one)));
    }
    expect(outlineOf(merged, glyphOf("C"))).toHaveLength(0);
    expect(merged.tables.has("fpgm")).toBe(false);
    // A glyph number beyond the last glyph shows nothing in one subset, but could show a glyph in the merged font.
    expect(readContents(program, { ...wanted("A"), glyphs: new Set([65_535]) })).toBeUndefined();
    expect(mergeTrueType([[undefined, wanted("A")]])).toBeUndefined();
  });
});
