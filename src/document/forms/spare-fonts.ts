// Creates fonts for characters that are missing from a field's font. They are not embedded, because every viewer has
// glyphs for these characters.
import { nameOfUnicode } from "../fonts/names/glyph-names.ts";
import { standardWidths } from "../fonts/names/standard-widths.ts";
import { Dictionary, Name, PdfString, type Reference } from "../objects/values.ts";

export type SpareFont = keyof typeof LETTERS | keyof typeof ORDERINGS;

const FIRST_CODE = 32;
const FONT_NAME = "Helvetica";
const SIGNS = [..."\u20ac‚„…†‡‰‹‘’“”•–—™›"].map((sign) => sign.codePointAt(0)!);
/** Code points of the simple fonts, at most 224 per font: Western, Latin Extended-A, Greek and Cyrillic. */
const LETTERS = {
  western: [range(0x20, 0x7e), range(0xa1, 0xff), SIGNS].flat(),
  central: range(0x100, 0x17f),
  eastern: [range(0x384, 0x3ce), range(0x401, 0x45f), [0x490, 0x491]].flat(),
} as const;
/** Font name, CMap and character collection of each language (ISO 32000-1, table 118). */
const ORDERINGS = {
  japanese: ["HeiseiKakuGo-W5", "UniJIS-UTF16-H", "Japan1"],
  chinese: ["STSong-Light", "UniGB-UTF16-H", "GB1"],
  korean: ["HYGoThic-Medium", "UniKS-UTF16-H", "Korea1"],
} as const;

const HAN = /[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]/u;
const KANA = /[\u3040-\u30ff\u31f0-\u31ff]/u;
const HANGUL = /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7ff]/u;

/** @param text the whole text, from which the language of Han characters is derived */
export function spareFontsFor(character: string, text: string): readonly SpareFont[] {
  if (KANA.test(character)) return ["japanese"];
  if (HANGUL.test(character)) return ["korean"];
  if (HAN.test(character)) return [KANA.test(text) ? "japanese" : HANGUL.test(text) ? "korean" : "chinese"];
  return ["western", "central", "eastern"];
}

/** @returns a font dictionary whose descendants are direct objects */
export function makeSpareFont(kind: SpareFont): Dictionary {
  if (kind in LETTERS) return simpleFont(LETTERS[kind as keyof typeof LETTERS]);
  const [name, encoding, ordering] = ORDERINGS[kind as keyof typeof ORDERINGS];
  const descriptor = Dictionary.of({
    Type: Name.of("FontDescriptor"),
    FontName: Name.of(name),
    Flags: 4,
    FontBBox: [0, -200, 1000, 900],
    ItalicAngle: 0,
    Ascent: 880,
    Descent: -120,
    CapHeight: 880,
    StemV: 90,
  });
  const inner = Dictionary.of({
    Type: Name.of("Font"),
    Subtype: Name.of("CIDFontType0"),
    BaseFont: Name.of(name),
    CIDSystemInfo: Dictionary.of({
      Registry: PdfString.ofLatin1("Adobe"),
      Ordering: PdfString.ofLatin1(ordering),
      Supplement: 2,
    }),
    FontDescriptor: descriptor,
  });
  return Dictionary.of({
    Type: Name.of("Font"),
    Subtype: Name.of("Type0"),
    BaseFont: Name.of(`${name}-${encoding}`),
    Encoding: Name.of(encoding),
    DescendantFonts: [inner],
  });
}

/** Adds a font and its descendants to a document. */
export function addSpareFont(font: Dictionary, add: (object: Dictionary) => Reference): Reference {
  const [inner] = (font.get("DescendantFonts") as Dictionary[] | undefined) ?? [];
  if (!inner) return add(font);
  const descriptor = add(inner.get("FontDescriptor") as Dictionary);
  return add(font.clone().set("DescendantFonts", [add(inner.clone().set("FontDescriptor", descriptor))]));
}

function simpleFont(codePoints: readonly number[]): Dictionary {
  const widthOf = standardWidths(FONT_NAME);
  const names = codePoints.map((code) => Name.of(nameOfUnicode(code)));
  return Dictionary.of({
    Type: Name.of("Font"),
    Subtype: Name.of("Type1"),
    BaseFont: Name.of(FONT_NAME),
    Encoding: Dictionary.of({ Type: Name.of("Encoding"), Differences: [FIRST_CODE, ...names] }),
    FirstChar: FIRST_CODE,
    LastChar: FIRST_CODE + codePoints.length - 1,
    Widths: codePoints.map((code) => widthOf(String.fromCodePoint(code)) ?? 0),
  });
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}
