// Writes Ghostscript's map from the PostScript names of replaced fonts to font files. Fonts that Ghostscript replaces by
// its own clones are left out.
import { filesOf, REPLACEMENTS, type Replacement } from "../../src/document/fonts/replacements/replacements.ts";

const STYLES = ["", "Bold", "Italic", "BoldItalic"];
const OWN = /^(?:Nimbus|Z003|D050000L)/;

/** @param pathOf returns the path of a font file by its name without extension */
export function fontmap(pathOf: (name: string) => string): string {
  const entries = new Map<string, string>();
  for (const replacement of REPLACEMENTS) {
    const files = filesOf(replacement);
    for (const name of OWN.test(replacement.family) ? [] : plainNames(replacement)) {
      for (const [style, suffix] of STYLES.entries()) {
        const path = pathOf(files[style] ?? files[style & 1] ?? files[0]!);
        for (const one of postscriptNames(name, suffix)) if (!entries.has(one)) entries.set(one, path);
      }
    }
  }
  return [...entries].map(([name, path]) => `/${name} (${path}) ;\n`).join("");
}

const plainNames = ({ names }: Replacement): readonly string[] => names.filter((name) => /^[\w ]+$/.test(name));

/** Returns names such as `Cambria-Bold`, `Cambria,Bold`, `SegoeUI-Light` and `TimesNewRomanPS-BoldMT`. */
function postscriptNames(family: string, style: string): string[] {
  const joined = family.replaceAll(" ", "");
  if (style === "") return [joined, family.replace(/ (?=\w+$)/, "-").replaceAll(" ", "")];
  const [, stem, end] = /^(.+?)(MT)?$/.exec(joined)!;
  return [`${joined}-${style}`, `${joined},${style}`, ...(end ? [`${stem}-${style}${end}`] : [])];
}
