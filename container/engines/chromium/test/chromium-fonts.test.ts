// Tests that pages show the fonts that replace those of Windows and Office, in the order of a list in CSS.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { replacementOf } from "../../../../src/document/fonts/replacements/font-names.ts";
import { filesOf } from "../../../../src/document/fonts/replacements/replacements.ts";
import { chromium, openChromium } from "../../../../test/support/chromium-site.ts";
import { print, wordsOf } from "../../../../test/support/chromiums.ts";
import { machineFace } from "../../../../test/support/font-provider.ts";

openChromium();

const STYLES = ["", "font-weight: bold", "font-style: italic", "font-weight: bold; font-style: italic"];

async function fontsOf(content: string): Promise<string[]> {
  const path = await print(chromium, `<!doctype html><meta charset="utf-8">${content}`);
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
