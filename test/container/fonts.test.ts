// Tests the fonts that replace others: their widths and line heights, the choice of fontconfig, and what documents show.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { recordedWidths } from "../../container/fonts/fitted-fonts.ts";
import recordedLines from "../../container/fonts/line-heights.json" with { type: "json" };
import { fontPaths, MADE_FONTS, OFFICE_RULES, SYSTEM_FONTS, WEB_RULES } from "../../container/fonts/system-fonts.ts";
import { FAMILIES, type FontFamily } from "../../src/document/fonts/replacements/families.ts";
import { replacementOf } from "../../src/document/fonts/replacements/font-names.ts";
import {
  familyOf,
  filesOf,
  OF_APPLE,
  REPLACEMENTS,
  wordFamilyOf,
  wordLinesOf,
} from "../../src/document/fonts/replacements/replacements.ts";
import { readCollection } from "../../src/document/fonts/truetype/collection.ts";
import { familyNameOf } from "../../src/document/fonts/truetype/name-table.ts";
import { readTrueType, viewOf } from "../../src/document/fonts/truetype/truetype.ts";
import { openFace } from "../../src/document/pdfa/fonts/face.ts";
import { docx } from "../fixtures/office.ts";
import { fontMatches } from "../support/font-matches.ts";
import { documents, openOffices, save, zygote } from "../support/libreoffice.ts";

openOffices();

const paths = fontPaths([SYSTEM_FONTS, MADE_FONTS]);
const STYLES = [0, 1, 2, 3];
/** Part of the characters that may differ in a font whose widths count as equal: rare signs of URW's clones. */
const RARE = 0.03;

function fileOf(name: string): Uint8Array {
  const path = paths.get(name);
  expect(path, name).toBeDefined();
  return new Uint8Array(readFileSync(path!));
}

const compared = REPLACEMENTS.filter(({ widths }) => widths !== "similar").flatMap((replacement) =>
  STYLES.flatMap((style) => {
    const widths = recordedWidths(replacement.names[0], style);
    const file = filesOf(replacement)[style];
    return widths && file ? [{ file, name: `${replacement.names[0]}, ${file}`, replacement, widths }] : [];
  }),
);

test.each(compared)("$name: widths as recorded", ({ file, widths }) => {
  const face = openFace(file, fileOf(file), 0)!;
  const wrong = [...widths].filter(([character, width]) => {
    const glyph = face.glyphOf(character);
    return glyph === 0 || Math.abs(face.widthOf(glyph) - width) > 1;
  });
  expect(wrong.length / widths.size, JSON.stringify(wrong)).toBeLessThan(RARE);
});

test("widths are recorded for every fitted font, and for most of the equal ones", () => {
  const names = new Set(compared.map(({ replacement }) => replacement.names[0]));
  for (const {
    names: [name],
    widths,
  } of REPLACEMENTS)
    if (widths === "fitted") expect(names).toContain(name);
  expect(names.size).toBeGreaterThan(20);
});

test.each(REPLACEMENTS.filter(({ widths }) => widths === "fitted"))("$names: the height of lines", (replacement) => {
  for (const name of filesOf(replacement)) {
    const view = new DataView(tableOf(fileOf(name), "hhea"));
    const units = new DataView(tableOf(fileOf(name), "head")).getUint16(18);
    const lines = [4, 6, 8].map((at) => (view.getInt16(at) * 1000) / units);
    const [ascent, descent] = replacement.lines!;
    for (const [index, line] of [ascent, -descent, 0].entries()) {
      expect(Math.abs(lines[index]! - line)).toBeLessThan(1);
    }
  }
});

const lined = REPLACEMENTS.filter(({ widths, lines }) => widths === "similar" && lines);

test.each(lined)("$names: the height of lines in a collection", (replacement) => {
  for (const name of filesOf(replacement)) {
    const members = readCollection(fileOf(name))!;
    const member = members.find((one) => familyNameOf(one) === familyOf(replacement))!;
    const source = members.find((one) => familyNameOf(one) === replacement.family)!;
    const view = viewOf(member.tables.get("hhea")!);
    expect([view.getInt16(4), view.getInt16(6)]).toEqual([replacement.lines![0], -replacement.lines![1]]);
    expect(member.tables.get("CFF ")).toBe(source.tables.get("CFF "));
    const inWord = members.find((one) => familyNameOf(one) === wordFamilyOf(replacement));
    expect(inWord !== undefined).toBe(replacement.isTallerInWord ?? false);
    if (!inWord) continue;
    const taller = viewOf(inWord.tables.get("hhea")!);
    expect([taller.getInt16(4), -taller.getInt16(6)]).toEqual(wordLinesOf(replacement));
    expect(inWord.tables.get("OS/2")).toEqual(member.tables.get("OS/2"));
  }
});

