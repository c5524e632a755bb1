// Tests fonts that are fitted to the widths of others, made of a font among the node modules.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { root } from "../../../../scripts/services/wrangler.ts";
import { readCmap } from "../../../../src/document/fonts/truetype/cmap.ts";
import { type Contours, contoursOf, writeContours } from "../../../../src/document/fonts/truetype/contours.ts";
import { fitTrueType, widthsOf } from "../../../../src/document/fonts/truetype/fit-truetype.ts";
import { readTrueType, type TrueTypeFont, viewOf } from "../../../../src/document/fonts/truetype/truetype.ts";

const SOURCE = `${root}/node_modules/@expo-google-fonts/gelasio/400Regular/Gelasio_400Regular.ttf`;
const source = readTrueType(new Uint8Array(readFileSync(SOURCE)))!;
const names = { family: "Fit Test", style: "Bold Italic" };
const fitting = (widths: Readonly<Record<string, number>>, lines?: readonly [number, number]) =>
  readTrueType(fitTrueType(source, { names, widths: new Map(Object.entries(widths)), lines })!)!;

const glyphOf = (font: TrueTypeFont, character: string) => {
  const map = readCmap(font)!.find(({ platform, encoding }) => platform === 3 && encoding === 1);
  return map!.glyphOf(character.codePointAt(0)!);
};
const bounds = ({ points }: Contours) => {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), bottom: Math.min(...ys), top: Math.max(...ys) };
};

test("characters have the wanted widths, accented ones follow their letter, and others the mean", () => {
  const [own, fitted] = [widthsOf(source), widthsOf(fitting({ e: 300, n: 900, " ": 200 }))];
  for (const [character, width] of Object.entries({ e: 300, n: 900, " ": 200 })) {
    expect(Math.abs(fitted(character)! - width), character).toBeLessThan(0.5);
  }
  const scale = (character: string) => fitted(character)! / own(character)!;
  expect(scale("é")).toBeCloseTo(scale("e"), 2);
  expect(scale("ñ")).toBeCloseTo(scale("n"), 2);
  expect(scale("W")).toBeCloseTo((scale("e") + scale("n") + scale(" ")) / 3, 2);
  expect(fitted("字")).toBeUndefined();
});

test.each(["e", "é", "W", "½"])("the outline of %s is scaled horizontally only", (character) => {
  const font = fitting({ e: 300, W: 500 });
  const scale = widthsOf(font)(character)! / widthsOf(source)(character)!;
  const [before, after] = [source, font].map((one) => bounds(contoursOf(one, glyphOf(one, character))!));
  expect(Math.abs(after!.left - before!.left * scale)).toBeLessThan(2);
  expect(Math.abs(after!.right - before!.right * scale)).toBeLessThan(2);
  expect([after!.bottom, after!.top]).toEqual([before!.bottom, before!.top]);
});

test("the font has its own names, the copyright of its source, and the wanted lines", () => {
  const { tables } = fitting({ e: 500 }, [900, 210]);
  const name = tables.get("name")!;
  const text = new TextDecoder("utf-16be").decode(name.subarray(viewOf(name).getUint16(4)));
  expect(text).toMatch(/^Copyright 2022 The Gelasio Project Authors/);
  expect(text).toContain("Fit TestBold ItalicFit Test Bold ItalicFit Test Bold ItalicFitTest-BoldItalic");
  const [hhea, os2] = [viewOf(tables.get("hhea")!), viewOf(tables.get("OS/2")!)];
  const units = viewOf(tables.get("head")!).getUint16(18);
  const lines = [Math.round(0.9 * units), -Math.round(0.21 * units), 0];
  expect([4, 6, 8].map((at) => hhea.getInt16(at))).toEqual(lines);
  expect([68, 70, 72].map((at) => os2.getInt16(at))).toEqual(lines);
});

test("all outlines survive writing and reading", () => {
  for (let glyph = 0; glyph < source.glyphCount; glyph++) {
    const contours = contoursOf(source, glyph)!;
    const glyf = writeContours(contours);
    const written = { ...source, offsets: Uint32Array.of(0, glyf.length), tables: new Map([["glyf", glyf]]) };
    expect(contoursOf(written, 0)).toEqual(contours);
  }
});

test("damaged outlines are refused", () => {
  const glyf = source.tables.get("glyf")!;
  for (const damaged of [new Uint8Array(glyf.length).fill(0xff), new Uint8Array(glyf.length).fill(0x7f)]) {
    const font = { ...source, tables: new Map(source.tables).set("glyf", damaged) };
    expect(fitTrueType(font, { names, widths: new Map() })).toBeUndefined();
  }
});
