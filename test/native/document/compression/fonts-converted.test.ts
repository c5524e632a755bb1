// Tests the conversion of Type 1 fonts to CFF, which applies from level medium on: appearance, extracted text and
// copied text stay the same. Some fonts are installed on the machine, others are generated.

import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import type { Level } from "../../../../src/document/compression/settings.ts";
import { builtInEncoding, cffWidth, glyphNames, readCff } from "../../../../src/document/fonts/cff/cff.ts";
import { writeNamedCff } from "../../../../src/document/fonts/cff/named-cff.ts";
import { readDrawnType1 } from "../../../../src/document/fonts/type1/subset-type1.ts";
import { convertType1 } from "../../../../src/document/fonts/type1/to-cff.ts";
import { decryptCharString, readType1 } from "../../../../src/document/fonts/type1/type1.ts";
import { compressPdf } from "../../../../src/operations/compress-pdf.ts";
import { madeType1, type Type1Shown, type1Pdf, WIN } from "../../../fixtures/type1-fonts.ts";
import { damagedCopies } from "../../../support/damaged-bytes.ts";
import { hasMachineFonts, machineType1 } from "../../../support/font-provider.ts";
import { outputsOf } from "../../../support/operations.ts";
import { PdfJson } from "../../../support/pdf-json.ts";
import { pageTexts, picturesOf, qpdfComplaints, withFile } from "../../../support/pdf-readers.ts";

const compressed = async (pdf: Uint8Array, level: Level = "medium") =>
  (await outputsOf(compressPdf, [pdf], { level }))[0]!;
const mupdfPictures = (pdf: Uint8Array) =>
  withFile(pdf, (path) =>
    execFileSync("mutool", ["draw", "-q", "-r", "72", "-F", "ppm", "-o", "-", path], { maxBuffer: 2 ** 28 }),
  );

function expectSameLook(made: Uint8Array, pdf: Uint8Array): void {
  expect(qpdfComplaints(made)).toBe("");
  expect(pageTexts(made)).toEqual(pageTexts(pdf));
  expect(Buffer.concat(picturesOf(made, 72)).equals(Buffer.concat(picturesOf(pdf, 72)))).toBe(true);
  expect(mupdfPictures(made).equals(mupdfPictures(pdf))).toBe(true);
}

const countOf = (pdf: Uint8Array, key: string) =>
  new PdfJson(pdf).dictionaries.filter((one) => one[key] !== undefined).length;
const programsOf = (pdf: Uint8Array) =>
  new PdfJson(pdf).dictionaries.filter((one) => one["/Subtype"] === "/Type1C").length;

/** hsbw with the given width, then a square. */
const square = (side: number) => {
  const number = (value: number) => [255, value >> 24, value >> 16, value >> 8, value & 0xff];
  const [there, back] = [number(side), number(-side)];
  return Uint8Array.of(
    ...[...number(50), ...number(side + 100), 13, ...number(10), 4],
    ...[...there, 6, ...there, 7, ...back, 6, ...back, 7, 9, 14],
  );
};
const NOTDEF = [".notdef", square(300)] as const;

