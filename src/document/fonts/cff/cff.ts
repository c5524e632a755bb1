// Reads fonts in the Compact Font Format (Adobe Technical Note 5176): glyphs by name or CID, encodings and widths.
// cff/writer.ts writes such fonts.

import {
  cffExpertCharset,
  cffExpertSubsetCharset,
  cffStrings,
  type Encoding,
  NOTDEF,
  standardEncoding,
} from "../names/glyph-names.ts";
import { viewOf } from "../truetype/truetype.ts";
import { type Dict, type Index, readDict, readIndex } from "./syntax.ts";
import { glyphWidth } from "./type2-charstring.ts";

/** Operators of a DICT. A two-byte operator is 1200 plus its second byte. */
export const TOP = {
  charset: 15,
  encoding: 16,
  charStrings: 17,
  private: 18,
  charStringType: 1206,
  fontMatrix: 1207,
  ros: 1230,
  cidCount: 1234,
  fdArray: 1236,
  fdSelect: 1237,
} as const;
export const PRIVATE = { subrs: 19, defaultWidth: 20, nominalWidth: 21 } as const;

/** Parameters for reading charstrings: one set per font, or one per FD (font dictionary) of a CID font. */
export interface SubFont {
  readonly dict: Dict;
  readonly private: Dict;
  /** INDEX of the local subroutines; empty if there are none. */
  readonly subrs: Index;
  readonly defaultWidth: number;
  readonly nominalWidth: number;
  /** Factor from the units of a charstring to thousandths of text space. */
  readonly scale: number;
}

export interface CffFont {
  readonly bytes: Uint8Array;
  readonly nameIndex: Index;
  readonly top: Dict;
  readonly strings: Index;
  readonly globalSubrs: Index;
  readonly charStrings: Index;
  readonly isCid: boolean;
  /** The CID of each glyph, or the string number of its name. */
  readonly charset: Uint16Array;
  readonly subFonts: readonly SubFont[];
  /** FD index by glyph; undefined if the font has only one set of parameters. */
  readonly fdSelect: Uint8Array | undefined;
  /** Offsets of the built-in encoding, or the number of a predefined encoding. */
  readonly encodingPlace: { readonly start: number; readonly end: number } | 0 | 1;
}

const CFF_TAG = 0x43464620;

