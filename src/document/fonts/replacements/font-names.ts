// Finds the replacement of a font by the name that a document uses, which can have decoration: a style, `@` for vertical
// text, a tag of a subset, full-width letters, or further names. Engines that look names up themselves know the same
// names (spellingsOf).
import { FAMILIES } from "./families.ts";
import { familyOf, filesOf, REPLACEMENTS, type Replacement, STYLES } from "./replacements.ts";
import { SYMBOL_FONTS, type SymbolFont } from "./symbols.ts";

/** A name without its style. */
interface StyledName {
  readonly family: string;
  readonly isBold: boolean;
  readonly isItalic: boolean;
}

/** Matches the style at the end of a name, for example in `Cambria,Bold` and `TimesNewRomanPS-BoldItalicMT`. */
const STYLE = /(?:[\s,_-]*(?:regular|roman|normal|bold|italic|oblique|mt))+$/i;
const STYLE_WORD = /[\s,_-]*(?:regular|roman|normal|bold|italic|oblique|mt)$/i;
const LONGEST_NAME = 256;

/** Full and half width, case, blanks and hyphens do not count. */
const plain = (name: string): string =>
  name
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]/g, "");

const symbolsByName = new Map(SYMBOL_FONTS.flatMap((one) => one.names.map((name) => [plain(name), one] as const)));
/** `MT`, a mark of Monotype's fonts, can follow the style. */
const withoutMark = (name: string): string => name.replace(/ ?MT$/, "");
const byName = new Map(
  REPLACEMENTS.flatMap((one) =>
    one.names.flatMap((name) => [name, withoutMark(name)]).map((name) => [plain(name), one]),
  ),
);

function withoutStyle(name: string): StyledName {
  const [style = ""] = STYLE.exec(name) ?? [];
  return {
    family: name.slice(0, name.length - style.length),
    isBold: /bold/i.test(style),
    isItalic: /italic|oblique/i.test(style),
  };
}

/** Removes the tag of a subset, quotes, and `@`, which Windows adds for vertical text. */
const undecorated = (name: string): string =>
  name
    .normalize("NFKC")
    .replace(/^[A-Z]{6}\+/, "")
    .replace(/^[\s"'@]+|[\s"']+$/g, "");

/** @param name name of a family or of a font; of a list with semicolons, the first known name counts */
export const replacementOf = (name: string): Replacement | undefined => find(byName, name);

/** Returns the made font of symbols for a name; undefined if it is the name of a text font. */
export const symbolFontOf = (name: string): SymbolFont | undefined => find(symbolsByName, name);

function find<Found>(known: ReadonlyMap<string, Found>, name: string): Found | undefined {
  for (const one of name.slice(0, LONGEST_NAME).split(";")) {
    // "Roman" can be a style or a part of the name.
    for (let rest = undecorated(one); ; rest = rest.replace(STYLE_WORD, "")) {
      const found = known.get(plain(rest));
      if (found) return found;
      if (!STYLE_WORD.test(rest)) break;
    }
  }
  return undefined;
}

/**
 * Returns names that Windows knows, or that documents use, for a replaced font: with ASCII letters, with `@`, and with
 * each style.
 */
export function spellingsOf(name: string): readonly { readonly name: string; readonly style: number }[] {
  const families = [...new Set([name, name.normalize("NFKC")])];
  const plainOnes = [...families.slice(1), ...families.map((family) => `@${family}`)].map((one) => ({
    name: one,
    style: 0,
  }));
  return /^[\w ]+$/.test(name) ? [...plainOnes, ...postScriptNamesOf(name)] : plainOnes;
}

/**
 * Returns names such as `Cambria Bold`, `Cambria-Bold`, `Cambria,Bold`, `SegoeUI-Light` and `TimesNewRomanPS-BoldMT`,
 * with the index of the style.
 */
function postScriptNamesOf(family: string): { name: string; style: number }[] {
  const joined = family.replaceAll(" ", "");
  const stem = joined.replace(/MT$/, "");
  const hyphenated = family.replace(/ (?=\w+$)/, "-").replaceAll(" ", "");
  const names = STYLES.flatMap((style, index) => {
    const suffix = style.replace(" ", "");
    const other = suffix.replace("Italic", "Oblique").replace("Regular", "Roman");
    const hyphen = [`${joined}-${suffix}`, `${joined}-${other}`, `${stem}-${suffix}MT`, `${family}-${suffix}`];
    return [`${family} ${style}`, ...hyphen, `${joined},${suffix}`, `${family},${suffix}`].map((name) => ({
      name,
      style: index,
    }));
  });
  return [joined, `${stem}MT`, hyphenated].map((name) => ({ name, style: 0 })).concat(names);
}

/**
 * Reports whether a font is known to have the advance widths of the font that it replaces, for the Latin letters,
 * digits, period and comma of its style.
 * @param replacedBy name of a family, of a file without extension, or in PostScript
 */
export function hasSameWidths(name: string, replacedBy: string): boolean {
  const replacement = replacementOf(name);
  if (!replacement || replacement.widths === "similar") return false;
  const style = styleOf(replacement, replacedBy);
  return (
    style !== undefined && (replacement.widths === "equal" || isFixed(replacement) || isCompared(replacement, style))
  );
}

const isFixed = ({ family }: Replacement): boolean => FAMILIES[family].kind === "fixed";
const isCompared = ({ compared = [] }: Replacement, style: number): boolean => compared.includes(style);

/** Returns the index of a replacing font's style; undefined if the font is not of the replacement. */
function styleOf(replacement: Replacement, font: string): number | undefined {
  const files = filesOf(replacement).map(plain);
  const file = files.indexOf(plain(font));
  if (file >= 0) return file;
  const { family, isBold, isItalic } = withoutStyle(font);
  const known = [plain(familyOf(replacement)), plain(withoutStyle(filesOf(replacement)[0]!).family)];
  return known.includes(plain(family)) ? (isBold ? 1 : 0) + (isItalic ? 2 : 0) : undefined;
}
