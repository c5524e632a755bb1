// Tests documents whose fonts break one rule each: the result breaks no rule, looks the same, and has the same text.
import { describe, expect, test } from "vitest";
import type { FontProvider } from "../../../../src/document/contract/font-provider.ts";
import { Budget } from "../../../../src/document/objects/budget.ts";
import { MupdfSource } from "../../../../src/document/objects/engine/mupdf-source.ts";
import { PdfFile } from "../../../../src/document/objects/pdf-file.ts";
import { writeFile } from "../../../../src/document/objects/writer.ts";
import { NO_FONTS } from "../../../../src/document/pdfa/fonts/font-provider.ts";
import { repairFonts } from "../../../../src/document/pdfa/fonts/repair-fonts.ts";
import type { PdfaLevel } from "../../../../src/document/pdfa/level.ts";
import type { RuleFailure } from "../../../../src/document/pdfa/rule-failure.ts";
import { FONT_PDFS, unicodeMap } from "../../../fixtures/font-pdfs.ts";
import { PdfBuilder } from "../../../fixtures/pdf-builder.ts";
import { corpusDir, corpusFile } from "../../../support/corpus.ts";
import { hasMachineFonts, machineFace, machineShelf } from "../../../support/font-provider.ts";
import { brokenFontRules } from "../../../support/font-rules.ts";
import { LEVELS } from "../../../support/levels.ts";
import { pageTexts, picturesOf, qpdfComplaints, uncompressed } from "../../../support/pdf-readers.ts";

const MIB = 2 ** 20;

async function repaired(
  pdf: Uint8Array,
  level: PdfaLevel,
  { shelf = machineShelf, failures = [] }: { shelf?: FontProvider; failures?: readonly RuleFailure[] } = {},
): Promise<Uint8Array> {
  const budget = new Budget(512 * MIB);
  const source = await MupdfSource.open(pdf, 512 * MIB, budget);
  try {
    const file = PdfFile.of(source, budget);
    await repairFonts(file, level, failures, shelf, new AbortController().signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of writeFile(file, { canonical: (one) => one, rewrite: (one) => one }))
      chunks.push(chunk.slice());
    return Buffer.concat(chunks);
  } finally {
    source.close();
  }
}

/** Returns the mean difference between samples of the two pages, as a fraction of the full range. */
function difference(one: Uint8Array, other: Uint8Array): number {
  const [before, after] = [picturesOf(one, 72)[0]!, picturesOf(other, 72)[0]!];
  expect(after.length).toBe(before.length);
  let sum = 0;
  for (let at = 0; at < before.length; at++) sum += Math.abs(before[at]! - after[at]!);
  return sum / before.length / 255;
}

/** Rules that each document breaks at level 2u. */
const BROKEN: Readonly<Record<string, readonly string[]>> = {
  "Type 1, widths out of step": ["unicode", "width"],
  "Type 1, no widths": ["unicode", "width", "widths"],
  "Type 1, glyphs that are not there": ["glyph", "notdef", "unicode", "width"],
  "Type 1 of a subset, with a wrong list of glyphs": ["charset", "unicode", "width"],
  "CFF, glyphs that are not there, two widths of one": ["glyph", "notdef", "unicode", "width"],
  "OpenType with CFF": ["unicode", "width"],
  "TrueType, not symbolic, without an encoding": ["encoding", "unicode", "width"],
  "TrueType, with differences": ["unicode", "width"],
  "TrueType, symbolic with an encoding": ["encoding", "unicode", "width"],
  "Type 0, .notdef and glyphs behind the last": ["glyph", "glyph map", "notdef", "unicode", "width"],
  "Type 0 of a subset, widths out of step, a wrong CIDSet": ["cidset", "unicode", "width"],
  "Type 0 with CFF that has no CIDs": ["glyph", "notdef", "unicode", "width"],
  "Type 0, bad Unicode values": ["unicode", "width"],
  "a damaged program": ["embedded"],
  "not embedded: Helvetica": ["embedded"],
  "not embedded: Symbol": ["embedded"],
  "not embedded: Wingdings": ["embedded"],
  "not embedded: Japanese in Shift-JIS": ["embedded"],
  "not embedded: Korean, written downwards": ["embedded"],
};

