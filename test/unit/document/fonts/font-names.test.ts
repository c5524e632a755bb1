// Tests that names of fonts are known in the spellings of documents, and for which of them the widths are claimed.
import { describe, expect, test } from "vitest";
import { recordedWidths } from "../../../../container/fonts/fitted-fonts.ts";
import { fontmap } from "../../../../container/fonts/fontmap.ts";
import { FAMILIES } from "../../../../src/document/fonts/replacements/families.ts";
import {
  hasSameWidths,
  replacementOf,
  spellingsOf,
  symbolFontOf,
} from "../../../../src/document/fonts/replacements/font-names.ts";
import { REPLACEMENTS } from "../../../../src/document/fonts/replacements/replacements.ts";

test.each([
  ["Cambria Bold", "Cambria"],
  ["Calibri,Bold", "Calibri"],
  ["ABCDEF+Calibri-BoldItalic", "Calibri"],
  ["TimesNewRomanPS-BoldItalicMT", "Times New Roman"],
  ["segoe  ui semibold ", "Segoe UI Semibold"],
  ["@SimSun", "SimSun"],
  ["MS 明朝", "MS Mincho"],
  ["＠ＭＳ 明朝", "MS Mincho"],
  ["Foo;Calibri", "Calibri"],
  ['"Verdana"', "Verdana"],
  ["Times New Roman", "Times New Roman"],
])("%s is %s", (name, family) => {
  expect(replacementOf(name)?.names[0]).toBe(family);
});

test.each(["SymbolMT", "Symbol", "symbol,Bold"])("%s is Symbol", (name) => {
  expect(symbolFontOf(name)?.names[0]).toBe("Symbol");
});

test.each(["", "Bold", "@", ";;", "MT", "Foo Bold", "Symbols", "x".repeat(100_000)])(
  "a name without replacement",
  (name) => {
    expect(replacementOf(name)).toBeUndefined();
    expect(symbolFontOf(name)).toBeUndefined();
  },
);

test("each spelling leads to the replacement of its name", () => {
  for (const replacement of REPLACEMENTS) {
    for (const name of replacement.names) {
      for (const spelling of spellingsOf(name)) expect(replacementOf(spelling.name), spelling.name).toBe(replacement);
    }
  }
});

describe("the same widths", () => {
  test.each([
    ["Calibri", "Carlito", true],
    ["Calibri,Bold", "Carlito-Bold", true],
    ["arialbolditalic", "Liberation Sans Bold Italic", true],
    ["Verdana", "FitVerdana", true],
    ["Verdana", "FitVerdana-Bold", true],
    ["Verdana", "FitVerdana-Italic", false],
    ["Aptos", "FitAptos-Regular", false],
    ["Aptos", "FitAptos-Bold", false],
    ["Consolas", "FitConsolas-BoldItalic", true],
    ["Comic Sans MS", "ComicRelief", false],
    ["Calibri", "NotoSans", false],
    ["Century Gothic", "URWGothic-Demi", true],
    ["CenturyGothic-Bold", "URWGothic-Demi", true],
    ["Calibri,Bold", "Carlito", false],
    ["Calibri,Bold", "Carlito-Bold", true],
    ["Lucida Console", "DejaVuSansMono-Book", true],
  ])("%s by %s: %s", (name, replacedBy, same) => {
    expect(hasSameWidths(name, replacedBy)).toBe(same);
  });

  test("the declared styles are those with recorded widths of all letters and digits", () => {
    const claimed = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,"];
    for (const { names, widths, family, compared = [] } of REPLACEMENTS) {
      if (widths !== "fitted" || FAMILIES[family].kind === "fixed") continue;
      const styles = [0, 1, 2, 3].filter((style) => {
        const recorded = recordedWidths(names[0], style);
        return recorded !== undefined && claimed.every((character) => recorded.has(character));
      });
      expect(compared, names[0]).toEqual(styles);
    }
  });
});

test("Ghostscript's map has styles, lower case and symbols, but no collections", () => {
  const map = new Map(
    fontmap((name) => name)
      .trimEnd()
      .split("\n")
      .map((line) => /^\/(\S+) \((\S+)\) ;$/.exec(line)!.slice(1) as [string, string]),
  );
  expect(map.get("Cambria-BoldOblique")).toBe("Caladea-BoldItalic");
  expect(map.get("cambria,bold")).toBe("Caladea-Bold");
  expect(map.get("Webdings")).toBe("Webdings");
  expect(map.get("Wingdings-Regular")).toBe("Wingdings");
  expect(map.get("MonotypeCorsiva")).toBe("Z003-MediumItalic");
  expect(map.get("times-roman")).toBe("NimbusRoman-Regular");
  for (const own of ["Times-Roman", "Courier", "Helvetica-Bold", "Symbol"]) expect(map.has(own)).toBe(false);
  expect([...map.values()].filter((file) => file.includes("CJK"))).toEqual([]);
});
