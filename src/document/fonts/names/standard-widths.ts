// Widths of the characters of the standard 14 fonts (ISO 32000-1, 9.6.2.2), in thousandths of the font size. Characters
// of Symbol and ZapfDingbats are not included.
import tables from "./standard-widths.json" with { type: "json" };
import { TAGGED } from "./subset-tag.ts";

const FIXED_WIDTH = 600;
/** Family names that every viewer replaces with a standard font. */
const FAMILIES: readonly (readonly [RegExp, "Courier" | "Times" | "Helvetica"])[] = [
  [/^courier/i, "Courier"],
  [/^times/i, "Times"],
];

const byFont = new Map<string, ReadonlyMap<string, number>>();

/**
 * @returns a function from characters to their widths in the standard font that replaces a font of this name; it
 * returns undefined for unknown characters
 */
export function standardWidths(baseFont: string): (character: string) => number | undefined {
  const name = baseFont.replace(TAGGED, "");
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? "Helvetica";
  if (family === "Courier") return () => FIXED_WIDTH;
  const isBold = /bold/i.test(name);
  const isItalic = /italic|oblique/i.test(name);
  const table =
    family === "Helvetica"
      ? `Helvetica${isBold ? "-Bold" : ""}`
      : `Times-${isBold ? `Bold${isItalic ? "Italic" : ""}` : isItalic ? "Italic" : "Roman"}`;
  let widths = byFont.get(table);
  if (!widths) {
    widths = new Map(
      Object.entries(tables[table as keyof typeof tables]).flatMap(([width, characters]) =>
        [...characters].map((character) => [character, Number(width)] as const),
      ),
    );
    byFont.set(table, widths);
  }
  return (character) => widths.get(character);
}
