// Writes Ghostscript's map from the PostScript names of replaced fonts to font files. Fonts that Ghostscript replaces by
// its own clones are left out, and collections of fonts, which it cannot read.
import { spellingsOf } from "../../src/document/fonts/replacements/font-names.ts";
import { filesOf, REPLACEMENTS } from "../../src/document/fonts/replacements/replacements.ts";
import { SYMBOL_FONTS, symbolFileOf } from "../../src/document/fonts/replacements/symbols.ts";

/** Fonts of PostScript (PostScript Language Reference, E.6), and the families of Ghostscript's clones. */
const OWN =
  /^(?:Helvetica|Times|Courier|Palatino|ITCAvantGarde|AvantGarde|NewCenturySchlbk|ITCBookman|Bookman|(?:ITC)?ZapfDingbats|(?:ITC)?ZapfChancery|Symbol)(?:-|,|$)/;
const ASCII = /^[\x21-\x7e]+$/;

/** @param pathOf returns the path of a font file by its name without extension */
export function fontmap(pathOf: (name: string) => string): string {
  const entries = new Map<string, string>();
  const add = (name: string, file: string) => {
    for (const one of new Set([name, name.toLowerCase()])) {
      if (ASCII.test(one) && !OWN.test(one) && !entries.has(one)) entries.set(one, pathOf(file));
    }
  };
  for (const replacement of REPLACEMENTS.filter(({ family }) => !family.includes("CJK"))) {
    const files = filesOf(replacement);
    for (const family of replacement.names) {
      for (const { name, style } of spellingsOf(family)) add(name, files[style] ?? files[style & 1] ?? files[0]!);
    }
  }
  for (const symbols of SYMBOL_FONTS) {
    for (const name of symbols.names) add(name.replaceAll(" ", ""), symbolFileOf(symbols));
  }
  return [...entries].map(([name, path]) => `/${name} (${path}) ;\n`).join("");
}
