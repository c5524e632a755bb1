// Tests that complete CFF fonts in a document are reduced to subsets: used glyphs remain, text and appearance stay the
// same, and damaged or ambiguous fonts do not change. The fonts are installed on the machine.

import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { glyphNames, readCff } from "../../../../src/document/fonts/cff/cff.ts";
import { readEmbeddedCff, subsetCff } from "../../../../src/document/fonts/cff/subset-cff.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { bareCff } from "../../../fixtures/font-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { pdfaClaim } from "../../../fixtures/pdfa-claim.ts";
import { damagedCopies } from "../../../support/damaged-bytes.ts";
import { hasMachineFonts, machineFace } from "../../../support/font-provider.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";

const compressed = async (pdf: Uint8Array, level: Level = "low") =>
  (await outputsOf(compressPdf, [pdf], { level }))[0]!;
const mupdfPicture = (pdf: Uint8Array) =>
  withFile(pdf, (path) =>
    execFileSync("mutool", ["draw", "-q", "-r", "72", "-F", "ppm", "-o", "-", path], { maxBuffer: 2 ** 28 }),
  );
const METRICS = "/Flags 32/FontBBox[-1000 -300 1500 1000]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80";
const WIDTHS = `/FirstChar 32/LastChar 255/Widths[${Array(224).fill(600).join(" ")}]`;
const WIN = "/Encoding/WinAnsiEncoding";
const ENTRIES = { bare: "/Subtype/Type1C", cid: "/Subtype/CIDFontType0C", wrapped: "/Subtype/OpenType" };

interface Shown {
  readonly program: Uint8Array;
  readonly entries?: string;
  readonly encoding?: string;
  /** Additional entries of the CIDFont, if it is a CID font. */
  readonly inner?: string;
  readonly name?: string;
  readonly catalog?: (font: string, builder: PdfBuilder) => string;
}

/** @param text the operand of the operator that shows the text */
function pdfOf(text: string, { program, entries = ENTRIES.bare, encoding = WIN, ...more }: Shown): Uint8Array {
  const { inner, name = "Some", catalog } = more;
  const builder = new PdfBuilder();
  const file = builder.stream(program, entries);
  const descriptor = builder.add(`<</Type/FontDescriptor/FontName/${name}${METRICS}/FontFile3 ${file}>>`);
  const beginning = `<</Type/Font/BaseFont/${name}`;
  let font = "";
  if (inner === undefined) {
    font = builder.add(`${beginning}/Subtype/Type1${WIDTHS}${encoding}/FontDescriptor ${descriptor}>>`);
  } else {
    const system = "/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>";
    const within = builder.add(
      `${beginning}/Subtype/CIDFontType0/DW 600${system}${inner}/FontDescriptor ${descriptor}>>`,
    );
    font = builder.add(`${beginning}/Subtype/Type0/Encoding/Identity-H/DescendantFonts[${within}]>>`);
  }
  builder.catalog = catalog?.(font, builder) ?? "";
  const page = builder.page("a");
  const content = builder.stream(Buffer.from(`BT /G 24 Tf 30 150 Td ${text} Tj ET`, "latin1"));
  const entriesOfPage = `/MediaBox[0 0 300 200]/Contents ${content}/Resources<</Font<</G ${font}>>>>`;
  builder.set(page, `<</Type/Page/Parent 2 0 R${entriesOfPage}>>`);
  return builder.bytes();
}

function expectSameLook(made: Uint8Array, pdf: Uint8Array): void {
  expect(qpdfComplaints(made)).toBe("");
  expect(pageTexts(made)).toEqual(pageTexts(pdf));
  expect(picturesOf(made, 72)).toEqual(picturesOf(pdf, 72));
  expect(mupdfPicture(made)).toEqual(mupdfPicture(pdf));
}

