// Tests that pages show the fonts that replace those of Windows and Office, in the order of a list in CSS.
import { execFileSync } from "node:child_process";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { replacementOf } from "../../../../src/document/fonts/replacements/font-names.ts";
import { filesOf } from "../../../../src/document/fonts/replacements/replacements.ts";
import { readFaces } from "../../../../src/document/fonts/truetype/faces.ts";
import { renamedFont, sentFont } from "../../../../test/fixtures/renamed-fonts.ts";
import { chromium, openChromium } from "../../../../test/support/chromium-site.ts";
import { LETTER, print, wordsOf } from "../../../../test/support/chromiums.ts";
import { machineFace } from "../../../../test/support/font-provider.ts";
import type { PrintOptions } from "../page.ts";

openChromium();

const STYLES = ["", "font-weight: bold", "font-style: italic", "font-weight: bold; font-style: italic"];

async function fontsOf(content: string, options: Partial<PrintOptions> = {}, isSealed = false): Promise<string[]> {
  const page = Buffer.from(`<!doctype html><meta charset="utf-8">${content}`);
  const document = { type: "text/html", isSealed, stream: () => Readable.from([page]) };
  const path = await print(chromium, { document }, options);
  const list = execFileSync("pdffonts", [path], { encoding: "utf8" });
  return [...list.matchAll(/^(?:[A-Z]{6}\+)?(\S+)\s+(?:CID )?T(?:rueType|ype)/gm)].map(([, name]) => name!);
}

const text = (family: string, style = "") => `<p style="font-family: ${family}; ${style}">Text</p>`;

test.each([
  ...["Georgia", "Verdana", "Segoe UI", "Aptos", "Consolas", "Trebuchet MS", "Calibri", "Cambria", "Arial Narrow"],
  ...["Garamond", "Calibri Light"],
])("%s, in all styles", async (family) => {
  const fonts = await fontsOf(STYLES.map((style) => text(`'${family}'`, style)).join(""));
  const plain = (name: string) => name.replace(/-Regular$/, "");
  expect(fonts.map(plain).toSorted()).toEqual(filesOf(replacementOf(family)!).map(plain).toSorted());
});

test.each([
  ["Foo, Verdana, sans-serif", /^FitVerdana/],
  ["verdana", /^FitVerdana/],
  ["'Lucida Grande', Tahoma", /^FitTahoma/],
  ["'Comic Sans MS'", /^ComicRelief/],
  ["Impact", /^FitImpact/],
  ["Wingdings", /^Wingdings/],
  ["Symbol", /^Symbol/],
  ["Foo, serif", /^LiberationSerif/],
])("the list %s", async (list, font) => {
  const [used, ...others] = await fontsOf(text(list));
  expect(used).toMatch(font);
  expect(others).toEqual([]);
});

test("a font of the page has precedence", async () => {
  const font = Buffer.from(machineFace("DejaVuSansMono")!).toString("base64");
  const face = `<style>@font-face { font-family: Georgia; src: url(data:font/ttf;base64,${font}) }</style>`;
  expect(await fontsOf(face + text("Georgia"))).toEqual(["DejaVuSansMono"]);
});

test("fonts of a request are used, also on a sealed page and in frames, and not for the next page", async () => {
  const styles = ["Regular", "Bold", "Italic", "BoldItalic"];
  const fonts = (await Promise.all(styles.map((style) => renamedFont(style, "Giraffe")))).map(sentFont);
  const policy = '<meta http-equiv="Content-Security-Policy" content="font-src https://example.com">';
  const lines = STYLES.map((style) => text("Giraffe, serif", style)).join("");
  const all = ["Giraffe", "Giraffe-Bold", "Giraffe-BoldItalic", "Giraffe-Italic"];
  expect((await fontsOf(policy + lines, { fonts })).toSorted()).toEqual(all);
  expect((await fontsOf(lines, { fonts }, true)).toSorted()).toEqual(all);
  const frame = "<iframe srcdoc='<p style=font-family:Giraffe>Text'></iframe>";
  expect(await fontsOf(frame, { fonts })).toEqual(["Giraffe"]);
  expect((await fontsOf(lines + frame)).join()).not.toContain("Giraffe");
});

test("with fonts of a request, the fonts that are still missing are named", async () => {
  const fonts = [sentFont(await renamedFont("Regular", "Giraffe"))];
  const lists = [
    "Giraffe, serif",
    "Missing, Other, sans-serif",
    "Calibri",
    "DejaVu Sans",
    "monospace",
    "Other, giraffe",
  ];
  const page = Buffer.from(`<!doctype html>Text${lists.map((list) => text(list)).join("")}<style>p {}</style>`);
  const document = { type: "text/html", stream: () => Readable.from([page]) };
  const path = await print(chromium, "");
  const replaced = await chromium.printToPdf({ document }, path, { paper: LETTER, margin: 72, fonts });
  const named = [
    { name: "Missing", replacedBy: "LiberationSans" },
    { name: "Calibri", replacedBy: "Carlito" },
  ];
  expect(replaced).toEqual({ count: 2, fonts: named });
});

test("a font that the browser rejects is named", async () => {
  const font = await renamedFont("Regular", "Giraffe");
  const { tables } = readFaces(font)![0]!;
  const cmap = tables.get("cmap")!;
  font.fill(0xff, cmap.byteOffset - font.byteOffset, cmap.byteOffset - font.byteOffset + cmap.length);
  const printing = fontsOf(text("Giraffe"), { fonts: [sentFont(font)] });
  await expect(printing).rejects.toMatchObject({ name: "OutOfRange", parameter: "font_files", value: "sent.ttf" });
});

test.each(["Verdana", "Segoe UI", "Aptos", "Tahoma"])("the height of lines in %s", async (family) => {
  const lines = "Line<br>".repeat(11);
  const style = `font: 40px '${family}'; margin: 0`;
  const content = `<p style="${style}">${lines}</p><p style="${style}; line-height: 40px">${lines}</p>`;
  const path = await print(chromium, `<!doctype html>${content}`);
  const tops = wordsOf(path).map(({ top }) => top);
  const height = (tops[10]! - tops[0]!) / (tops[21]! - tops[11]!);
  const [ascent, descent] = replacementOf(family)!.lines!;
  // Ascent and descent are rounded to pixels.
  expect(Math.abs(height - (ascent + descent) / 1000)).toBeLessThan(1 / 40);
});