function tableOf(bytes: Uint8Array, tag: string): ArrayBuffer {
  const view = new DataView(bytes.buffer);
  for (let at = 12; at < 12 + 16 * view.getUint16(4); at += 16) {
    if (String.fromCharCode(...bytes.subarray(at, at + 4)) !== tag) continue;
    return bytes.slice(view.getUint32(at + 8), view.getUint32(at + 8) + view.getUint32(at + 12)).buffer;
  }
  throw new Error(`no table ${tag}`);
}

describe("fontconfig", () => {
  const rules = join(MADE_FONTS, OFFICE_RULES);
  const matched = (...names: string[]) => fontMatches(rules, "%{family}", names).map((families) => families.split(","));

  test("each name of the list has its replacement", () => {
    const asked = REPLACEMENTS.flatMap((replacement) => replacement.names.map((name) => ({ name, replacement })));
    const found = matched(...asked.map(({ name }) => name));
    for (const [at, { name, replacement }] of asked.entries()) expect(found[at], name).toContain(familyOf(replacement));
  });

  test.each([
    "Papyrus",
    "Brush Script MT",
    "Copperplate Gothic Std",
    "Zapfino",
    "Bauhaus Std",
    "fantasy",
    "cursive",
    "x",
  ])("%s is replaced by letters of a text font", (name) => {
    const [families] = matched(name);
    for (const family of ["D050000L", "Z003", "Standard Symbols PS"]) expect(families).not.toContain(family);
  });

  test.each([
    ["Cambria Bold", "Caladea", "0 200"],
    ["Arial-BoldItalicMT", "Liberation Sans", "100 200"],
    ["segoe ui italic", "Fit Segoe UI", "100 80"],
    ["@SimSun", "Fit SimSun", "0 80"],
    ["MS 明朝", "Fit MS Mincho", "0 80"],
    ["Arial Narrow", "Liberation Sans Narrow", "0 80"],
    ["SymbolMT", "Symbol", "0 80"],
    ["Century Gothic", "URW Gothic", "0 80"],
  ])("%s is found as %s of slant and weight %s", (name, family, style) => {
    expect(fontMatches(rules, "%{family[0]}/%{slant} %{weight}", [name])).toEqual([`${family}/${style}`]);
  });

  test.each(["Symbol", "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings"])("%s has its symbols", (name) => {
    expect(matched(name)[0]).toContain(name);
  });
});

