// Chooses faces to replace a font that is not embedded, by its name and descriptor (ISO 32000-1, 9.8.2). Prefers a face
// with the same widths.

import type { FontProvider } from "../../contract/font-provider.ts";
import type { NoticeSubject } from "../../contract/notice.ts";
import type { EngineFonts } from "../../engines/mupdf/instance/mupdf.ts";
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
  readonly special: "symbol" | "dingbats" | "wingdings" | undefined;
}

/** Patterns of font names, each with a family that has the same widths or style. The first match applies. */
const FAMILIES: readonly (readonly [pattern: RegExp, family: Family])[] = [
  [/^helvetica(?!.*narrow)/, "NimbusSans"],
  [/^(?:times(?!.*new))/, "NimbusRoman"],
  [/^courier(?!.*new)/, "NimbusMonoPS"],
  [/narrow|condensed|helvetica.*narrow/, "LiberationSansNarrow"],
  [/arial|liberationsans/, "LiberationSans"],
  [/calibri|carlito/, "Carlito"],
  [/cambria|caladea/, "Caladea"],
  [/palatino|bookantiqua|palladio/, "P052"],
  [/bookman/, "URWBookman"],
  [/schoolbook|century(?!.*gothic)/, "C059"],
  [/avantgarde|centurygothic|futura/, "URWGothic"],
  [/verdana|tahoma|dejavusans(?!.*mono)|bitstreamvera/, "DejaVuSans"],
  [/courier|mono|consol|typewriter|menlo|monaco|lettergothic/, "LiberationMono"],
  [
    /times|roman|georgia|garamond|minion|serif(?<!sans-?serif)|caslon|baskerville|bodoni|antiqua|book/,
    "LiberationSerif",
  ],
  [/sans|gothic|univers|frutiger|myriad|segoe|lucida|optima|trebuchet|helv|swiss/, "LiberationSans"],
];

type Family = keyof typeof STYLES;

/** Regular, bold, italic, and bold italic. */
const STYLES = {
  NimbusSans: ["NimbusSans-Regular", "NimbusSans-Bold", "NimbusSans-Italic", "NimbusSans-BoldItalic"],
  NimbusRoman: ["NimbusRoman-Regular", "NimbusRoman-Bold", "NimbusRoman-Italic", "NimbusRoman-BoldItalic"],
  NimbusMonoPS: ["NimbusMonoPS-Regular", "NimbusMonoPS-Bold", "NimbusMonoPS-Italic", "NimbusMonoPS-BoldItalic"],
  LiberationSans: [
    "LiberationSans-Regular",
    "LiberationSans-Bold",
    "LiberationSans-Italic",
    "LiberationSans-BoldItalic",
  ],
  LiberationSerif: [
    "LiberationSerif-Regular",
    "LiberationSerif-Bold",
    "LiberationSerif-Italic",
    "LiberationSerif-BoldItalic",
  ],
  LiberationMono: [
    "LiberationMono-Regular",
    "LiberationMono-Bold",
    "LiberationMono-Italic",
    "LiberationMono-BoldItalic",
  ],
  LiberationSansNarrow: [
    "LiberationSansNarrow-Regular",
    "LiberationSansNarrow-Bold",
    "LiberationSansNarrow-Italic",
    "LiberationSansNarrow-BoldItalic",
  ],
  Carlito: ["Carlito-Regular", "Carlito-Bold", "Carlito-Italic", "Carlito-BoldItalic"],
  Caladea: ["Caladea-Regular", "Caladea-Bold", "Caladea-Italic", "Caladea-BoldItalic"],
  P052: ["P052-Roman", "P052-Bold", "P052-Italic", "P052-BoldItalic"],
  URWBookman: ["URWBookman-Light", "URWBookman-Demi", "URWBookman-LightItalic", "URWBookman-DemiItalic"],
  C059: ["C059-Roman", "C059-Bold", "C059-Italic", "C059-BdIta"],
  URWGothic: ["URWGothic-Book", "URWGothic-Demi", "URWGothic-BookOblique", "URWGothic-DemiOblique"],
  DejaVuSans: ["DejaVuSans", "DejaVuSans-Bold", "DejaVuSans-Oblique", "DejaVuSans-BoldOblique"],
  DejaVuSerif: ["DejaVuSerif", "DejaVuSerif-Bold", "DejaVuSerif-Italic", "DejaVuSerif-BoldItalic"],
  DejaVuSansMono: ["DejaVuSansMono", "DejaVuSansMono-Bold", "DejaVuSansMono-Oblique", "DejaVuSansMono-BoldOblique"],
} as const;

