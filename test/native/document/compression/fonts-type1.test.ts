// Tests that complete Type 1 fonts in a document are reduced to subsets: used glyphs remain, text and appearance stay
// the same, and damaged or ambiguous fonts do not change. Some fonts are installed on the machine, others are
// generated.

import { execFileSync } from "node:child_process";
import { deflateSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { readDrawnType1, subsetType1 } from "../../../../src/document/fonts/type1/subset-type1.ts";
import { decryptCharString, readType1 } from "../../../../src/document/fonts/type1/type1.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { pdfaClaim } from "../../../fixtures/pdfa-claim.ts";
import {
  inHexadecimal,
  inSegments,
  madeType1,
  type Type1Shown,
  type1Pdf,
  WIDTHS,
  WIN,
  withLenIV,
} from "../../../fixtures/type1-fonts.ts";
import { damagedCopies } from "../../../support/damaged-bytes.ts";
import { hasMachineFonts, machineType1 } from "../../../support/font-provider.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";

const compressed = async (pdf: Uint8Array, level: Level = "low") =>
  (await outputsOf(compressPdf, [pdf], { level }))[0]!;
const mupdfPicture = (pdf: Uint8Array) =>
  withFile(pdf, (path) =>
    execFileSync("mutool", ["draw", "-q", "-r", "72", "-F", "ppm", "-o", "-", path], { maxBuffer: 2 ** 28 }),
  );
const pdfOf = (text: string, shown: Type1Shown) => type1Pdf([[text, shown]]);

function expectSameLook(made: Uint8Array, pdf: Uint8Array): void {
  expect(qpdfComplaints(made)).toBe("");
  expect(pageTexts(made)).toEqual(pageTexts(pdf));
  expect(Buffer.concat(picturesOf(made, 72)).equals(Buffer.concat(picturesOf(pdf, 72)))).toBe(true);
  expect(mupdfPicture(made).equals(mupdfPicture(pdf))).toBe(true);
}

const formOf = (reference: string) => `/AcroForm<</Fields[]/DR<</Font<</G ${reference}>>>>>>`;

describe.skipIf(!hasMachineFonts)("Type 1 fonts", () => {
  const program = machineType1("NimbusSans-Regular") ?? new Uint8Array(0);
  const font = readType1(program)!;
  const charStringOf = (name: string) => decryptCharString(font, font.glyphs.get(name)!.charString);
  const subrs = Array.from({ length: 5 }, (_, number) =>
    decryptCharString(font, readDrawnType1(program)!.subrs!.entries.get(number)!.charString),
  );
  /** é composed of e and acute, which `seac` names by their codes. */
  const composed = () =>
    madeType1({
      subrs,
      glyphs: [...font.glyphs.keys()].map((name) => [
        name,
        // 0 556 hsbw 0 111 0 101 194 seac
        name === "eacute"
          ? Uint8Array.of(139, 248, 192, 13, 139, 250, 194 - 139 + 0, 139, 240, 247, 86, 12, 6)
          : charStringOf(name),
      ]),
    });

  const cases: readonly (readonly [what: string, text: string, shown: Type1Shown])[] = [
    ["an encoding with a name", "(Caf\xe9 \x80 \xc5)", { program }],
    [
      "differences",
      "(Ax\x01\x02)",
      { program, encoding: "/Encoding<</Type/Encoding/Differences[1/eacute/Euro 65/germandbls]>>" },
    ],
    ["the encoding of the program", "(plain)", { program, encoding: "" }],
    ["a program that is deflated", "(Caf\xe9)", { program: deflateSync(program), entries: "/Filter/FlateDecode" }],
    ["headers of segments", "(Caf\xe9)", { program: inSegments(program) }],
    ["hexadecimal digits", "(Caf\xe9)", { program: inHexadecimal(program) }],
    ["charstrings that are not encrypted", "(Caf\xe9)", { program: withLenIV(program, -1, subrs) }],
    ["charstrings with nothing before them", "(Caf\xe9)", { program: withLenIV(program, 0, subrs) }],
    ["an accent made of two glyphs", "(\xe9)", { program: composed() }],
    [
      "codes of the program's own",
      "(\x81\x82)",
      {
        program: madeType1({
          subrs,
          glyphs: [".notdef", "A", "B", "eacute", "Euro"].map((name) => [name, charStringOf(name)]),
          encoding: "256 array 0 1 255 {1 index exch /.notdef put} for dup 129 /A put dup 8#202 /B put readonly",
          more: `/Padding (${"x".repeat(9000)}) def`,
        }),
        encoding: "",
      },
    ],
  ];
  test.each(cases)("%s", async (what, text, shown) => {
    const pdf = pdfOf(text, shown);
    const made = await compressed(pdf);
    const whole = await compressed(pdfOf(text, { ...shown, catalog: formOf }));
    expect(made.length).toBeLessThan(what.startsWith("codes") ? whole.length : whole.length / 2);
    expectSameLook(made, pdf);
    const { dictionaries } = new PdfJson(made);
    const named = dictionaries.flatMap((one) => one["/BaseFont"] ?? one["/FontName"] ?? []);
    expect(named.filter((name) => /^\/[A-Z]{6}\+Some$/.test(name))).toHaveLength(2);
    expect(dictionaries.filter((one) => one["/CharSet"] !== undefined)).toHaveLength(0);
    const lengths = dictionaries.find((one) => one["/Length1"] !== undefined);
    const { bytes } = subsetType1(program, ["A"])!;
    expect(lengths["/Length3"]).toBe(533);
    expect(latin1(bytes.subarray(bytes.length - 12))).toBe("cleartomark\n");
  });
  const latin1 = (bytes: Uint8Array) => Buffer.from(bytes).toString("latin1");

  test("glyphs and parts of accents that are shown are the same, others go", () => {
    const bytes = composed();
    const [whole, made] = [readType1(bytes)!, readType1(subsetType1(bytes, ["eacute", "B"])!.bytes)!];
    expect(made.entries.map(({ name }) => name).sort()).toEqual([".notdef", "B", "acute", "e", "eacute"]);
    for (const { name, charString } of made.entries)
      expect([...charString]).toEqual([...whole.glyphs.get(name)!.charString]);
  });

  test("the parts of the program say how long they are", () => {
    const { bytes, lengths } = subsetType1(program, ["A", "B"])!;
    expect(lengths.reduce((sum, one) => sum + one)).toBe(bytes.length);
    expect(latin1(bytes.subarray(0, lengths[0]))).toMatch(/eexec\s$/);
    expect(latin1(bytes.subarray(lengths[0] + lengths[1]))).toMatch(/^\s(0{64}\s){8}cleartomark\s$/);
  });

  test("subroutines that nobody calls return, those behind the last that is used go", () => {
    const [hsbw, end, call] = [Uint8Array.of(139, 239, 13), 14, 10];
    const subr = (number: number) => Uint8Array.of(139 + number, call);
    const path = Uint8Array.of(149, 149, 21, 149, 149, 149, 139, 139, 149, 8, 9, 11);
    const own = [Uint8Array.of(142, 139, 12, 16, 12, 17, 12, 17, 12, 33, 11), ...Array(3).fill(Uint8Array.of(11))];
    const glyph = (number: number) => Uint8Array.of(...hsbw, ...subr(number), end);
    const bytes = madeType1({
      subrs: [...own, path, path, Uint8Array.of(...subr(4), 11), path, path],
      glyphs: [
        [".notdef", Uint8Array.of(...hsbw, end)],
        ["A", glyph(6)],
        ["B", glyph(7)],
        ["C", glyph(8)],
      ],
    });
    const read = readDrawnType1(subsetType1(bytes, ["A"])!.bytes)!;
    const plain = [...read.subrs!.entries].map(([number, { charString }]) => [
      number,
      decryptCharString(read.font, charString).length,
    ]);
    expect(plain).toEqual([
      [0, 11],
      [1, 1],
      [2, 1],
      [3, 1],
      [4, 12],
      [5, 1],
      [6, 3],
    ]);
    expect(latin1(read.font.private)).toContain("/Subrs 7 array");
    expect(latin1(read.font.private)).toContain("/CharStrings 2 dict");
  });

  test("a name that says it is a subset keeps its glyphs at low, not at medium", async () => {
    const pdf = pdfOf("(Caf\xe9)", { program, name: "ABCDEF+Some" });
    const [low, medium] = [await compressed(pdf), await compressed(pdf, "medium")];
    expect(medium.length).toBeLessThan(low.length / 2);
    expectSameLook(low, pdf);
    expectSameLook(medium, pdf);
  });

  const direct = (descriptor: string) =>
    `<</Type/Font/BaseFont/Some/Subtype/Type1${WIDTHS}${WIN}/FontDescriptor ${descriptor}>>`;
  const kept: readonly (readonly [what: string, text: string, shown: Type1Shown])[] = [
    ["a form's font", "(a)", { program, catalog: formOf }],
    ["the program of a form's font that is no object", "(a)", { program, catalog: (_, one) => formOf(direct(one)) }],
    ["a name that the program does not have", "(A)", { program, encoding: "/Encoding<</Differences[65/nosuch]>>" }],
    ["a code without a name", "(\x90)", { program, encoding: "" }],
    ["a font with several masters", "(a)", { program, subtype: "MMType1" }],
    [
      "an encoding of another kind",
      "(a)",
      {
        program: madeType1({
          subrs,
          glyphs: [...font.glyphs.keys()].map((name) => [name, charStringOf(name)]),
          encoding: "[ 97 { /.notdef } repeat /a 158 { /.notdef } repeat ]",
        }),
        encoding: "",
      },
    ],
    [
      "a program with two dictionaries of glyphs",
      "(a)",
      {
        program: madeType1({
          glyphs: [...font.glyphs.keys()].map((name) => [name, charStringOf(name)]),
          subrs,
          more: "/CharStrings 1 dict dup begin end def",
        }),
      },
    ],
  ];
  test.each(kept)("%s keeps all its glyphs", async (_, text, shown) => {
    const made = await compressed(pdfOf(text, shown));
    const read = new PdfJson(made).dictionaries.flatMap((one) => one["/BaseFont"] ?? []);
    expect(read).toContain("/Some");
    expect(made.length).toBeGreaterThan(80_000);
  });

  test.each(["1", "2"])("PDF/A-1 gets no new subsets: part %s", async (part) => {
    const catalog: Type1Shown["catalog"] = (_, __, builder) =>
      `/Metadata ${builder.stream(pdfaClaim(part), "/Type/Metadata/Subtype/XML")}`;
    for (const name of ["Some", "ABCDEF+Some"]) {
      const made = await compressed(pdfOf("(Caf\xe9)", { program, name, catalog }), "medium");
      expect(made.length > 80_000).toBe(part === "1");
      expect(new PdfJson(made).dictionaries.some((one) => one["/CharSet"] !== undefined)).toBe(part === "1");
    }
  });

  test("damaged bytes do nothing bad", () => {
    // In encrypted data, a changed byte also changes the decryption of the next one.
    for (const bytes of damagedCopies([program], { copies: 300, changes: 4, headBytes: 6000 })) {
      const made = subsetType1(bytes, ["A", "eacute"]);
      if (!made) continue;
      const [one, other] = [readDrawnType1(bytes)!, readDrawnType1(made.bytes)!];
      for (const { name, charString } of other.font.entries) {
        expect(other.outlineOf(charString)).toEqual(one.outlineOf(one.font.glyphs.get(name)!.charString));
      }
    }
    for (const length of [0, 3, 100, 900, 1500, 20_000, 100_000])
      expect(subsetType1(program.subarray(0, length), ["A"])).toBeUndefined();
  });

  const begun = [139, 239, 13];
  const one = (charString: readonly number[], subrs: readonly Uint8Array[] = [], more = "") =>
    madeType1({
      subrs,
      more,
      glyphs: [
        [".notdef", Uint8Array.of(...begun, 14)],
        ["A", Uint8Array.from(charString)],
        ["B", Uint8Array.of(...begun, ...Array(200).fill(9), 14)],
      ],
    });
  const call = (number: number) => [255, number >> 24, number >> 16, number >> 8, number & 0xff, 10];
  const hostile: readonly (readonly [what: string, program: () => Uint8Array])[] = [
    ["a subroutine that calls itself", () => one([...begun, ...call(0), 14], [Uint8Array.of(139, 10, 11)])],
    [
      "subroutines that call the next",
      () =>
        one(
          [...begun, ...call(0), 14],
          Array.from({ length: 20_000 }, (_, number) => Uint8Array.of(...call(number + 1), 11)),
        ),
    ],
    [
      "subroutines that call the next twice",
      () =>
        one(
          [...begun, ...call(0), 14],
          Array.from({ length: 15 }, (_, number) =>
            Uint8Array.from(
              Array(40)
                .fill(call(number + 1))
                .flat(),
            ),
          ),
        ),
    ],
    [
      "lines without end",
      () =>
        one(
          [...begun, 139, 4, ...Array(200).fill(call(0)).flat(), 14],
          [Uint8Array.from(Array(500).fill([140, 6]).flat())],
        ),
    ],
    ["a subroutine that is not there", () => one([...begun, ...call(7), 14])],
    ["a number that is no integer", () => one([...begun, 140, 141, 12, 12, 10, 14], [Uint8Array.of(11)])],
    ["a charstring of a megabyte", () => one([...begun, ...Array(2 ** 20).fill(139), 14])],
    ["no end", () => one(begun)],
    ["operators that are not known", () => one([...begun, 15, 14])],
    ["a negative count before the unknown", () => one([...begun, 138, 138, 12, 16, 14])],
    ["several masters", () => one([...begun, 14], [], "/WeightVector [0.5 0.5] def")],
    ["lengths that are negative", () => one([...begun, 14], [], "/Subrs 1 array dup 0 -5 RD x NP ND")],
    ["lists that are longer than the font", () => one([...begun, 14], [], "/Subrs 1 array dup 0 99999999 RD x NP ND")],
  ];
  test.each(hostile)("%s: the font is left as it is", (_, make) => {
    expect(subsetType1(make(), ["A"])).toBeUndefined();
  });

  test("65,000 glyphs with odd names, some twice", () => {
    const glyphs = Array.from(
      { length: 65_000 },
      (_, number) => [`\x80\xff#${number % 64_000}`, Uint8Array.of(...begun, 14)] as const,
    );
    const made = readType1(subsetType1(madeType1({ glyphs }), ["\x80\xff#7", "nosuch"])!.bytes)!;
    expect(made.entries.map(({ name }) => name)).toEqual(["\x80\xff#7", "\x80\xff#7"]);
  });
});
