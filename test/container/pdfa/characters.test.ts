// Tests that PDF/A shows and contains the text of every character of the original: characters in fonts that are not
// embedded, and characters with unusual codes.
import { describe, expect, test } from "vitest";
import { conforming } from "../../../container/pdfa/conforming.ts";
import { ghostscript } from "../../../container/pdfa/ghostscript.ts";
import { rasterize } from "../../../container/pdfa/rasterize.ts";
import { repair } from "../../../container/pdfa/repair.ts";
import { compactTrueType, symbolMap } from "../../../src/document/fonts/truetype/writer.ts";
import { openFace } from "../../../src/document/pdfa/fonts/face.ts";
import { asianPdf, utf16 } from "../../fixtures/asian-pdf.ts";
import { PdfBuilder } from "../../fixtures/pdf-builder.ts";
import { machineFace } from "../../support/font-provider.ts";
import { LEVEL_NAMES } from "../../support/levels.ts";
import { pageTexts } from "../../support/pdf-readers.ts";
import { climbed, openLadder } from "../../support/pdfa-conversion.ts";
import { perceptualDistance, pixel, popplerPage } from "../../support/pictures.ts";

openLadder();
const STRATEGIES = [conforming, repair, ghostscript];
/** Side of the cells in which {@link asianPdf} shows characters, in points. */
const CELL = 20;
const DARK = 128;
/** Minimum number of dark pixels of a character. */
const MARK = 10;

/** Returns the number of dark pixels in each cell of the page's line of characters. */
async function inkOf(pdf: Uint8Array, cells: number): Promise<number[]> {
  const picture = await popplerPage(pdf, 1, 72);
  return Array.from({ length: cells }, (_, cell) => {
    let dark = 0;
    for (let y = CELL; y < 2.2 * CELL; y++)
      for (let x = 0; x < CELL; x++) if (pixel(picture, CELL * (cell + 1) + x, Math.round(y))[0]! < DARK) dark++;
    return dark;
  });
}

describe("an Asian font that is not embedded", () => {
  const page = "BT /F 8 Tf 10 190 Td (An English page with one name at its end: a single character counts.) Tj ET";
  test.each([
    ["beyond the basic plane", { font: "HeiseiMin-W3", ordering: "Japan1", encoding: "UniJIS-UTF16-H" }, "彼を𠮟る"],
    ["rare ones of the basic plane", { font: "STSong-Light", ordering: "GB1", encoding: "UniGB-UCS2-H" }, "㐀㐇"],
    [
      "one on an English page",
      { font: "MS-Gothic", ordering: "Japan1", encoding: "UniJIS-UTF16-H", before: page },
      "𡈽",
    ],
    ["in traditional Chinese", { font: "MSung-Light", ordering: "CNS1", encoding: "UniCNS-UTF16-H" }, "國發𠮟"],
    ["Korean", { font: "HYSMyeongJo-Medium", ordering: "Korea1", encoding: "UniKS-UTF16-H", flags: 6 }, "영수증漢"],
  ])("%s is embedded with all of them", async (_, font, text) => {
    const pdf = asianPdf({ ...font, codes: utf16(text) });
    for (const level of ["1b", "2u"] as const) {
      const { bytes, strategy, refused } = await climbed(pdf, level, STRATEGIES);
      expect([strategy, refused]).toEqual(["repair", []]);
      expect(pageTexts(bytes)[0]?.replaceAll(/\s/g, "")).toBe(pageTexts(pdf)[0]?.replaceAll(/\s/g, ""));
      expect(pageTexts(bytes)[0]).toContain(text);
      for (const dark of await inkOf(bytes, [...text].length)) expect(dark).toBeGreaterThan(MARK);
    }
  });

  test("vertical text has the forms of vertical text", async () => {
    const text = "縦、書。「き」ー";
    const pdf = asianPdf({ font: "HeiseiMin-W3", ordering: "Japan1", encoding: "UniJIS-UTF16-V", codes: utf16(text) });
    const { bytes, strategy } = await climbed(pdf, "2b", STRATEGIES);
    expect(strategy).toBe("repair");
    expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(bytes, 1, 72))).toBeLessThan(1.5);
  });

  test("shows its own characters, whatever its map to Unicode says", async () => {
    const font = { font: "HeiseiMin-W3", ordering: "Japan1", encoding: "UniJIS-UCS2-H", codes: utf16("契約") };
    const toUnicode = "1 begincodespacerange <0000> <ffff> endcodespacerange 1 beginbfchar <5951> <0061> endbfchar";
    const [plain, lying] = [asianPdf(font), asianPdf({ ...font, toUnicode })];
    const { bytes } = await climbed(lying, "2b", STRATEGIES);
    const expected = await popplerPage((await climbed(plain, "2b", STRATEGIES)).bytes, 1, 72);
    expect(perceptualDistance(expected, await popplerPage(bytes, 1, 72))).toBeLessThan(0.1);
  });

  test("that no face can replace is refused", async () => {
    const codes = utf16("中\u{20000}国");
    const pdf = asianPdf({ font: "SimSun", ordering: "Identity", encoding: "Identity-H", codes });
    await expect(climbed(pdf, "2b", STRATEGIES)).rejects.toMatchObject({ reason: "nonconforming" });
  });
});

