// Maps glyph names to characters (Adobe Glyph List), and codes to glyph names in the encodings of PDF (ISO 32000-1,
// annex D).
import encodings from "./encodings.json" with { type: "json" };
import glyphs from "./glyph-list.json" with { type: "json" };

/** The name of an unused position in an encoding or a glyph order. */
export const NOTDEF = ".notdef";

/** Glyph names for the codes 0 to 255; undefined for unused codes. */
export type Encoding = readonly (string | undefined)[];

const listOf = (text: string) => text.split(" ").map((name) => (name === "-" ? undefined : name));
const lazily = <T>(make: () => T) => {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

export const standardEncoding = lazily((): Encoding => listOf(encodings.standard));
export const winAnsiEncoding = lazily((): Encoding => listOf(encodings.winAnsi));
export const macRomanEncoding = lazily((): Encoding => listOf(encodings.macRoman));
const macExpertEncoding = lazily((): Encoding => listOf(encodings.macExpert));
export const symbolEncoding = lazily((): Encoding => listOf(encodings.symbol));
export const dingbatsEncoding = lazily((): Encoding => listOf(encodings.dingbats));
/** The standard Macintosh glyph order ("post" table, OpenType), which names TrueType glyphs. */
export const macGlyphOrder = lazily(() => listOf(encodings.macGlyphOrder).map((name) => name ?? NOTDEF));
/** The standard strings of CFF (Adobe Technical Note 5176, appendix A). */
export const cffStrings = lazily(() => listOf(encodings.cffStrings).map((name) => name ?? NOTDEF));
/** String numbers by glyph (5176, appendix C). */
export const cffExpertCharset = lazily(() => encodings.cffExpertCharset.split(" ").map(Number));
export const cffExpertSubsetCharset = lazily(() => encodings.cffExpertSubsetCharset.split(" ").map(Number));

const unicodeByName = lazily(() => charactersByName(glyphs.unicode));
/** Glyph names in TeX's mathematics fonts. A size, for example `Bigg`, can follow such a name. */
const mathematicsByName = lazily(() => charactersByName(glyphs.mathematics));
const SIZE = /(?:display|text|big|Big|bigg|Bigg|tp|bt|ex)$/;
const dingbatsByName = lazily(() => charactersByName(glyphs.dingbats));

/** Returns a named encoding of PDF; undefined for an unknown name. */
export function namedEncoding(name: string | undefined): Encoding | undefined {
  switch (name) {
    case "StandardEncoding":
      return standardEncoding();
    case "WinAnsiEncoding":
      return winAnsiEncoding();
    case "MacRomanEncoding":
      return macRomanEncoding();
    case "MacExpertEncoding":
      return macExpertEncoding();
    default:
      return undefined;
  }
}

/** Maximum components of a glyph name. The name of a ligature has a few, for example `f_f_i`. */
const MAX_PARTS = 16;

/**
 * Returns the characters of a glyph name (Adobe Glyph List Specification, 2).
 * @returns undefined for a name that identifies no characters
 */
export function unicodeOfName(name: string, isDingbats = false): string | undefined {
  const base = name.split(".", 1)[0]!;
  if (base === "") return undefined;
  if (!base.includes("_")) return unicodeOfPart(base, isDingbats);
  const parts = base.split("_", MAX_PARTS).map((part) => unicodeOfPart(part, isDingbats));
  return parts.includes(undefined) ? undefined : parts.join("");
}

const namesByUnicode = lazily(() => {
  const names = new Map<string, string>();
  // If several names mean a character, fonts use the oldest, which is the shortest.
  for (const [name, characters] of unicodeByName()) {
    if (name.length < (names.get(characters)?.length ?? Number.POSITIVE_INFINITY)) names.set(characters, name);
  }
  return names;
});

/** Returns the usual glyph name of a character. */
export const nameOfUnicode = (code: number): string =>
  namesByUnicode().get(String.fromCodePoint(code)) ?? `uni${code.toString(16).toUpperCase().padStart(4, "0")}`;

function unicodeOfPart(part: string, isDingbats: boolean): string | undefined {
  const known =
    (isDingbats ? dingbatsByName().get(part) : undefined) ?? unicodeByName().get(part) ?? mathematical(part);
  if (known !== undefined) return spelledOut(known);
  const several = /^uni((?:[\dA-F]{4}){1,8})$/.exec(part)?.[1];
  if (several) {
    const codes = several.match(/.{4}/g)!.map((digits) => Number.parseInt(digits, 16));
    return codes.every(isScalar) ? String.fromCharCode(...codes) : undefined;
  }
  const single = /^u([\dA-F]{4,6})$/.exec(part)?.[1];
  const code = single ? Number.parseInt(single, 16) : -1;
  return code >= 0 && isScalar(code) ? String.fromCodePoint(code) : undefined;
}

function mathematical(part: string): string | undefined {
  const names = mathematicsByName();
  const base = part.replace(SIZE, "");
  return names.get(part) ?? names.get(base) ?? (base === part ? undefined : unicodeByName().get(base));
}

const isScalar = (code: number) => code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);

/** Expands Latin ligatures, because users search for the letters. */
export function spelledOut(text: string): string {
  return /[\ufb00-\ufb06]/.test(text)
    ? text.replace(/[\ufb00-\ufb06]/g, (ligature) => ligature.normalize("NFKC"))
    : text;
}

function charactersByName(list: string): ReadonlyMap<string, string> {
  const words = list.split(" ");
  const map = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) {
    const codes = words[at + 1]!.split("_").map((digits) => Number.parseInt(digits, 16));
    map.set(words[at]!, String.fromCodePoint(...codes));
  }
  return map;
}
