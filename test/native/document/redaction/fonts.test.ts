// Redacts texts whose fonts have no ToUnicode, so that readers find the characters in different ways. poppler judges.
// Contract: docs/api.md#pdf-with-redacted-text-applied
import { describe, expect, test } from "vitest";
import { macGlyphOrder } from "../../../../src/document/fonts/names/glyph-names.ts";
import { readCmap } from "../../../../src/document/fonts/truetype/cmap.ts";
import { readTrueType } from "../../../../src/document/fonts/truetype/truetype.ts";
import { applyRedactions } from "../../../../src/operations/apply-redactions.ts";
import { markRedactions } from "../../../../src/operations/mark-redactions.ts";
import { HELVETICA } from "../../../fixtures/form-pdfs.ts";
import { machineFace } from "../../../support/font-provider.ts";
import { pdfOf, stream } from "../../../support/hostile-pdfs.ts";
import { outputsOf } from "../../../support/operations.ts";
import { textOf } from "../../../support/pdf-readers.ts";

const SECRET = "Kestrel";
const NEIGHBOR = "Neighbor";

/** Returns a document of one page that shows the secret as a string of codes. */
const documentOf = (
  font: string,
  codes: readonly number[],
  bytes: 1 | 2,
  more: readonly (string | Uint8Array)[] = [],
  size = 12,
) => {
  const shown = codes.map((code) => code.toString(16).padStart(bytes * 2, "0")).join("");
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R/G 6 0 R>>>>>>",
    stream(`BT /F 12 Tf 72 700 Td (${NEIGHBOR}) Tj /G ${size} Tf 0 -40 Td <${shown}> Tj ET`),
    HELVETICA,
    font,
    ...more,
  ]);
};
const composite = (inner: string) =>
  `<</Type/Font/Subtype/Type0/BaseFont/Other/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2
  /BaseFont/Other/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 600${inner}>>]>>`;
const DESCRIPTOR = "<</Type/FontDescriptor/FontName/Other/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 900";

const characters = [...SECRET].map((one) => one.charCodeAt(0));
const program = machineFace("LiberationSans-Regular")!;
const cmap = readCmap(readTrueType(program)!)!;
const glyphs = characters.map((one) => cmap[0]!.glyphOf(one));
const embedded = [`${DESCRIPTOR}/FontFile2 8 0 R>>`, stream(program, `/Length1 ${program.length}`)];
/** Maps the characters of the secret to their glyphs, as CIDs. */
const map = new Uint8Array(512);
for (const [at, one] of characters.entries()) map.set([glyphs[at]! >> 8, glyphs[at]! & 255], one * 2);
const named = (name: (code: number) => string, subtype: string) =>
  `<</Type/Font/Subtype/${subtype}/BaseFont/Other/FirstChar 65/LastChar 122/Widths[${"600 ".repeat(58)}]
  /Encoding<</Type/Encoding/Differences[65 ${Array.from({ length: 58 }, (_, at) => `/${name(at + 65)}`).join(" ")}]>>>>`;

const DOCUMENTS: Readonly<Record<string, Uint8Array>> = {
  "glyph numbers of a program with a cmap": documentOf(composite("/FontDescriptor 7 0 R"), glyphs, 2, embedded),
  "characters that a map leads to glyphs": documentOf(
    composite("/FontDescriptor 7 0 R/CIDToGIDMap 9 0 R"),
    characters,
    2,
    [...embedded, stream(map)],
  ),
  "characters of a missing program": documentOf(composite(""), characters, 2),
  "glyph numbers of a missing program": documentOf(
    composite(""),
    [...SECRET].map((one) => macGlyphOrder().indexOf(one)),
    2,
  ),
  "names that count": documentOf(
    named((code) => `g${code - 60}`, "Type1"),
    characters,
    1,
  ),
  "names that count characters": documentOf(
    named((code) => `c${characters[code - 65] ?? code}`, "Type1"),
    characters.map((_, at) => at + 65),
    1,
  ),
  "shapes in units of the page": documentOf(
    `<</Type/Font/Subtype/Type3/FontBBox[0 -2 12 12]/FontMatrix[1 0 0 1 0 0]/FirstChar 65/LastChar 122
    /Widths[${"8 ".repeat(58)}]/Resources<<>>/CharProcs<<${characters.map((code) => `/u${code} 7 0 R`).join("")}>>
    /Encoding<</Type/Encoding/Differences[${characters.map((code) => `${code}/u${code}`).join(" ")}]>>>>`,
    characters,
    1,
    [stream("8 0 0 0 7 10 d1 0 0 7 10 re f")],
    1,
  ),
  "a symbolic program without an encoding": documentOf(
    `<</Type/Font/Subtype/TrueType/BaseFont/Other/FirstChar 65/LastChar 122/Widths[${"600 ".repeat(58)}]/FontDescriptor 7 0 R>>`,
    characters,
    1,
    embedded,
  ),
};

/** Letters of the secret as readers see them, from left to right: the fourth code is a ligature of two letters. */
const LETTERS = ["0637", "0648", "0637", "0644062e", "0627"];
const RIGHT_TO_LEFT = documentOf(
  `<</Type/Font/Subtype/Type1/BaseFont/Other/FirstChar 1/LastChar 5/Widths[${"600 ".repeat(5)}]/ToUnicode 7 0 R
  /Encoding<</Type/Encoding/Differences[1${"/space".repeat(5)}]>>>>`,
  [1, 2, 3, 4, 5],
  1,
  [
    stream(`begincmap 1 begincodespacerange <00> <ff> endcodespacerange 5 beginbfchar
    ${LETTERS.map((text, at) => `<0${at + 1}> <${text}>`).join(" ")} endbfchar endcmap`),
  ],
);

describe("ligatures", () => {
  test("from right to left", async () => {
    const value = "\u0627\u0644\u062e\u0637\u0648\u0637";
    expect(textOf(RIGHT_TO_LEFT).join("").trim().length).toBeGreaterThan(NEIGHBOR.length);
    const [marked] = await outputsOf(markRedactions, [RIGHT_TO_LEFT], { redactions: [{ type: "literal", value }] });
    const [applied] = await outputsOf(applyRedactions, [marked!], { rgbColor: [0, 0, 0] });
    expect(textOf(applied!).join("").trim()).toBe(NEIGHBOR);
  });
});

describe("fonts without ToUnicode", () => {
  test.each(Object.entries(DOCUMENTS))("%s", async (_, planted) => {
    const redactions = [{ type: "literal" as const, value: SECRET }];
    const [before] = textOf(planted).join("").split(NEIGHBOR).slice(1);
    expect(before!.trim()).toHaveLength(SECRET.length);
    const [marked] = await outputsOf(markRedactions, [planted], { redactions });
    const [applied] = await outputsOf(applyRedactions, [marked!], { rgbColor: [0, 0, 0] });
    expect(textOf(applied!).join("").trim()).toBe(NEIGHBOR);
  });
});