test("a font with signs of several scripts is embedded with all of them, or refused", async () => {
  const differences = (names: string) => {
    const builder = new PdfBuilder();
    const encoding = `/Encoding<</BaseEncoding/WinAnsiEncoding/Differences[1${names}]>>`;
    const font = builder.add(`<</Type/Font/Subtype/TrueType/BaseFont/Arial${encoding}>>`);
    builder.page("BT /G 24 Tf 20 150 Td (Due \\001 1000 \\002) Tj ET", "", "");
    return Buffer.from(Buffer.from(builder.bytes()).toString("latin1").replace("/F 3 0 R", `/G ${font}`), "latin1");
  };
  const { bytes, strategy } = await climbed(differences("/uni0416/uni2713"), "2b", STRATEGIES);
  expect([strategy, pageTexts(bytes)[0]?.trim()]).toEqual(["repair", "Due Ж 1000 ✓"]);
  const refused = climbed(differences("/uni0E01/uni4E2D"), "2b", STRATEGIES);
  await expect(refused).rejects.toMatchObject({ reason: "nonconforming" });
});

test("pictures of pages keep characters beyond the basic plane as text", async () => {
  const pdf = asianPdf({ font: "MS-Mincho", ordering: "Japan1", encoding: "UniJIS-UTF16-H", codes: utf16("𠮟る𠀋") });
  const { bytes } = await climbed(pdf, "2u", [rasterize]);
  expect(pageTexts(bytes)[0]?.trim()).toBe("𠮟る𠀋");
});