/** Returns the CFF table of an OpenType font. */
export function cffTable(bytes: Uint8Array): Uint8Array | undefined {
  const view = viewOf(bytes);
  for (let at = 12, left = view.getUint16(4); left > 0 && at + 16 <= bytes.length; left--, at += 16) {
    if (view.getUint32(at) !== CFF_TAG) continue;
    const [start, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    return bytes.subarray(start, start + length);
  }
  return undefined;
}

/** @returns undefined for bytes that are not a complete CFF font */
export function readCff(bytes: Uint8Array): CffFont | undefined {
  try {
    return read(bytes);
  } catch (error) {
    // The font refers to bytes beyond its end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function read(bytes: Uint8Array): CffFont | undefined {
  if (bytes.length < 8 || bytes[0] !== 1) return undefined;
  const nameIndex = readIndex(bytes, bytes[2]!);
  const tops = readIndex(bytes, nameIndex.end);
  const strings = readIndex(bytes, tops.end);
  const globalSubrs = readIndex(bytes, strings.end);
  if (tops.count < 1) return undefined;
  const top = readDict(tops.at(0));
  const charStringsPlace = top.number(TOP.charStrings);
  if (charStringsPlace === undefined) return undefined;
  const charStrings = readIndex(bytes, charStringsPlace);
  if (charStrings.count < 1) return undefined;
  const isCid = top.has(TOP.ros);
  const charset = readCharset(bytes, top.number(TOP.charset) ?? 0, charStrings.count, isCid);
  const fontMatrix = top.numbers(TOP.fontMatrix)?.[0];
  const dicts = isCid ? fontDicts(bytes, top) : [top];
  if (dicts.length === 0) return undefined;
  const subFonts = dicts.map((dict) => readSubFont(bytes, dict, isCid ? fontMatrix : undefined));
  const selectPlace = top.number(TOP.fdSelect);
  const fdSelect = isCid && selectPlace !== undefined ? readFdSelect(bytes, selectPlace, charStrings.count) : undefined;
  const encodingPlace = isCid ? 0 : placeOfEncoding(bytes, top.number(TOP.encoding) ?? 0);
  return {
    bytes,
    nameIndex,
    top,
    strings,
    globalSubrs,
    charStrings,
    isCid,
    charset,
    subFonts,
    fdSelect,
    encodingPlace,
  };
}

function fontDicts(bytes: Uint8Array, top: Dict): Dict[] {
  const index = readIndex(bytes, top.number(TOP.fdArray) ?? bytes.length);
  return Array.from({ length: Math.min(index.count, 256) }, (_, at) => readDict(index.at(at)));
}

function readSubFont(bytes: Uint8Array, dict: Dict, outerMatrix: number | undefined): SubFont {
  const [size = 0, start = 0] = dict.numbers(TOP.private) ?? [];
  if (start < 0 || size < 0 || start + size > bytes.length) throw new RangeError("private");
  const privateDict = readDict(bytes.subarray(start, start + size));
  const subrs = privateDict.number(PRIVATE.subrs);
  const own = dict.numbers(TOP.fontMatrix)?.[0];
  const matrix = outerMatrix === undefined ? (own ?? 0.001) : outerMatrix * (own ?? 1);
  return {
    dict,
    private: privateDict,
    subrs: readIndex(bytes, subrs === undefined ? bytes.length : start + subrs),
    defaultWidth: privateDict.number(PRIVATE.defaultWidth) ?? 0,
    nominalWidth: privateDict.number(PRIVATE.nominalWidth) ?? 0,
    scale: matrix * 1000,
  };
}

function readCharset(bytes: Uint8Array, offset: number, count: number, isCid: boolean): Uint16Array {
  const charset = new Uint16Array(count);
  if (offset <= 2 && !isCid) {
    const predefined = offset === 1 ? cffExpertCharset() : offset === 2 ? cffExpertSubsetCharset() : undefined;
    for (let glyph = 0; glyph < count; glyph++) charset[glyph] = predefined ? (predefined[glyph] ?? 0) : glyph;
    return charset;
  }
  if (offset <= 2) return charset.map((_, glyph) => glyph);
  const view = viewOf(bytes);
  const format = view.getUint8(offset);
  let at = offset + 1;
  for (let glyph = 1; glyph < count; ) {
    const first = view.getUint16(at);
    const left = format === 0 ? 0 : format === 1 ? view.getUint8(at + 2) : view.getUint16(at + 2);
    at += 2 + Math.min(format, 2);
    for (let more = 0; more <= left && glyph < count; more++) charset[glyph++] = first + more;
  }
  return charset;
}

function readFdSelect(bytes: Uint8Array, offset: number, count: number): Uint8Array {
  const select = new Uint8Array(count);
  const view = viewOf(bytes);
  if (view.getUint8(offset) === 0) {
    for (let glyph = 0; glyph < count; glyph++) select[glyph] = view.getUint8(offset + 1 + glyph);
    return select;
  }
  const ranges = view.getUint16(offset + 1);
  for (let range = 0, at = offset + 3; range < ranges; range++, at += 3) {
    select.fill(view.getUint8(at + 2), view.getUint16(at), Math.min(count, view.getUint16(at + 3)));
  }
  return select;
}

function placeOfEncoding(bytes: Uint8Array, offset: number): CffFont["encodingPlace"] {
  if (offset <= 1) return offset === 1 ? 1 : 0;
  const view = viewOf(bytes);
  const format = view.getUint8(offset);
  let end = offset + 2 + view.getUint8(offset + 1) * ((format & 0x7f) === 0 ? 1 : 2);
  if (format & 0x80) end += 1 + view.getUint8(end) * 3;
  if (end > bytes.length) throw new RangeError("encoding");
  return { start: offset, end };
}

/** Returns the string with this number. */
function stringOf({ strings }: CffFont, sid: number): string {
  const standard = cffStrings();
  if (sid < standard.length) return standard[sid]!;
  const at = sid - standard.length;
  return at < strings.count ? Buffer.from(strings.at(at)).toString("latin1") : NOTDEF;
}

/** Returns the glyph names of a font that is not a CID font. */
export function glyphNames(font: CffFont): string[] {
  return Array.from(font.charset, (sid, glyph) => (glyph === 0 ? NOTDEF : stringOf(font, sid)));
}

/** Returns the built-in encoding. */
export function builtInEncoding(font: CffFont, names: readonly string[]): Encoding {
  const { encodingPlace: place, bytes } = font;
  if (place === 0) return standardEncoding();
  const encoding: (string | undefined)[] = new Array(256).fill(undefined);
  // The expert encoding is not implemented: fonts that have it are used only with an array of Differences.
  if (place === 1) return encoding;
  const format = bytes[place.start]!;
  const count = bytes[place.start + 1]!;
  let at = place.start + 2;
  if ((format & 0x7f) === 0) {
    for (let glyph = 1; glyph <= count; glyph++) encoding[bytes[at++]!] = names[glyph];
  } else {
    for (let range = 0, glyph = 1; range < count; range++, at += 2) {
      for (let code = bytes[at]!, left = bytes[at + 1]!; left >= 0; left--, code++)
        encoding[code & 0xff] = names[glyph++];
    }
  }
  if (format & 0x80) {
    for (let left = bytes[at++]!; left > 0; left--, at += 3) {
      encoding[bytes[at]!] = stringOf(font, (bytes[at + 1]! << 8) | bytes[at + 2]!);
    }
  }
  return encoding;
}

export function subFontOf({ fdSelect, subFonts }: CffFont, glyph: number): SubFont {
  return subFonts[fdSelect?.[glyph] ?? 0] ?? subFonts[0]!;
}

/** Returns a width in thousandths of an em; undefined if the charstring is damaged. */
export function cffWidth(font: CffFont, glyph: number): number | undefined {
  if (glyph >= font.charStrings.count) return undefined;
  const subFont = subFontOf(font, glyph);
  const found = glyphWidth(font.charStrings.at(glyph), subFont.subrs, font.globalSubrs);
  if (!found) return undefined;
  return (found.width === undefined ? subFont.defaultWidth : subFont.nominalWidth + found.width) * subFont.scale;
}
