// Chooses faces to replace a font that is not embedded, by its name and descriptor (ISO 32000-1, 9.8.2). Prefers a face
// with the same widths.

import type { FontProvider } from "../../contract/font-provider.ts";
import type { NoticeSubject } from "../../contract/notice.ts";
import type { EngineFonts } from "../../engines/mupdf/instance/engine-font.ts";
import { FAMILIES, type FamilyName } from "../../fonts/replacements/families.ts";
import { replacementOf, symbolFontOf } from "../../fonts/replacements/font-names.ts";
import { filesOf, type Replacement } from "../../fonts/replacements/replacements.ts";
import { symbolFileOf } from "../../fonts/replacements/symbols.ts";
import { FONT_FLAGS } from "../../fonts/symbolic.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Dictionary } from "../../objects/values.ts";
import type { FontStyle } from "./descriptor.ts";
import { type Face, openFace } from "./face.ts";
import { NO_FONTS } from "./font-provider.ts";

export interface FaceChoice {
  readonly look: FontStyle;
  /** Candidates, best first. */
  readonly faces: readonly string[];
  /** The symbol font whose codes the font uses; undefined for a text font. */
  readonly special: "symbol" | "dingbats" | "pictures" | undefined;
}

/**
 * Patterns of font names without a declared replacement, each with a family that has the same style. The first match
 * applies.
 */
const PATTERNS: readonly (readonly [pattern: RegExp, family: FamilyName])[] = [
  [/^helvetica(?!.*narrow)/, "Nimbus Sans"],
  [/^(?:times(?!.*new))/, "Nimbus Roman"],
  [/^courier(?!.*new)/, "Nimbus Mono PS"],
  [/narrow|condensed|helvetica.*narrow/, "Liberation Sans Narrow"],
  [/arial|liberationsans/, "Liberation Sans"],
  [/calibri|carlito/, "Carlito"],
  [/cambria|caladea/, "Caladea"],
  [/palatino|bookantiqua|palladio/, "P052"],
  [/bookman/, "URW Bookman"],
  [/schoolbook|century(?!.*gothic)/, "C059"],
  [/avantgarde|centurygothic|futura/, "URW Gothic"],
  [/verdana|tahoma|dejavusans(?!.*mono)|bitstreamvera/, "DejaVu Sans"],
  [/courier|mono|consol|typewriter|menlo|monaco|lettergothic/, "Liberation Mono"],
  [
    /times|roman|georgia|garamond|minion|serif(?<!sans-?serif)|caslon|baskerville|bodoni|antiqua|book/,
    "Liberation Serif",
  ],
  [/sans|gothic|univers|frutiger|myriad|segoe|lucida|optima|trebuchet|helv|swiss/, "Liberation Sans"],
];
const BOLD = /bold|black|heavy|demi/;
const ITALIC = /ital|obli|kursiv/;
/** Maximum length of a name (ISO 32000-1, Annex C). */
const MAX_NAME = 127;
/** Faces for scripts that the families above lack. */
const OTHER_SCRIPTS = [
  "NotoSans-Regular",
  "NotoSansHebrew-Regular",
  "NotoNaskhArabic-Regular",
  "NotoSansThai-Regular",
  "NotoSansDevanagari-Regular",
  "NotoSansSymbols-Regular",
  "NotoSansSymbols2-Regular",
  "NotoSansMath-Regular",
];

export function chooseFaces(file: PdfFile, baseFont: string, descriptor: Dictionary | undefined): FaceChoice {
  const name = normalized(baseFont);
  const flags = file.number(descriptor?.get("Flags")) ?? 0;
  const isBold = BOLD.test(name) || (flags & FONT_FLAGS.forceBold) !== 0;
  const isItalic = ITALIC.test(name) || (flags & FONT_FLAGS.italic) !== 0;
  if (/^(?:itc)?zapfdingbats|^dingbats/.test(name)) return special("D050000L", "dingbats");
  if (/^symbol(?!s)/.test(name)) return special("StandardSymbolsPS", "symbol");
  const symbols = picturesOf(baseFont);
  if (symbols) return special(symbols, "pictures");
  const replacement = latinReplacement(name);
  const family = replacement?.family ?? PATTERNS.find(([pattern]) => pattern.test(name))?.[1] ?? familyOf(flags);
  const { kind } = FAMILIES[family];
  const isSerif = kind === "serif";
  const isFixed = kind === "fixed";
  const style = (isBold ? 1 : 0) + (isItalic ? 2 : 0);
  const liberation = isFixed ? "Liberation Mono" : isSerif ? "Liberation Serif" : "Liberation Sans";
  const dejavu = isFixed ? "DejaVu Sans Mono" : isSerif ? "DejaVu Serif" : "DejaVu Sans";
  const declaredFaces = replacement ? [faceOf(filesOf(replacement), style)] : [];
  const others = ([family, liberation, dejavu, "DejaVu Sans"] as const).map((one) =>
    faceOf(FAMILIES[one].faces, style),
  );
  const names = [...declaredFaces, ...others, "DejaVuSans", ...OTHER_SCRIPTS];
  return { look: { isFixed, isSerif, isItalic, isBold }, faces: [...new Set(names)], special: undefined };
}

const normalized = (baseFont: string): string =>
  baseFont
    .slice(0, MAX_NAME)
    .replace(/^[A-Z]{6}\+/, "")
    .toLowerCase()
    .replace(/[\s_]/g, "");