describe("fontconfig for Chromium", () => {
  test("the font found for a name has the name", () => {
    const names = REPLACEMENTS.flatMap((replacement) => replacement.names.filter((one) => !OF_APPLE.test(one)));
    const found = fontMatches(join(MADE_FONTS, WEB_RULES), "%{family}", names);
    for (const [at, name] of names.entries())
      expect(found[at]!.replaceAll("\\-", "-").split(","), name).toContain(name);
  });

  test("an installed font has precedence", () => {
    const folder = mkdtempSync(join(tmpdir(), "fonts-"));
    const font = fileOf("Carlito-Regular");
    const renamed = Buffer.from(font);
    for (const encode of [
      (name: string) => Buffer.from(name),
      (name: string) => Buffer.from(name, "utf16le").swap16(),
    ]) {
      const [from, to] = [encode("Carlito"), encode("Georgia")];
      for (let at = renamed.indexOf(from); at >= 0; at = renamed.indexOf(from, at)) to.copy(renamed, at);
    }
    writeFileSync(join(folder, "georgia.ttf"), renamed);
    const rules = join(folder, "rules.conf");
    const include = `<include>${join(MADE_FONTS, WEB_RULES)}</include>`;
    writeFileSync(rules, `<fontconfig><cachedir>${folder}</cachedir>${include}<dir>${folder}</dir></fontconfig>`);
    try {
      expect(fontMatches(rules, "%{file}", ["Georgia", "Verdana"])).toEqual([
        join(folder, "georgia.ttf"),
        join(MADE_FONTS, "FitVerdana-Regular.ttf"),
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

test("declared line heights are those of the files, and the recorded ones", () => {
  for (const { lineHeight, faces } of Object.values<FontFamily>(FAMILIES)) {
    if (lineHeight !== undefined) expect(Math.abs(lineHeightOf(faces[0]) - lineHeight), faces[0]).toBeLessThan(1.5);
  }
  for (const [name, height] of Object.entries(recordedLines)) {
    const file = filesOf(replacementOf(name)!)[0]!;
    expect(Math.abs(lineHeightOf(file) - height), name).toBeLessThan(2);
  }
});

function lineHeightOf(name: string): number {
  const { tables } = readCollection(fileOf(name))?.[0] ?? readTrueType(fileOf(name)) ?? { tables: new Map() };
  const header = tables.get("hhea") ?? new Uint8Array(tableOf(fileOf(name), "hhea"));
  const units = viewOf(tables.get("head") ?? new Uint8Array(tableOf(fileOf(name), "head"))).getUint16(18);
  const [ascent, descent, gap] = [4, 6, 8].map((at) => viewOf(header).getInt16(at));
  return ((ascent! - descent! + gap!) * 1000) / units;
}

describe("a document", () => {
  const run = (font: string, content: string) =>
    `<w:p><w:r><w:rPr><w:rFonts w:ascii="${font}" w:hAnsi="${font}" w:eastAsia="${font}" w:cs="${font}"/></w:rPr>${content}</w:r></w:p>`;

  async function fontsOf(body: string): Promise<string[]> {
    const output = join(documents, "replaced.pdf");
    await using pdf = await zygote.convertToPdf(await save(docx({ body }), "docx"), { tagged: false, lossless: false });
    copyFileSync(pdf.path, output);
    const list = execFileSync("pdffonts", [output], { encoding: "utf8" });
    return [...list.matchAll(/^[A-Z]{6}\+(\S+)/gm)].map(([, name]) => name!);
  }

  test.each(["Aptos", "Georgia", "Impact", "Tahoma", "Comic Sans MS", "Cambria", "Segoe UI"])("in %s", async (font) => {
    const [replacing, ...others] = await fontsOf(run(font, "<w:t>Text</w:t>"));
    const family = familyOf(replacementOf(font)!).replaceAll(" ", "");
    expect(replacing).toMatch(new RegExp(`^${family}`));
    expect(others).toEqual([]);
  });

  test.each(["Symbol", "Wingdings", "Wingdings 2", "Wingdings 3", "Webdings"])("with %s", async (font) => {
    const codes = ["F061", "F06E", "F0A7", "F0B7", "F0D8"];
    const signs = codes.map((code) => `<w:sym w:font="${font}" w:char="${code}"/>`).join("");
    const text = `<w:t>${codes.map((code) => `&#x${code};`).join("")}</w:t>`;
    for (const body of [run(font, signs), run(font, text)]) {
      const [name, ...others] = await fontsOf(body);
      expect(name).toMatch(new RegExp(`^${font.replaceAll(" ", "")}`));
      expect(others).toEqual([]);
    }
  });

  test("in 宋体 of 12 points has a line on each line of the grid", async () => {
    const size = '<w:sz w:val="24"/>';
    const lines = Array.from({ length: 30 }, () =>
      run("宋体", "<w:t>一二三</w:t>").replace("</w:rPr>", `${size}</w:rPr>`),
    );
    const grid = '<w:sectPr><w:docGrid w:type="lines" w:linePitch="312"/></w:sectPr>';
    const output = join(documents, "lines.pdf");
    const path = await save(docx({ body: lines.join("") + grid }), "docx");
    await using pdf = await zygote.convertToPdf(path, { tagged: false, lossless: false });
    copyFileSync(pdf.path, output);
    const words = execFileSync("pdftotext", ["-bbox", output, "-"], { encoding: "utf8" });
    const tops = [...words.matchAll(/yMin="([\d.]+)"/g)].map(([, top]) => Number(top));
    expect(tops).toHaveLength(30);
    expect((tops.at(-1)! - tops[0]!) / 29).toBeCloseTo(15.6, 0);
  });

  test.each([
    ["ＭＳ 明朝", "明朝体", /^FitMSMincho/],
    ["宋体", "宋体字", /^FitSimSun/],
    ["微软雅黑", "雅黑", /^FitMicrosoftYaHeiWord/],
    ["맑은 고딕", "한글", /^FitMalgunGothicWord/], // cspell:ignore Malgun
    ["新細明體", "細明體", /^FitMingLiU/],
  ])("in %s", async (font, text, family) => {
    for (const name of await fontsOf(run(font, `<w:t>${text}</w:t>`))) {
      expect(name).toMatch(family);
    }
  });
});
