// Generates docs/fonts.md from the list of replaced fonts.

import { recordedWidths } from "../../container/fonts/fitted-fonts.ts";
import recordedLines from "../../container/fonts/line-heights.json" with { type: "json" };
import { FAMILIES, type FontFamily } from "../../src/document/fonts/replacements/families.ts";
import { REPLACEMENTS, type Replacement, STYLES } from "../../src/document/fonts/replacements/replacements.ts";

const HEAD = `# Fonts

Fonts that a document embeds are used, and so are those that [a request](api.md#fonts-of-a-document) or [the
deployment](deploy.md#settings-of-the-container) adds. This page lists the fonts that replace all others, in PDFs of
Office documents, PostScript and web pages, and in the repair of PDFs to PDF/A. \`node scripts/bootstrap.mjs
scripts/write-fonts.ts\` writes the tables from \`src/document/fonts/replacements/\` ([decision
61](../decisions/0061-replaced-fonts.md)).

Names are known in any case, with a style (\`Cambria Bold\`, \`ArialMT\`), with \`@\`, and with letters of full or half
width.

Exceptions:

- Web pages use the replacements of fonts of Windows and Office only, so that a list of fonts in CSS is resolved as by a
  browser on Windows: in \`"Lucida Grande", Verdana\`, the second is used. Names with a style or \`@\` are unknown there,
  and \`local()\` finds installed fonts only.
- Office documents show \`Calibri,Bold\`, with a comma, in the regular style, and native names of Chinese, Japanese and
  Korean fonts with a style in another font.
- PostScript has no replacements of Chinese, Japanese and Korean fonts, because Ghostscript cannot read the collections.
- Other fonts of Office documents are replaced by Noto Sans, Noto Serif or DejaVu Sans Mono: by words in their names,
  such as Sans, Code or Console, or if a text document declares a sans-serif font. Arabic and Hebrew fonts of Windows are
  among them.
- Images of PDFs are drawn at the edge, with MuPDF's own fonts, which are stretched to the widths in the PDF. The list
  does not fit into the Worker: its bundle has about 6 MiB of the 10 MiB that it may have, compressed; the 49 fitted
  fonts alone would add 8 MiB, and in memory 18 MiB of 128.

## Replaced fonts

- equal: designed with the advance widths of the font. At most 3 % of the compared characters differ, rare ones.
- fitted: made at installation from the family, with the advance widths and the line height of the font.
- similar: another font of the same kind, with other widths.
- similar, lines: in addition, with the line height that Word gives the font.
- similar, lines, taller in Word: with the line height of the font, to which Word documents add three tenths in Asian text.

"Compared" is the number of characters whose widths are known from PDFs of Office with embedded fonts, for the styles
regular, bold, italic and bold italic. Of a fitted font, other characters and styles are scaled alike. \`sameWidths\` in a
response is true for equal fonts, for fitted ones of one width, and for the styles of fitted ones in which all Latin
letters, digits, period and comma were compared; such styles have a \`+\`.

"Line height" is that of the replacing font, in font sizes. It was compared with the height in PDFs of Office where a
\`+\` follows; other heights are unverified. Asian fonts in Word have the height 1.3.
`;

export function fontPage(): string {
  const replaced = REPLACEMENTS.map((one) => [
    ...[one.names.join(", "), one.family, relationOf(one), comparedOf(one), lineHeightOf(one)],
  ]);
  const used = new Set<string>(REPLACEMENTS.map(({ family }) => family));
  const families = Object.entries<FontFamily>(FAMILIES).filter(([name]) => used.has(name));
  return [
    HEAD,
    ...table(["Font", "Replaced by", "Widths", "Compared", "Line height"], replaced),
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

function comparedOf({ names: [name], compared = [] }: Replacement): string {
  const counts = STYLES.map((_, style) => recordedWidths(name, style)?.size ?? 0);
  if (counts.every((count) => count === 0)) return "";
  return counts.map((count, style) => `${count}${compared.includes(style) ? "+" : ""}`).join(", ");
}

function lineHeightOf({ names: [name], family, lines }: Replacement): string {
  const families: Readonly<Record<string, FontFamily>> = FAMILIES;
  const height = lines ? lines[0] + lines[1] : families[family]!.lineHeight!;
  return `${(height / 1000).toFixed(2)}${name in recordedLines ? "+" : ""}`;
}

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
