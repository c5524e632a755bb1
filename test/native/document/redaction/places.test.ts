// Redacts texts whose places MuPDF takes for others, or loses. poppler judges.
// Contract: docs/api.md#pdf-with-redacted-text-applied
import { describe, expect, test } from "vitest";
import { readCmap } from "../../../../src/document/fonts/truetype/cmap.ts";
import { readTrueType } from "../../../../src/document/fonts/truetype/truetype.ts";
import { readEachPage } from "../../../../src/document/redaction/page-reader.ts";
import { applyRedactions } from "../../../../src/operations/apply-redactions.ts";
import { HELVETICA } from "../../../fixtures/form-pdfs.ts";
import { machineFace } from "../../../support/font-provider.ts";
import { onePage, stream } from "../../../support/hostile-pdfs.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../../support/operations.ts";
import { textOf } from "../../../support/pdf-readers.ts";
import { changedPixels } from "../../../support/redaction-attack/damage.ts";
import { literal, mark, type Redactions, redact } from "../../../support/redactions.ts";

const read = (pdf: Uint8Array): string => textOf(pdf).join("").replace(/\s/g, "");

/** Returns the characters that MuPDF finds, also those without a size, without spaces. */
async function glyphsOf(pdf: Uint8Array): Promise<string> {
  let text = "";
  await readEachPage(pdf, CONTEXT, ({ glyphs }) => {
    text += String.fromCodePoint(...glyphs.codePoints);
  });
  return text.replace(/\s/g, "");
}

/** Applies the marks of a document. */
async function applied(marked: Uint8Array) {
  for await (const output of applyRedactions.run([inputOf(marked)], { rgbColor: [0, 0, 0] }, CONTEXT)) {
    const pdf = await bytesOf(output);
    return { pdf, notices: (output.notices?.() ?? []).map(({ code }) => code) };
  }
  throw new Error("no output");
}

const pageOf = (content: string) => onePage(`BT /F 20 Tf ${content} ET`, "/Font<</F 5 0 R>>", [HELVETICA]);

describe("vertical text", () => {
  const font = `<</Type/Font/Subtype/Type0/BaseFont/KozMinPr6N-Regular/Encoding/90ms-RKSJ-V/DescendantFonts[
    <</Type/Font/Subtype/CIDFontType0/BaseFont/KozMinPr6N-Regular
    /CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 6>>>>]>>`;

  test.each(["", "50 Tz"])("loses only the match: %s", async (scale) => {
    const content = `BT /F 36 Tf ${scale} 50 700 Td (abcdefg) Tj ET`;
    const pdf = onePage(content, "/Font<</F 5 0 R>>", [font]);
    expect(read(await redact(pdf, literal("a")))).toBe("abcdefg".slice(1));
    expect(read(await redact(pdf, literal("de")))).toBe("abcdefg".replace("de", ""));
    expect(read(await redact(pdf, literal("g")))).toBe("abcdef");
  });
});

test("glyphs that are set closer than the widths of their font", async () => {
  const program = machineFace("LiberationSans-Regular")!;
  const [cmap] = readCmap(readTrueType(program)!)!;
  const glyphs = [..."under2015"].map((one) => cmap!.glyphOf(one.charCodeAt(0)).toString(16).padStart(4, "0"));
  const characters = [..."under2015"].map((one) => one.charCodeAt(0).toString(16).padStart(4, "0"));
  const toUnicode = `begincmap 1 begincodespacerange <0000> <ffff> endcodespacerange ${glyphs.length} beginbfchar
    ${glyphs.map((one, at) => `<${one}> <${characters[at]}>`).join("\n")} endbfchar endcmap`;
  const font = `<</Type/Font/Subtype/Type0/BaseFont/LiberationSans/Encoding/Identity-H/ToUnicode 8 0 R/DescendantFonts[
    <</Type/Font/Subtype/CIDFontType2/BaseFont/LiberationSans/CIDToGIDMap/Identity/FontDescriptor 6 0 R
    /CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>>>]>>`;
  const descriptor = `<</Type/FontDescriptor/FontName/LiberationSans/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0
    /Ascent 900/Descent -200/FontFile2 7 0 R>>`;
  const content = `BT /F 20 Tf 50 700 Td [${glyphs.map((one) => `<${one}>`).join("390")}] TJ ET`;
  const more = [font, descriptor, stream(program, `/Length1 ${program.length}`), stream(toUnicode)];
  const pdf = onePage(content, "/Font<</F 5 0 R>>", more);
  for (const [secret, rest] of [
    ["un", "der2015"],
    ["er", "und2015"],
    ["15", "under20"],
  ] as const) {
    expect(read(await redact(pdf, literal(secret)))).toBe(rest);
  }
});

