// Generates docs/fonts.md from the list of replaced fonts.

import { recordedWidths } from "../../container/fonts/fitted-fonts.ts";
import { FAMILIES, type FontFamily } from "../../src/document/fonts/replacements/families.ts";
import { REPLACEMENTS, type Replacement, STYLES } from "../../src/document/fonts/replacements/replacements.ts";

const HEAD = `# Fonts

Fonts that a document embeds are used. This page lists the fonts that replace others which are neither embedded nor
installed, in PDFs of Office documents and in the repair of PDFs to PDF/A. \`node scripts/bootstrap.mjs
scripts/write-fonts.ts\` writes the tables from \`src/document/fonts/replacements/\` ([decision
61](../decisions/0061-replaced-fonts.md)).

Exceptions:

- Web pages use only the replacements that Chromium knows as metric-compatible: Arial, Times New Roman, Courier New,
  Helvetica, Times, Courier, Calibri and Cambria. Chromium rejects the others, and uses Liberation Serif.
- Office documents use Liberation Sans Narrow for Arial Narrow, as it is. An embedded font named Symbol, Wingdings or
  Webdings is replaced.
- PostScript has no symbols of Wingdings and Webdings, and no Monotype Corsiva.
- Images of PDFs are drawn at the edge, with MuPDF's own fonts.

## Replaced fonts

- equal: the advance widths are those of the font. At most 3 % of the characters differ, rare ones.
- fitted: made at installation from the family, with the advance widths and the line height of the font.
- similar: another font of the same kind, with other widths.
- similar, lines: in addition, with the line height that Word gives the font.
- similar, lines, taller in Word: with the line height of the font, to which Word documents add three tenths in Asian text.

"Compared" is the number of characters whose widths are known from PDFs of Office with embedded fonts, for the styles
regular, bold, italic and bold italic. Of a fitted font, other characters and styles are scaled alike.
`;

export function fontPage(): string {
  const replaced = REPLACEMENTS.map((one) => [one.names.join(", "), one.family, relationOf(one), comparedOf(one)]);
  const used = new Set<string>(REPLACEMENTS.map(({ family }) => family));
  const families = Object.entries<FontFamily>(FAMILIES).filter(([name]) => used.has(name));
  return [
    HEAD,
    ...table(["Font", "Replaced by", "Widths", "Compared"], replaced),
    "\n## Families\n",
    ...table(
      ["Family", "Package", "License"],
      families.map(([name, { source, license }]) => [name, source, license]),
    ),
    "",
  ].join("\n");
}

const relationOf = ({ widths, lines, isTallerInWord }: Replacement): string =>
  widths === "similar" && lines ? `similar, lines${isTallerInWord ? ", taller in Word" : ""}` : widths;

function comparedOf({ names: [name] }: Replacement): string {
  const counts = STYLES.map((_, style) => recordedWidths(name, style)?.size ?? 0);
  return counts.some((count) => count > 0) ? counts.join(", ") : "";
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