/** Text that poppler reads at level 2u. */
const TEXTS: Readonly<Record<string, string>> = {
  "Type 1, widths out of step": "Widths",
  "Type 1, glyphs that are not there": "xAyBz",
  "CFF under another entry": "misplaced",
  "TrueType, with differences": "xŁBéz",
  "TrueType, symbolic with an encoding": "symbolic",
  "Type 0, .notdef and glyphs behind the last": "A\ufffdB\ufffd\ufffdC",
  "Type 0 of a subset, widths out of step, a wrong CIDSet": "ABC",
  "Type 0 with CFF that has no CIDs": "AB\ufffd\ufffdC",
  "Type 0, bad Unicode values": "ABQD",
  "Type 0, CIDs in place of Unicode values": "$%",
  "a damaged program": "damaged",
  "not embedded: Helvetica": "Standard fi",
  "not embedded: TrueType, not symbolic, without an encoding": "æø",
  "not embedded: Symbol": "αβχ∞",
  "not embedded: ZapfDingbats": "✔●■◆",
  "not embedded: Wingdings": "●✓■",
  "not embedded: codes of glyphs with Unicode values": "AéЖ",
  "not embedded: Japanese in Shift-JIS": "日本語 AB ｱｲ",
  "not embedded: Chinese in UTF-16": "中文 AB",
};

/** Documents that poppler draws differently before the repair: symbols as letters, damaged glyphs not at all. */
const LOOKS_OTHERWISE =
  /Wingdings|damaged|CMap of its own|not there|no glyph|behind the last|has no CIDs|^not embedded/;

describe.skipIf(!hasMachineFonts)("fonts that break rules", () => {
  for (const [name, make] of Object.entries(FONT_PDFS)) {
    test(`${name}: no rule is broken any more`, async () => {
      const pdf = make();
      if (BROKEN[name]) expect(await brokenFontRules(pdf, LEVELS["2u"])).toEqual(BROKEN[name]);
      for (const level of [LEVELS["1b"], LEVELS["2u"]]) {
        const made = await repaired(pdf, level);
        expect(await brokenFontRules(made, level)).toEqual([]);
        expect(qpdfComplaints(made)).toBe("");
        if (!LOOKS_OTHERWISE.test(name)) expect(difference(pdf, made)).toBeLessThan(0.0005);
        // The page is not empty.
        expect(new Set(picturesOf(made)[0]!.subarray(20)).size).toBeGreaterThan(1);
        if (level.conformance === "u" && TEXTS[name] !== undefined)
          expect(pageTexts(made)[0]!.replace(/\s+/g, " ")).toBe(TEXTS[name]);
      }
    });
  }

  test("what was mended once is not mended again", async () => {
    for (const name of [
      "TrueType, with differences",
      "Type 0, .notdef and glyphs behind the last",
      "not embedded: Helvetica",
    ]) {
      const once = await repaired(FONT_PDFS[name]!(), LEVELS["2u"]);
      const programs = (pdf: Uint8Array) => [...uncompressed(pdf).matchAll(/\/FontName \/\S+/g)].map(([one]) => one);
      const twice = await repaired(once, LEVELS["2u"]);
      expect(programs(twice)).toEqual(programs(once));
      expect(difference(once, twice)).toBe(0);
      expect(Math.abs(twice.length - once.length)).toBeLessThan(200);
    }
  });

  test("a Unicode map that a validator does not read is written anew", async () => {
    const pdf = FONT_PDFS["not embedded: codes of glyphs with Unicode values"]!();
    const failures = [{ clause: "6.2.11.7.2", test: 1, places: [] }];
    const made = uncompressed(await repaired(pdf, LEVELS["2u"], { failures }));
    expect(made).toContain("Adobe-Identity-UCS");
    expect(uncompressed(await repaired(pdf, LEVELS["2u"]))).not.toContain("Adobe-Identity-UCS");
  });
});

const HELVETICA = "/Type/Font/Subtype/Type1/BaseFont/Helvetica";