const SERIF = new Set<Family>(["NimbusRoman", "LiberationSerif", "Caladea", "P052", "URWBookman", "C059"]);
const FIXED = new Set<Family>(["NimbusMonoPS", "LiberationMono"]);
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
  const name = baseFont
    .slice(0, MAX_NAME)
    .replace(/^[A-Z]{6}\+/, "")
    .toLowerCase()
    .replace(/[\s_]/g, "");
  const flags = file.number(descriptor?.get("Flags")) ?? 0;
  const isBold = /bold|black|heavy|demi/.test(name) || (flags & FONT_FLAGS.forceBold) !== 0;
  const isItalic = /ital|obli|kursiv/.test(name) || (flags & FONT_FLAGS.italic) !== 0;
  if (/^(?:itc)?zapfdingbats|^dingbats/.test(name)) return special("D050000L", "dingbats");
  if (/^symbol(?!s)/.test(name)) return special("StandardSymbolsPS", "symbol");
  if (/^wingdings(?!2|3|-2|-3)/.test(name)) return special("DejaVuSans", "wingdings");
  const family = FAMILIES.find(([pattern]) => pattern.test(name))?.[1] ?? familyOf(flags);
  const isSerif = SERIF.has(family);
  const isFixed = FIXED.has(family);
  const style = (isBold ? 1 : 0) + (isItalic ? 2 : 0);
  const liberation = isFixed ? "LiberationMono" : isSerif ? "LiberationSerif" : "LiberationSans";
  const dejavu = isFixed ? "DejaVuSansMono" : isSerif ? "DejaVuSerif" : "DejaVuSans";
  const faces = [family, liberation, dejavu, "DejaVuSans"] as const;
  const names = [...faces.map((one) => STYLES[one][style]!), "DejaVuSans", ...OTHER_SCRIPTS];
  return { look: { isFixed, isSerif, isItalic, isBold }, faces: [...new Set(names)], special: undefined };
}

/** @returns an empty list if the face is the named font itself */
export function substitution(baseFont: string, face: Face): readonly NoticeSubject[] {
  const name = baseFont.replace(/^[A-Z]{6}\+/, "");
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]|regular/g, "");
  return plain(name) === plain(face.name) ? [] : [{ name, replacedBy: face.name }];
}

function familyOf(flags: number): Family {
  if (flags & FONT_FLAGS.fixedPitch) return "LiberationMono";
  return flags & FONT_FLAGS.serif ? "LiberationSerif" : "LiberationSans";
}

function special(face: string, kind: FaceChoice["special"]): FaceChoice {
  const look = { isFixed: false, isSerif: false, isItalic: false, isBold: false };
  return { look, faces: [face, "DejaVuSans", "NotoSansSymbols2-Regular", "NotoSansSymbols-Regular"], special: kind };
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
  const isGothic = /goth|kozgo|sans|hei|dotum|gulim|yuan|kaku|maru/.test(name);
  const isSerif =
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

/**
 * Returns fonts for rendering with MuPDF, whose built-in CJK font lacks many characters, serifs and bold styles. The
 * repair of fonts embeds the same faces.
 * @param substitutes fonts of any script that the repair has replaced. MuPDF replaces other fonts with its own, unless
 * they are CJK fonts.
 */
export function fontsForDrawing(
  fonts: FontProvider = NO_FONTS,
  substitutes: readonly NoticeSubject[] = [],
): EngineFonts {
  const chosen = new Map(substitutes.map(({ name, replacedBy }) => [name, replacedBy]));
  return (name, language) => {
    const ordering = COLLECTIONS.get(language) ?? "";
    const substitute = chosen.get(name.replace(/^[A-Z]{6}\+/, ""));
    const face = substitute ?? chooseCjkFace(name, ordering, 0)?.face;
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
