// Names the families of fonts as word processors know them.

import { TAGGED } from "../../fonts/names/subset-tag.ts";
import { FAMILIES } from "../../fonts/replacements/families.ts";
import { replacementOf } from "../../fonts/replacements/font-names.ts";
import type { WordFont } from "../../formats/docx/font-table.ts";
import type { PageText } from "../../layout/lines/page-text.ts";

const plain = (name: string): string => name.replace(/[\s_-]/g, "").toLowerCase();
const installed = new Map(Object.keys(FAMILIES).map((name) => [plain(name), name]));
const STYLE =
  /(?:[\s,_-]*(?:regular|roman|normal|book|medium|bold|semibold|black|light|italic|oblique|ital|regu|medi|reguital|mediital|slanted|it|bd|mt|ps|psmt))+$/i;
const LONGEST = 31;
// cspell:disable
/** Fonts of TeX and those without names, whose names no word processor knows, and usual ones that are like them. */
const TEX: readonly (readonly [RegExp, string])[] = [
  [/^(?:CMTT|CMSLTT|CMITT|SFTT|SFIT|LMMono)/, "Courier New"],
  [/^(?:CMSS|SFSS|SFSX|SFSI|LMSans)/, "Arial"],
  [
    /^(?:CM(?:R|B|BX|TI|SL|BXTI|CSC|U|DUNH|MI|SY|EX|MIB|BSY)|SF(?:RM|BX|TI|SL|CC|BI|XC)|LMRoman|LMMath|LM)\d/,
    "Times New Roman",
  ],
  [/^Type3/, "Arial"],
  [/^Nimbus(?:RomNo9L|Roman)/, "Times New Roman"],
  [/^Nimbus(?:SanL|Sans)/, "Arial"],
  [/^Nimbus(?:MonL|Mono)/, "Courier New"],
];
// cspell:enable

const known = new Map<string, string>();
const MAX_KNOWN = 1000;

/** Returns the family of a font by its name in a PDF. */
export function familyOf(fontName: string): string {
  const found = known.get(fontName) ?? named(fontName);
  if (known.size < MAX_KNOWN) known.set(fontName, found);
  return found;
}

function named(fontName: string): string {
  const name = fontName.replace(TAGGED, "").replace(/[*+].*$/, "");
  for (const [pattern, family] of TEX) if (pattern.test(name)) return family;
  const stem = name.replace(/^([^,]+),.*$/, "$1").replace(STYLE, "");
  const own = installed.get(plain(stem)) ?? replacementOf(name)?.names[0];
  if (own !== undefined) return own;
  const words = stem
    .replace(/[-_]+/g, " ")
    .replace(/(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .replace(/\s+/g, " ")
    .trim();
  return words.slice(0, LONGEST) || "Arial";
}

const KINDS: Readonly<Record<string, WordFont["kind"] | "symbols">> = Object.fromEntries(
  Object.entries(FAMILIES).map(([name, { kind }]) => [name, kind]),
);

/** The fonts of the text of a document. */
export class Fonts {
  readonly #fixed = new Map<string, boolean>();

  add({ lines }: PageText): void {
    for (const { words } of lines) {
      for (const { style } of words) {
        if (this.#fixed.size < MAX_KNOWN) this.#fixed.set(familyOf(style.fontName), style.isMonospaced);
      }
    }
  }

  get all(): readonly WordFont[] {
    return Array.from(this.#fixed, ([name, isFixed]): WordFont => {
      const kind = KINDS[name] ?? KINDS[replacementOf(name)?.family ?? ""] ?? (isFixed ? "fixed" : "unknown");
      return { name, kind: kind === "symbols" ? "unknown" : kind };
    });
  }
}
