// Tests that both the zygote and the plain program report the fonts that Ghostscript replaces.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { document } from "../../../../test/fixtures/postscript.ts";
import { renamedFont, sentFont } from "../../../../test/fixtures/renamed-fonts.ts";
import { by, convert, openGhostscripts } from "../../../../test/support/ghostscripts.ts";

openGhostscripts();

const showing = (...fonts: string[]) =>
  document(`${fonts.map((font) => `${font} findfont 12 scalefont setfont (x) show`).join("\n")}\nshowpage`);

test.each(["zygote", "plain"] as const)("by %s: symbols, lower case, and Asian fonts", async (mode) => {
  const { substitutions } = await convert(
    by(mode),
    showing("/Wingdings", "/georgia-bold", "/MS-Mincho", "/MonotypeCorsiva"),
  );
  const replacedBy = new Map(substitutions.fonts.map((one) => [one.name, one.replacedBy]));
  expect(replacedBy.get("georgia-bold")).toBe("FitGeorgia-Bold");
  expect(replacedBy.get("MonotypeCorsiva")).toBe("Z003-MediumItalic");
  expect(replacedBy.get("MS-Mincho")).toBe("Courier");
  expect(replacedBy.get("Wingdings") ?? "Wingdings-Regular").toBe("Wingdings-Regular");
});

const STANDARD = [
  ...["/Helvetica", "/Helvetica-BoldOblique", "/Helvetica-Narrow", "/Times-Roman", "/Courier-Bold", "/Symbol"],
  ...["/ZapfDingbats", "/Palatino-Roman", "/Bookman-Light", "/AvantGarde-Book", "/NewCenturySchlbk-Roman"],
];

test.each(["zygote", "plain"] as const)("by %s: each font that was replaced, once", async (mode) => {
  const fonts = ["/Frutiger-Bold", "/Helvetica", "/Calibri", "/Calibri", "/SegoeUI-Light", "/Verdana,Bold"];
  const { substitutions } = await convert(by(mode), showing(...fonts));
  expect(substitutions.count).toBe(4);
  expect(substitutions.fonts.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual([
    { name: "Calibri", replacedBy: "Carlito" },
    { name: "Frutiger-Bold", replacedBy: "Helvetica-Bold" },
    { name: "SegoeUI-Light", replacedBy: "FitSegoeUILight-Regular" },
    { name: "Verdana,Bold", replacedBy: "FitVerdana-Bold" },
  ]);
});

test.each(["zygote", "plain"] as const)("by %s: standard, installed and own fonts are not replaced", async (mode) => {
  const own = "/Cambria << /FontType 3 /FontMatrix [ 1 0 0 1 0 0 ] /FontBBox [ 0 0 1 1 ] /Encoding StandardEncoding";
  const drawing = "/BuildGlyph { pop pop 1 0 0 0 1 1 setcachedevice 0 0 1 1 rectfill } >> definefont pop";
  const program = showing(...STANDARD, "/Carlito", "/Cambria").replace("\n", `\n${own} ${drawing}\n`);
  expect((await convert(by(mode), program)).substitutions).toEqual({ count: 0, fonts: [] });
});

test.each(["zygote", "plain"] as const)("by %s: names with blanks, and after an unfinished line", async (mode) => {
  const blanks = await convert(by(mode), showing("(An Odd for Name) cvn"));
  expect(blanks.substitutions.fonts).toEqual([{ name: "An Odd for Name", replacedBy: "Courier" }]);
  const unfinished = showing("3000 { (.) print } repeat /Calibri");
  expect((await convert(by(mode), unfinished)).substitutions.fonts).toEqual([
    { name: "Calibri", replacedBy: "Carlito" },
  ]);
});

test.each(["zygote", "plain"] as const)("by %s: all are counted, also where too many are named", async (mode) => {
  const names = Array.from({ length: 60 }, (_, index) => `/Font-${index}-${"x".repeat(80)}`);
  const { count, fonts } = (await convert(by(mode), showing(...names))).substitutions;
  expect(count).toBe(60);
  expect(fonts.length).toBeGreaterThanOrEqual(50);
});

test.each(["zygote", "plain"] as const)("by %s: fonts of a request have precedence, and end with it", async (mode) => {
  const names = ["Giraffe-Bold", "Calibri", "Calibri-Italic"];
  const [bold, calibri] = await Promise.all([renamedFont("Bold", "Giraffe"), renamedFont("Regular", "Calibri")]);
  const program = showing(...names.map((name) => `/${name}`));
  const { substitutions, path } = await convert(by(mode), program, { fonts: [bold, calibri].map(sentFont) });
  expect(substitutions.fonts.map(({ name }) => name)).toEqual(["Calibri-Italic"]);
  const list = execFileSync("pdffonts", [path], { encoding: "utf8" });
  expect(list).toMatch(/\+Giraffe-Bold +TrueType.*\+Calibri +TrueType/s);
  const next = await convert(by(mode), program);
  expect(next.substitutions.fonts.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});