/** Returns a page with the given resources and content. */
function pageOf(builder: PdfBuilder, content: string, resources: string): Uint8Array {
  const page = builder.page("BT (a) Tj ET");
  const stream = builder.stream(content);
  builder.set(page, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Resources<<${resources}>>/Contents ${stream}>>`);
  return builder.bytes();
}

describe.skipIf(!hasMachineFonts)("where text is", () => {
  const level = LEVELS["2u"];

  test("a font inside of the resources", async () => {
    const pdf = pageOf(new PdfBuilder(), "BT /G 24 Tf 20 150 Td (inside) Tj ET", `/Font<</G<<${HELVETICA}>>>>`);
    const made = await repaired(pdf, level);
    expect(await brokenFontRules(made, level)).toEqual([]);
    expect(pageTexts(made)).toEqual(["inside"]);
  });

  test("a font that a graphics state sets, and one that a form takes over from the page", async () => {
    const builder = new PdfBuilder();
    const font = builder.add(`<<${HELVETICA}>>`);
    const form = builder.stream(
      "BT 20 50 Td (qrs) Tj ET",
      "/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<<>>",
    );
    const resources = `/ExtGState<</S<</Font[${font} 24]>>>>/XObject<</X ${form}>>`;
    const made = await repaired(pageOf(builder, "/S gs BT 20 150 Td (abc) Tj ET /X Do", resources), level);
    const text = uncompressed(made);
    for (const name of ["a", "q", "s"]) expect(text).toMatch(new RegExp(`/${name}\\s`));
    expect(text).toContain("NimbusSans-Regular");
  });

  test("text that is only there to be searched for needs no program, but Unicode values", async () => {
    const builder = new PdfBuilder();
    const font = builder.add(`<<${HELVETICA}/Encoding/WinAnsiEncoding>>`);
    const made = await repaired(
      pageOf(builder, "BT 3 Tr /G 9 Tf 20 150 Td (unseen) Tj ET", `/Font<</G ${font}>>`),
      level,
    );
    expect(uncompressed(made)).not.toContain("/FontFile");
    expect(uncompressed(made)).toContain("/ToUnicode");
    expect(pageTexts(made)).toEqual(["unseen"]);
  });

  test("a font that forms are filled in with has more glyphs than are shown", async () => {
    const builder = new PdfBuilder();
    const font = builder.add(`<<${HELVETICA}/Encoding/WinAnsiEncoding>>`);
    builder.catalog = `/AcroForm<</Fields[]/DR<</Font<</G ${font}>>>>>>`;
    const content = "BT /G 24 Tf 20 150 Td (shown) Tj ET";
    const made = await repaired(pageOf(builder, content, `/Font<</G ${font}>>`), level);
    expect(await brokenFontRules(made, level)).toEqual([]);
    const other = await repaired(pageOf(new PdfBuilder(), content, `/Font<</G<<${HELVETICA}>>>>`), level);
    expect(uncompressed(made)).toContain("/Zcaron");
    expect(uncompressed(other)).not.toContain("/Zcaron");
  });

  test("forms without resources that all name each other are looked into once", async () => {
    const builder = new PdfBuilder();
    const forms = Array.from({ length: 9 }, (_, at) =>
      builder.stream(`BT /G 9 Tf 20 ${20 * at} Td (${at}) Tj ET`, "/Type/XObject/Subtype/Form/BBox[0 0 300 200]"),
    );
    const names = forms.map((form, at) => `/X${at} ${form}`).join("");
    const resources = `/Font<</G<<${HELVETICA}>>>>/XObject<<${names}>>`;
    const made = await repaired(pageOf(builder, forms.map((_, at) => `/X${at} Do`).join(" "), resources), level);
    expect(await brokenFontRules(made, level)).toEqual([]);
    expect(pageTexts(made)[0]!.replace(/\s/g, "").split("").sort().join("")).toBe("012345678");
  });

  test("codes of which nothing tells what they are do not become blanks", async () => {
    const builder = new PdfBuilder();
    const cid = builder.add(
      "<</Type/Font/Subtype/CIDFontType2/BaseFont/Unknown/DW " +
        "600/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>",
    );
    const font = builder.add(
      `<</Type/Font/Subtype/Type0/BaseFont/Unknown/Encoding/Identity-H/DescendantFonts[${cid}]>>`,
    );
    const pdf = pageOf(builder, "BT /G 24 Tf 20 150 Td <00240025> Tj ET", `/Font<</G ${font}>>`);
    expect(uncompressed(await repaired(pdf, level))).not.toContain("/FontFile");
  });

  test("without a shelf a font that is not embedded stays as it is", async () => {
    const pdf = pageOf(new PdfBuilder(), "BT /G 24 Tf 20 150 Td (as it is) Tj ET", `/Font<</G<<${HELVETICA}>>>>`);
    const made = await repaired(pdf, level, { shelf: NO_FONTS });
    expect(await brokenFontRules(made, level)).toEqual(["embedded"]);
    expect(pageTexts(made)).toEqual(["as it is"]);
  });
});

describe.skipIf(!hasMachineFonts)("damaged fonts", () => {
  /** Yields pseudorandom numbers that are the same in every run. */
  function* numbers(seed: number): Generator<number> {
    for (let state = seed; ; ) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      yield state >>> 8;
    }
  }

  test.each([
    ["TrueType, with differences", "LiberationSans-Regular"],
    ["OpenType with CFF", "NimbusSans-Regular"],
  ])("%s: cut off or with other bytes in it, it comes to an end", async (name, face) => {
    const pdf = FONT_PDFS[name]!();
    const start = Buffer.from(pdf).indexOf(Buffer.from(machineFace(face)!.subarray(0, 64)));
    expect(start).toBeGreaterThan(0);
    const random = numbers(7);
    const next = (below: number) => random.next().value! % below;
    for (let turn = 0; turn < 25; turn++) {
      const damaged = pdf.slice();
      const length = machineFace(face)!.length;
      if (turn % 3 === 0) damaged.fill(turn, start + next(length), start + length);
      else for (let count = 0; count < 40; count++) damaged[start + next(turn % 2 === 0 ? 2000 : length)] = next(256);
      const made = await repaired(damaged, LEVELS["2u"]);
      expect(qpdfComplaints(made)).toBe("");
    }
  });

  test("widths that are said again and again", async () => {
    const builder = new PdfBuilder();
    const cid = builder.add(
      `<</Type/Font/Subtype/CIDFontType2/BaseFont/Arial/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/W[${"0 65535 500 ".repeat(20_000)}]>>`,
    );
    const map = builder.stream(unicodeMap("<0024> <0041>"));
    const font = builder.add(
      `<</Type/Font/Subtype/Type0/BaseFont/Arial/Encoding/Identity-H/ToUnicode ${map}/DescendantFonts[${cid}]>>`,
    );
    const pdf = pageOf(builder, "BT /G 24 Tf 20 150 Td <0024> Tj ET", `/Font<</G ${font}>>`);
    expect(await brokenFontRules(await repaired(pdf, LEVELS["2u"]), LEVELS["2u"])).toEqual([]);
  });

  test("a map without end", async () => {
    const endless = unicodeMap("<0003> <0041>").replace(
      "endcmap",
      `1 beginbfrange <00000000> <ffffffff> <0041> endbfrange 1 beginbfrange <0000> <ffff> [${"<0041>".repeat(50)}] endbfrange endcmap`,
    );
    const builder = new PdfBuilder();
    const map = builder.stream(endless);
    const font = builder.add(`<<${HELVETICA}/ToUnicode ${map}/Encoding ${map}>>`);
    const made = await repaired(
      pageOf(builder, "BT /G 24 Tf 20 150 Td (end) Tj ET", `/Font<</G ${font}>>`),
      LEVELS["2u"],
    );
    expect(await brokenFontRules(made, LEVELS["2u"])).toEqual([]);
  });
});

describe.skipIf(corpusDir === undefined || !hasMachineFonts)("real documents", () => {
  test.each([
    "fancy_fields.pdf",
    "right_to_left_01.pdf",
    "cropped_text.pdf",
    "veraPDF-test-suite-6-2-11-7-2-t01-fail-a.pdf",
  ])("%s", async (name) => {
    const pdf = corpusFile(`pdf/${name}`)!;
    for (const level of [LEVELS["1b"], LEVELS["2b"], LEVELS["2u"]]) {
      const made = await repaired(pdf, level);
      expect(await brokenFontRules(made, level)).toEqual([]);
      expect(difference(pdf, made)).toBeLessThan(0.005);
      const words = (text: string[]) => (text.join(" ").match(/\p{L}{3,}/gu) ?? []).sort();
      expect(words(pageTexts(made))).toEqual(words(pageTexts(pdf)));
    }
  });
});