describe.skipIf(!hasMachineFonts)("Type 1 fonts become CFF", () => {
  const program = machineType1("NimbusRoman-Regular") ?? new Uint8Array(0);
  const font = readType1(program)!;
  const charStringOf = (name: string) => decryptCharString(font, font.glyphs.get(name)!.charString);
  const subrsOf = () =>
    [...readDrawnType1(program)!.subrs!.entries.values()].map(({ charString }) => decryptCharString(font, charString));
  const subsetOf = (names: readonly string[], codes = "") =>
    madeType1({
      subrs: subrsOf(),
      glyphs: [".notdef", ...names].map((name) => [name, charStringOf(name)]),
      encoding: `256 array 0 1 255 {1 index exch /.notdef put} for ${codes} readonly`,
    });

  const cases: readonly (readonly [what: string, text: string, shown: Type1Shown])[] = [
    ["an encoding with a name", "(Caf\xe9 \x80 \xc5)", { program }],
    ["differences", "(Ax\x01\x02)", { program, encoding: "/Encoding<</Differences[1/eacute/Euro 65/germandbls]>>" }],
    [
      "codes of its own, two of one glyph, and a name of its own",
      "(\x03\x81A)",
      {
        program: madeType1({
          subrs: subrsOf(),
          glyphs: [NOTDEF, ["odd.name", charStringOf("g")], ["A", charStringOf("A")]],
          encoding:
            "256 array 0 1 255 {1 index exch /.notdef put} for dup 3 /odd.name put dup 8#201 /odd.name put " +
            "dup 65 /A put readonly",
          more: `/Padding (${"x".repeat(2000)}) def`,
        }),
        encoding: "",
      },
    ],
    [
      "an accent made of two glyphs",
      "(\xe9)",
      {
        program: madeType1({
          subrs: subrsOf(),
          glyphs: [
            NOTDEF,
            ["e", charStringOf("e")],
            ["acute", charStringOf("acute")],
            ["eacute", Uint8Array.of(149, 248, 192, 13, 149, 247, 10, 159, 240, 247, 86, 12, 6)],
          ],
          more: `/Padding (${"x".repeat(2000)}) def`,
        }),
      },
    ],
    [
      "numbers that are no integers",
      "(A)",
      {
        program: madeType1({
          glyphs: [
            NOTDEF,
            // 0 1001 2 div hsbw, 7 3 div vmoveto, and a triangle with sides that do not end.
            [
              "A",
              Uint8Array.of(
                ...[139, 255, 0, 0, 3, 233, 141, 12, 12, 13, 146, 142, 12, 12, 4],
                ...[248, 136, 142, 12, 12, 248, 136, 5, 248, 136, 142, 12, 12, 252, 136, 146, 12, 12, 5, 9, 14],
              ),
            ],
          ],
          more: `/Padding (${"x".repeat(2000)}) def`,
        }),
      },
    ],
  ];
  test.each(cases)("%s", async (_, text, shown) => {
    const pdf = type1Pdf([[text, shown]]);
    const made = await compressed(pdf);
    expectSameLook(made, pdf);
    expect(made.length).toBeLessThan((await compressed(pdf, "low")).length);
    expect([programsOf(made), countOf(made, "/FontFile3")]).toEqual([1, 1]);
    expect(["/FontFile", "/Length1", "/Length2", "/Length3", "/CharSet"].map((key) => countOf(made, key))).toEqual([
      0, 0, 0, 0, 0,
    ]);
  });

  test("names, widths and codes are those of the font", () => {
    const drawn = readDrawnType1(subsetOf(["A", "eacute", "comma"], "dup 7 /A put dup 9 /comma put dup 8 /A put"))!;
    const converted = convertType1(drawn, { names: ["A", "eacute", "comma", "nosuch"], codes: [7] });
    const made = readCff(writeNamedCff([converted])!)!;
    const names = glyphNames(made);
    expect(names).toEqual([".notdef", "A", "comma", "eacute"]);
    const encoding = builtInEncoding(made, names);
    expect([7, 8, 9, 65].map((code) => encoding[code])).toEqual(["A", "A", "comma", undefined]);
    names.forEach((name, glyph) => {
      expect(cffWidth(made, glyph)).toBe(drawn.outlineOf(drawn.font.glyphs.get(name)!.charString)!.width);
    });
  });

  const plain: readonly (readonly [what: string, clear: string])[] = [
    ["units of its own", "/FontMatrix [0.0005 0 0 0.0005 0 0] def\n"],
    ["strokes", "/PaintType 2 def\n"],
    ["widths of its own", "/Metrics 1 dict dup begin /A 300 def end def\n"],
  ];
  test.each(plain)("a font with %s stays Type 1, with fewer glyphs", async (_, clear) => {
    const glyphs = [...font.glyphs.keys()].map((name) => [name, charStringOf(name)] as const);
    const made = madeType1({ subrs: subrsOf(), glyphs, clear });
    // If a glyph is defined twice, the first definition applies here.
    const ordered = Buffer.from(made)
      .toString("latin1")
      .replace(/\/PaintType 0 def|\/FontMatrix \[0.001[^\n]*/g, "");
    const pdf = type1Pdf([["(Ab)", { program: Buffer.from(ordered, "latin1") }]]);
    const medium = await compressed(pdf);
    expect(countOf(medium, "/Length2")).toBe(1);
    expect(medium.length).toBeLessThan(pdf.length / 4);
  });

  test("a descriptor that is no object of its own keeps its program", async () => {
    const made = await compressed(type1Pdf([["(a)", { program, isDirect: true }]]));
    expect(made.length).toBeGreaterThan(60_000);
    expect(countOf(made, "/Length2")).toBe(1);
  });

  test("PDF/A-1 keeps Type 1", async () => {
    const attributes = `xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/" pdfaid:part="1" pdfaid:conformance="B"`;
    const packet = `<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" ${attributes}/></rdf:RDF>`;
    const catalog: Type1Shown["catalog"] = (_, __, builder) =>
      `/Metadata ${builder.stream(packet, "/Type/Metadata/Subtype/XML")}`;
    const made = await compressed(type1Pdf([["(a)", { program: subsetOf(["a"]), name: "ABCDEF+Some", catalog }]]));
    expect([countOf(made, "/FontFile"), countOf(made, "/CharSet")]).toEqual([1, 1]);
  });

  const page = (text: string, names: readonly string[], codes: string, tag: string) =>
    [text, { program: subsetOf(names, codes), name: `${tag}+Some`, encoding: "" }] as const;

  test("subsets of one font become one", async () => {
    const pdf = type1Pdf([
      page("(\x01\x02)", ["A", "B"], "dup 1 /A put dup 2 /B put", "AAAAAA"),
      page("(\x02\x03)", ["B", "C"], "dup 2 /B put dup 3 /C put", "AAAAAB"),
      page("(\x04)", ["eacute"], "dup 4 /eacute put", "AAAAAC"),
    ]);
    const made = await compressed(pdf);
    expectSameLook(made, pdf);
    expect(programsOf(made)).toBe(1);
    const names = new Set(
      new PdfJson(made).dictionaries.flatMap((one) => one["/FontName"] ?? []).filter((name) => name.endsWith("+Some")),
    );
    expect(names.size).toBe(1);
  });

  const apart: readonly (readonly [what: string, second: readonly [string, Type1Shown]])[] = [
    ["a code is another glyph's", page("(\x01)", ["C"], "dup 1 /C put", "AAAAAB")],
    ["a code that is shown has no glyph", page("(\x01\x02)", ["A"], "dup 1 /A put", "AAAAAB")],
    [
      "a glyph has another outline",
      [
        "(\x01)",
        {
          name: "AAAAAB+Some",
          encoding: "",
          program: madeType1({
            glyphs: [
              [".notdef", charStringOf(".notdef")],
              ["A", square(500)],
            ],
            subrs: subrsOf(),
            encoding: "256 array 0 1 255 {1 index exch /.notdef put} for dup 1 /A put readonly",
          }),
        },
      ],
    ],
    ["the name is another", ["(\x01)", { ...page("", ["A"], "dup 1 /A put", "AAAAAB")[1], name: "AAAAAB+Other" }]],
    ["one has the standard encoding", ["(A)", { program, encoding: WIN, name: "AAAAAB+Some" }]],
  ];
  test.each(apart)("those stay apart of which %s", async (_, second) => {
    const pdf = type1Pdf([page("(\x01\x02)", ["A", "B"], "dup 1 /A put dup 2 /B put", "AAAAAA"), second]);
    const made = await compressed(pdf);
    expect(programsOf(made)).toBe(2);
    expect(mupdfPictures(made).equals(mupdfPictures(pdf))).toBe(true);
  });

  test("an encoding of blanks is read once, and codes after them count", () => {
    const blanks = " ".repeat(300_000);
    const converted = (entries: string) => {
      const glyphs = [".notdef", "A"].map((name) => [name, charStringOf(name)] as const);
      const font = madeType1({ glyphs, subrs: subrsOf(), encoding: `256 array${blanks}${entries}${blanks}` });
      return convertType1(readDrawnType1(font)!, { names: ["A"], codes: [] })?.codes;
    };
    expect(converted("dup 1 /A put")).toEqual(new Map([[1, "A"]]));
    expect(converted("dup 1 /A put\nreadonly")).toEqual(new Map([[1, "A"]]));
    expect(converted("dup 1 /A put something else")).toBeUndefined();
  });

  test("damaged bytes do nothing bad", () => {
    for (const bytes of damagedCopies([program], { copies: 300, changes: 4, headBytes: 6000 })) {
      const drawn = readDrawnType1(bytes);
      const made = drawn && writeNamedCff([convertType1(drawn, { names: drawn.font.glyphs.keys(), codes: [] })]);
      if (made) expect(glyphNames(readCff(made)!)).toHaveLength(drawn.font.glyphs.size);
    }
  });
});