test.each([
  ["no leading", "50 700 Td (Secret) Tj T* [-4000 (Neighbor)] TJ"],
  ["no distance", "50 700 Td (Secret) Tj 0 0 Td [-4000 (Neighbor)] TJ"],
  ["the same matrix", "1 0 0 1 50 700 Tm (Secret) Tj 1 0 0 1 50 700 Tm [-4000 (Neighbor)] TJ"],
  ["a removed text between", "50 700 Td (Above) Tj 0 -40 Td (Secret) Tj 0 40 Td [-4000 (Neighbor)] TJ"],
  ["several times", `50 700 Td (Above) Tj ${"0 -40 Td (Secret) Tj 0 40 Td [-4000 (Neighbor)] TJ ".repeat(3)}`],
  ["a turned line", "0 1 -1 0 50 400 Tm (Secret) Tj 0 0 Td [-4000 (Neighbor)] TJ"],
])("a move back to an earlier text with %s", async (_, content) => {
  const pdf = pageOf(content);
  const redacted = await redact(pdf, literal("Secret"), [255, 255, 255]);
  const without = pageOf(content.replaceAll("(Secret)", "()"));
  expect(read(redacted)).toBe(read(without));
  expect(changedPixels(without, redacted)).toBe(0);
});

test("arrays with operators", async () => {
  const pdf = pageOf(
    "50 700 Td [(Grand) 0 Tc -250 (Secret) 0.0 Tc -250 (Neighbor\\(s\\)) /Name [(Inner)] <</Key 1>>] TJ",
  );
  const redacted = await redact(pdf, literal("Secret"));
  expect(read(redacted)).toBe("GrandNeighbor(s)");
});

test.each([
  ["a larger font", "/F 40 Tf 50 700 Td (Secret) Tj /F 10 Tf ( Neighbor) Tj"],
  ["a wider font", "/F 20 Tf 50 700 Td (Secret) Tj 200 Tz ( Neighbor) Tj"],
  ["a risen font", "/F 20 Tf 50 700 Td 5 Ts (Secret) Tj /F 9 Tf ( Neighbor) Tj /F 30 Tf (Other) Tj"],
  ["a font of a graphics state", "/F 20 Tf 50 700 Td (Secret) Tj /G gs ( Neighbor) Tj"],
  ["a saved font", "q /F 40 Tf 50 700 Td (Before) Tj Q /F 20 Tf 50 600 Td (Secret) Tj /F 10 Tf ( Neighbor) Tj"],
])("neighbors stay after %s", async (_, content) => {
  const resources = "/Font<</F 5 0 R>>/ExtGState<</G<</Font[5 0 R 40]>>>>";
  const pageOf = (text: string) => onePage(`BT ${text} ET`, resources, [HELVETICA]);
  const pdf = pageOf(content);
  const redacted = await redact(pdf, literal("Secret"), [255, 255, 255]);
  expect(read(redacted)).toBe(read(pdf).replace("Secret", ""));
  expect(changedPixels(pageOf(content.replace("(Secret) Tj", "3 Tr (Secret) Tj 0 Tr")), redacted)).toBe(0);
});

test("a glyph without a width", async () => {
  const font = `<</Type/Font/Subtype/Type1/BaseFont/Helvetica/FirstChar 101/LastChar 101/Widths[0]>>`;
  const pdf = onePage("BT /F 20 Tf 50 700 Td (e) Tj ET", "/Font<</F 5 0 R>>", [font]);
  expect(read(await redact(pdf, literal("e")))).toBe("");
});