describe.skipIf(!hasMachineFonts)("CFF fonts", () => {
  const program = hasMachineFonts ? bareCff() : new Uint8Array(0);
  const font = readCff(program)!;
  const names = hasMachineFonts ? glyphNames(font) : [];
  const wrapped = machineFace("NimbusSans-Regular")!;
  const glyphOf = (name: string) => names.indexOf(name);
  const hex = (...numbers: number[]) => `<${numbers.map((one) => one.toString(16).padStart(4, "0")).join("")}>`;
  /** é composed of e and acute, which are operands of its endchar (5177, appendix C). */
  const composed = () => {
    const bytes = new Uint8Array(program);
    const glyph = readCff(bytes)!.charStrings.at(glyphOf("eacute"));
    glyph.set([28, 0, 110, 139, 240, 247, 86, 14]);
    return bytes;
  };

  const cases: readonly (readonly [what: string, text: string, shown: Shown])[] = [
    ["an encoding with a name", "(Caf\xe9 \x80 \xc5)", { program }],
    [
      "differences",
      "(Ax\x01\x02)",
      { program, encoding: "/Encoding<</Type/Encoding/Differences[1/eacute/Euro 65/germandbls]>>" },
    ],
    ["the encoding of the program", "(plain)", { program, encoding: "" }],
    [
      "a program that is deflated",
      "(Caf\xe9)",
      { program: deflateSync(program), entries: `${ENTRIES.bare}/Filter/FlateDecode` },
    ],
    ["OpenType", "(Caf\xe9 \x80 \xc5)", { program: wrapped, entries: ENTRIES.wrapped }],
    ["glyphs by number", hex(40, 41, 42, 300), { program, inner: "", entries: ENTRIES.cid }],
    ["glyphs by number in OpenType", hex(40, 41, 42), { program: wrapped, inner: "", entries: ENTRIES.wrapped }],
    ["an accent made of two glyphs", "(\xe9)", { program: composed() }],
  ];
  test.each(cases)("%s", async (_, text, shown) => {
    const pdf = pdfOf(text, shown);
    const made = await compressed(pdf);
    expect(made.length).toBeLessThan((await compressed(pdfOf(text, { ...shown, catalog: formOf }))).length / 2);
    expectSameLook(made, pdf);
    const named = new PdfJson(made).dictionaries.flatMap((one) => one["/BaseFont"] ?? one["/FontName"] ?? []);
    expect(named.filter((name) => /^\/[A-Z]{6}\+Some$/.test(name))).toHaveLength(shown.inner === undefined ? 2 : 3);
    expect(new PdfJson(made).dictionaries.filter((one) => one["/Length1"] !== undefined)).toHaveLength(0);
  });

  const formOf = (reference: string) => `/AcroForm<</Fields[]/DR<</Font<</G ${reference}>>>>>>`;

  test(
    "glyphs and parts of accents that are shown are the same, others " + "empty, all under their numbers and names",
    () => {
      const bytes = composed();
      const whole = readCff(bytes)!;
      const made = readCff(subsetCff(bytes, new Set([glyphOf("eacute"), glyphOf("B")]))!)!;
      expect(glyphNames(made)).toEqual(names);
      const same = names.filter((_, glyph) => {
        const [one, other] = [whole.charStrings.at(glyph), made.charStrings.at(glyph)];
        if (Buffer.compare(one, other) !== 0) expect([...other]).toEqual([14]);
        return one.length > 1 && Buffer.compare(one, other) === 0;
      });
      expect(same.sort()).toEqual([".notdef", "B", "acute", "e", "eacute"]);
    },
  );

  test("the OpenType font around it has sums that are right", () => {
    const made = subsetCff(wrapped, new Set([40]))!;
    expect(readEmbeddedCff(made)?.isWrapped).toBe(true);
    const view = new DataView(made.buffer, made.byteOffset, made.length);
    let sum = 0;
    for (let at = 0; at < made.length; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
    expect(sum).toBe(0xb1b0afba);
  });

  test("a CID font of a large collection: its subroutines go, too", async () => {
    const face = machineFace("NotoSerifCJK-Regular");
    if (!face) return expect(face, "Noto CJK is not installed").toBeUndefined();
    const view = new DataView(face.buffer, face.byteOffset);
    let table = new Uint8Array(0);
    for (let at = view.getUint32(12) + 12; table.length === 0; at += 16) {
      if (view.getUint32(at) !== 0x43464620) continue;
      table = face.slice(view.getUint32(at + 8), view.getUint32(at + 8) + view.getUint32(at + 12));
    }
    const { charset } = readCff(table)!;
    const cids = [1200, 20_000, 40_000].map((glyph) => charset[glyph]!);
    const pdf = pdfOf(hex(...cids), { program: table, inner: "", entries: ENTRIES.cid });
    const made = await compressed(pdf);
    expect(made.length).toBeLessThan(pdf.length / 50);
    expectSameLook(made, pdf);
  });

  test("a name that says it is a subset keeps its glyphs at low, not at medium", async () => {
    const pdf = pdfOf("(Caf\xe9)", { program, name: "ABCDEF+Some" });
    const [low, medium] = [await compressed(pdf), await compressed(pdf, "medium")];
    expect(medium.length).toBeLessThan(low.length / 2);
    expectSameLook(medium, pdf);
  });

  const kept: readonly (readonly [what: string, text: string, shown: Shown])[] = [
    ["a form's font", "(a)", { program, catalog: formOf }],
    ["a name that the program does not have", "(A)", { program, encoding: "/Encoding<</Differences[65/nosuch]>>" }],
    ["a code without a name", "(\x90)", { program, encoding: "" }],
    ["a map from CIDs", hex(40), { program, inner: "/CIDToGIDMap 1 0 R", entries: ENTRIES.cid }],
    ["an OpenType font without names", "(a)", { program: wrapped, entries: ENTRIES.wrapped, encoding: "" }],
  ];
  test.each(kept)("%s keeps all its glyphs", async (_, text, shown) => {
    const made = await compressed(pdfOf(text, shown));
    const read = new PdfJson(made).dictionaries.flatMap((one) => one["/BaseFont"] ?? []);
    expect(read).toContain("/Some");
    expect(made.length).toBeGreaterThan(15_000);
  });

  test.each(["1", "2"])("PDF/A-1 gets no new subsets: part %s", async (part) => {
    const catalog = (_: string, builder: PdfBuilder) =>
      `/Metadata ${builder.stream(pdfaClaim(part), "/Type/Metadata/Subtype/XML")}`;
    const sizes = new Map<string, number>();
    for (const one of ["Some", "ABCDEF+Some"]) {
      sizes.set(one, (await compressed(pdfOf("(Caf\xe9)", { program, name: one, catalog }), "medium")).length);
    }
    expect([...sizes.values()].every((size) => (part === "1" ? size > 15_000 : size < 10_000))).toBe(true);
  });

  test("damaged bytes do nothing bad", () => {
    for (const bytes of damagedCopies([program, wrapped], { copies: 600, changes: 8, headBytes: 3000 })) {
      const made = subsetCff(bytes, new Set([40, 41]));
      if (!made) continue;
      const [one, other] = [readEmbeddedCff(bytes)!.font, readEmbeddedCff(made)!.font];
      expect([...other.charStrings.at(40)]).toEqual([...one.charStrings.at(40)]);
      expect(Buffer.compare(Buffer.from(other.charset.buffer), Buffer.from(one.charset.buffer))).toBe(0);
    }
    for (const length of [0, 3, 11, 12, 40, 1000, 20_000]) {
      expect(subsetCff(program.subarray(0, length), new Set([1]))).toBeUndefined();
      expect(subsetCff(wrapped.subarray(0, length), new Set([1]))).toBeUndefined();
    }
  });

  test("a damaged program stays as it is in its file", async () => {
    const pdf = pdfOf("(a)", { program: program.subarray(0, 9000) });
    const made = await compressed(pdf);
    expect(new PdfJson(made).dictionaries.flatMap((one) => one["/BaseFont"] ?? [])).toContain("/Some");
    expect(mupdfPicture(made)).toEqual(mupdfPicture(pdf));
  });
});