/** Excludes dingbats, and fonts for Chinese, Japanese and Korean, whose Latin letters have other widths. */
function latinReplacement(name: string): Replacement | undefined {
  const found = replacementOf(name);
  return found?.family.includes("CJK") || found?.family === "D050000L" ? undefined : found;
}

const faceOf = (files: readonly string[], style: number): string => files[style] ?? files[style & 1] ?? files[0]!;

/** @returns an empty list if the face is the named font itself */
export function substitution(baseFont: string, face: Face): readonly NoticeSubject[] {
  const name = baseFont.replace(/^[A-Z]{6}\+/, "");
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]|regular/g, "");
  return plain(name) === plain(face.name) ? [] : [{ name, replacedBy: face.name }];
}

function familyOf(flags: number): FamilyName {
  if (flags & FONT_FLAGS.fixedPitch) return "Liberation Mono";
  return flags & FONT_FLAGS.serif ? "Liberation Serif" : "Liberation Sans";
}

function special(face: string, kind: FaceChoice["special"]): FaceChoice {
  const look = { isFixed: false, isSerif: false, isItalic: false, isBold: false };
  return { look, faces: [face, "DejaVuSans", "NotoSansSymbols2-Regular", "NotoSansSymbols-Regular"], special: kind };
}

/** Returns the file of a made font with the pictures of Wingdings and its like. Symbol has a clone in a package. */
function picturesOf(baseFont: string): string | undefined {
  const symbols = symbolFontOf(baseFont.slice(0, MAX_NAME));
  return symbols && symbols.names[0] !== "Symbol" ? symbolFileOf(symbols) : undefined;
}

/** Index of a language's font in the CJK font files, by character collection. */
const CJK = new Map([
  ["Japan1", 0],
  ["Korea1", 1],
  ["KR", 1],
  ["GB1", 2],
  ["CNS1", 3],
]);

/** @returns undefined for a character collection that is not CJK */
export function chooseCjkFace(
  baseFont: string,
  ordering: string,
  flags: number,
): { readonly face: string; readonly index: number } | undefined {
  const index = CJK.get(ordering);
  if (index === undefined) return undefined;
  const name = baseFont.toLowerCase();
  const isBold = /bold|black|heavy|w[6-9]\b|demi/.test(name) || (flags & FONT_FLAGS.forceBold) !== 0;
  const declared = replacementOf(baseFont.replace(/^[A-Z]{6}\+/, ""));
  const isGothic = /goth|kozgo|sans|hei|dotum|gulim|yuan|kaku|maru/.test(name);
  const isSerif =
    (declared && FAMILIES[declared.family].kind === "serif") ||
    /ming|minch|kozmin|song|sung|serif|ryumin|batang|myung|myeong|fang|kai/.test(name) ||
    (flags & FONT_FLAGS.serif) !== 0;
  return { face: `Noto${isSerif && !isGothic ? "Serif" : "Sans"}CJK-${isBold ? "Bold" : "Regular"}`, index };
}

/** Character collections by the language that MuPDF requests. */
const COLLECTIONS = new Map([
  ["JP", "Japan1"],
  ["KR", "Korea1"],
  ["SC", "GB1"],
  ["TC", "CNS1"],
]);

function declaredFace(baseFont: string): string | undefined {
  const symbols = picturesOf(baseFont);
  if (symbols) return symbols;
  const name = normalized(baseFont);
  const replacement = latinReplacement(name);
  return replacement && faceOf(filesOf(replacement), (BOLD.test(name) ? 1 : 0) + (ITALIC.test(name) ? 2 : 0));
}

/**
 * Returns fonts for rendering with MuPDF, whose built-in CJK font lacks many characters, serifs and bold styles, and
 * which knows few families. The repair of fonts embeds the same faces.
 * @param substitutes fonts of any script that the repair has replaced. MuPDF replaces other fonts with its own, unless
 * they are CJK fonts or a replacement is declared.
 */
export function fontsForDrawing(
  fonts: FontProvider = NO_FONTS,
  substitutes: readonly NoticeSubject[] = [],
): EngineFonts {
  const chosen = new Map(substitutes.map(({ name, replacedBy }) => [name, replacedBy]));
  return (name, language) => {
    const ordering = COLLECTIONS.get(language) ?? "";
    const substitute = chosen.get(name.replace(/^[A-Z]{6}\+/, ""));
    const face = substitute ?? chooseCjkFace(name, ordering, 0)?.face ?? declaredFace(name);
    const bytes = face === undefined ? undefined : fonts.face(face);
    return bytes && { name: face!, bytes, index: CJK.get(ordering) ?? 0 };
  };
}

/** Reports whether text has no visible glyph: white space, format characters, private and unknown characters. */
export const isBlank = (text: string): boolean => /^[\s\p{C}\ufffd]*$/u.test(text);

/**
 * Opens the first face that has all wanted glyphs. If there is none, opens the face with the most of them.
 * @param has returns the number of wanted glyphs that a face has; negative for an unsuitable face
 */
export function bestFace(
  fonts: FontProvider,
  faces: readonly { readonly face: string; readonly index: number }[],
  has: (face: Face) => number,
  wanted: number,
): Face | undefined {
  let best: { readonly face: Face; readonly count: number } | undefined;
  for (const { face: name, index } of faces) {
    const bytes = fonts.face(name);
    const face = bytes && openFace(name, bytes, index);
    if (!face) continue;
    const count = has(face);
    if (count >= 0 && (!best || count > best.count)) best = { face, count };
    if (count >= wanted) break;
  }
  return best?.face;
}