describe("a symbolic TrueType font whose code 0 shows a glyph", () => {
  const face = openFace("LiberationSans-Regular", machineFace("LiberationSans-Regular")!, 0);
  if (face?.kind !== "truetype") throw new Error("no TrueType");
  const font = face.font;

  /** @param map makes the character map from the glyphs of codes */
  function codeZero(text: string, toUnicode: boolean, flags = 4): Uint8Array {
    const glyphs = [...text].map((character) => ({ source: face!.glyphOf(character), advance: 1200 }));
    const places = new Map(glyphs.map((_, index) => [index, index + 1]));
    const program = compactTrueType(font, glyphs, symbolMap(places))!;
    const builder = new PdfBuilder();
    const file = builder.stream(program, `/Length1 ${program.length}`);
    const metrics = "/FontBBox[-500 -300 1500 1000]/ItalicAngle 0/Ascent 900/Descent -200/CapHeight 700/StemV 80";
    const descriptor = `/FontDescriptor<</Type/FontDescriptor/FontName/S/Flags ${flags}${metrics}/FontFile2 ${file}>>`;
    const chars = [...text].map((character, code) => `<${hex(code)}> <${hex(character.charCodeAt(0), 4)}>`);
    const ranges = `1 begincodespacerange <00> <ff> endcodespacerange ${chars.length} beginbfchar ${chars.join(" ")} endbfchar`;
    const map = toUnicode ? `/ToUnicode ${builder.stream(`begincmap ${ranges} endcmap`)}` : "";
    const widths = `/FirstChar 0/LastChar ${text.length - 1}/Widths[${[...text].map(() => 586).join(" ")}]`;
    const symbols = builder.add(`<</Type/Font/Subtype/TrueType/BaseFont/S${widths}${descriptor}${map}>>`);
    const codes = [...text].map((_, code) => hex(code)).join("");
    const page = builder.page("");
    const content = builder.stream(`BT /S 24 Tf 20 150 Td <${codes}> Tj ET`);
    const resources = `/Resources<</Font<</S ${symbols}>>>>`;
    builder.set(page, `<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]${resources}/Contents ${content}>>`);
    return builder.bytes();
  }
  const hex = (value: number, digits = 2) => value.toString(16).padStart(digits, "0");

  test.each([
    ["with a map to Unicode", codeZero("Invoice 7", true)],
    ["without one", codeZero("0123", false)],
    ["of one code", codeZero("Q", true)],
  ])("%s is kept at all levels", async (_, pdf) => {
    for (const level of LEVEL_NAMES) {
      const { bytes, strategy } = await climbed(pdf, level, STRATEGIES);
      expect(strategy).toBe("repair");
      if (!level.endsWith("u")) continue;
      expect(perceptualDistance(await popplerPage(pdf, 1, 72), await popplerPage(bytes, 1, 72))).toBeLessThan(0.1);
      if (pageTexts(pdf)[0] !== "") expect(pageTexts(bytes)).toEqual(pageTexts(pdf));
    }
  });
});

describe("symbols that are not embedded", () => {
  /** Returns a page with the codes of a font as wide as it is high, in the middle of a line of text. */
  function symbolsPdf(font: string, codes: string): Uint8Array {
    const builder = new PdfBuilder();
    const descriptor = builder.add(
      `<</Type/FontDescriptor/FontName/${font}/Flags 4/FontBBox[0 -210 1359 899]/ItalicAngle 0/Ascent 899/Descent -211/CapHeight 719/StemV 50>>`,
    );
    const widths = `/FirstChar 32/LastChar 255/Widths[${Array(224).fill(1000).join(" ")}]`;
    const used = builder.add(`<</Type/Font/Subtype/TrueType/BaseFont/${font}${widths}/FontDescriptor ${descriptor}>>`);
    const form = `/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<</Font<</G ${used}>>>>`;
    const symbols = builder.stream(`BT /G 24 Tf 20 100 Td <${codes}> Tj ET`, form);
    builder.page("BT /F 12 Tf 20 150 Td (Text) Tj ET q /Symbols Do Q", "", `/XObject<</Symbols ${symbols}>>`);
    return builder.bytes();
  }

  test.each([
    ["Wingdings", "46364A4DFCFEE8D8"],
    ["Wingdings-Regular", "6CA7FC"],
    ["ABCDEF+Webdings", "61636E67"],
    ["Wingdings2", "50525445"],
    ["Wingdings3", "7084"],
  ])("%s", async (font, codes) => {
    const pdf = symbolsPdf(font, codes);
    for (const level of ["1b", "2b", "2u"] as const) {
      const { strategy, bytes } = await climbed(pdf, level, [repair]);
      expect(strategy).toBe("repair");
      const picture = await popplerPage(bytes, 1, 72);
      for (let place = 0; place < codes.length / 2; place++) {
        let dark = 0;
        for (let y = 76; y < 106; y++)
          for (let x = 20 + 24 * place; x < 44 + 24 * place; x++) if (pixel(picture, x, y)[0]! < DARK) dark++;
        expect(dark, codes.slice(2 * place, 2 * place + 2)).toBeGreaterThan(MARK);
      }
    }
  });
});