test("names of glyphs that a font program lacks", async () => {
  const program = machineFace("LiberationSans-Regular")!;
  const font = `<</Type/Font/Subtype/TrueType/BaseFont/Other/FirstChar 65/LastChar 65/Widths[600]/FontDescriptor 6 0 R
    /Encoding<</Type/Encoding/Differences[65/uni4E00]>>>>`;
  const descriptor = `<</Type/FontDescriptor/FontName/Other/Flags 32/FontBBox[0 -200 1000 900]/ItalicAngle 0
    /Ascent 900/Descent -200/FontFile2 7 0 R>>`;
  const more = [font, descriptor, stream(program, `/Length1 ${program.length}`)];
  const pdf = onePage("BT /F 20 Tf 50 700 Td (A) Tj ET", "/Font<</F 5 0 R>>", more);
  expect(read(pdf)).toBe("\u4e00");
  expect(read(await redact(pdf, literal("\u4e00")))).toBe("");
});

describe("text without a size", () => {
  const SECRETS: Redactions = [...literal("Secret"), { type: "preset", value: "email" }];

  test.each([
    ["a font size of 0", "/F 0 Tf 50 700 Td (Secret) Tj"],
    ["a number that MuPDF reads as 0", "/F 1e2 Tf 50 700 Td (Secret) Tj"],
    ["a matrix of zeros", "0 0 0 0 50 700 Tm (Secret) Tj"],
    ["a flat matrix", "1 0 0 0 50 700 Tm (Secret) Tj"],
    ["a thin matrix", "0 0 0 1 50 700 Tm (Secret) Tj"],
    ["a scale of 0", "0 Tz 50 700 Td (Secret) Tj"],
    ["an address", "/F 0 Tf 50 700 Td (a.secret@example.com) Tj"],
    ["glyphs one by one", "/F 0 Tf 50 700 Td (Se) Tj (cr) Tj [(e) -9 (t)] TJ"],
    ["a page below", "/F 0 Tf 50 -700 Td (Secret) Tj"],
  ])("%s", async (_, content) => {
    const pdf = pageOf(`1 0 0 1 50 300 Tm (Neighbor) Tj ET BT ${content}`);
    expect(await glyphsOf(pdf)).toMatch(/secret/i);
    const marked = await mark(pdf, SECRETS);
    const result = await applied(marked);
    expect(result.notices).not.toContain("matches-kept");
    expect(await glyphsOf(result.pdf)).toBe("Neighbor");
  });
});

const HUGE = "9".repeat(30);
test.each([
  ["by its size", `/F ${HUGE} Tf 50 700 Td (Secret) Tj`],
  ["by its matrix", `1 0 0 1 ${HUGE} ${HUGE} Tm (Secret) Tj`],
  ["by its spacing", `50 700 Td ${HUGE} Tc (Secret) Tj`],
  ["by its rise", `50 700 Td ${HUGE} Ts (Secret) Tj`],
])("a match too far from its page %s is refused", async (_, content) => {
  const pdf = pageOf(content);
  expect(await reasonOf(() => mark(pdf, literal("other")))).toBe("none");
  expect(await reasonOf(() => mark(pdf, literal("Secret")))).toBe("too-complex");
});

test("a match that is far from its page", async () => {
  const pdf = pageOf("1 0 0 1 999999 999999 Tm (Secret) Tj");
  expect(await glyphsOf(await redact(pdf, literal("Secret")))).toBe("");
});

test("glyphs far higher than their line", async () => {
  const font = `<</Type/Font/Subtype/TrueType/BaseFont/Other/FontDescriptor 6 0 R>>`;
  const descriptor = `<</Type/FontDescriptor/FontName/Other/Flags 32/FontBBox[0 -1000 1000 4000]/ItalicAngle 0
    /Ascent 4000/Descent -1000>>`;
  const pdf = onePage("BT /F 10 Tf 50 700 Td (Named) Tj ET", "/Font<</F 5 0 R>>", [font, descriptor]);
  const result = await applied(await mark(pdf, literal("e")));
  expect(result.notices).not.toContain("matches-kept");
  expect(await glyphsOf(result.pdf)).toBe("Named".replace("e", ""));
});
