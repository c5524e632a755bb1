// Writes a CFF font of named glyphs (Adobe Technical Note 5176), from one font or from several subsets of the same
// font.

import { cffStrings, NOTDEF } from "../names/glyph-names.ts";
import { cffWidth, glyphNames, PRIVATE, readCff, TOP } from "./cff.ts";
import { writeEntry, writeIndex } from "./syntax.ts";
import { type2Number } from "./type2-writer.ts";

/** The glyphs of a font to keep, by name and by code. */
export interface WantedNames {
  readonly names: Iterable<string>;
  /** Codes that are looked up in the font's built-in encoding. */
  readonly codes: Iterable<number>;
}

export interface NamedGlyph {
  readonly width: number;
  /** A Type 2 charstring without a width and without subroutine calls. */
  readonly charString: Uint8Array;
}

/** Glyphs of one font, and the font parameters that affect their outlines. */
export interface NamedCff {
  /** Font name without subset tag. */
  readonly name: string;
  readonly hasStandardEncoding: boolean;
  readonly glyphs: ReadonlyMap<string, NamedGlyph>;
  /** Glyph names of the wanted codes; `.notdef` for a code without a glyph. */
  readonly codes: ReadonlyMap<number, string>;
  readonly box: readonly number[];
  /** Entries of the Top DICT and the Private DICT, except offsets and widths. */
  readonly top: Uint8Array;
  readonly private: Uint8Array;
}

const FONT_BBOX = 5;
const HEADER = Uint8Array.of(1, 0, 4, 4);
const MAX_CODES = 255;
/** Maximum bytes of charstrings in memory at a time. */
export const MAX_BYTES: number = 16 * 2 ** 20;

/** Returns a key that is equal for all subsets of the same font. */
export const commonOf = (font: NamedCff): string =>
  [
    font.name,
    font.hasStandardEncoding,
    Buffer.from(font.top).toString("hex"),
    Buffer.from(font.private).toString("hex"),
  ].join(" ");

/**
 * @param fonts one font, or several subsets of the same font
 * @returns undefined if the fonts contradict each other, for example if their glyphs of the same name differ
 */
export function writeNamedCff(fonts: Iterable<NamedCff | undefined>): Uint8Array | undefined {
  const glyphs = new Map<string, NamedGlyph>();
  const codes = new Map<number, string>();
  let first: NamedCff | undefined;
  let box: readonly number[] = [];
  let bytes = 0;
  for (const font of fonts) {
    first ??= font;
    if (!font || !first || commonOf(first) !== commonOf(font)) return undefined;
    for (const [name, glyph] of font.glyphs) {
      const known = glyphs.get(name);
      if (known && !isEqual(known, glyph)) return undefined;
      if (!known) bytes += glyph.charString.length;
      glyphs.set(name, known ?? glyph);
    }
    for (const [code, name] of font.codes) {
      if ((codes.get(code) ?? name) !== name) return undefined;
      codes.set(code, name);
    }
    if (bytes > MAX_BYTES) return undefined;
    box = font === first ? font.box : around(box, font.box);
  }
  if (!first) return undefined;
  const ordered = encodedFirst(glyphs, new Set(codes.values()));
  const made = writeFont({ ...first, box }, ordered, first.hasStandardEncoding ? undefined : codes);
  return made && isSame(made, ordered) ? made : undefined;
}

const isEqual = (one: NamedGlyph, other: NamedGlyph) =>
  one.width === other.width && Buffer.compare(one.charString, other.charString) === 0;

function around(one: readonly number[], other: readonly number[]): readonly number[] {
  if (one.length !== 4 || other.length !== 4) return [];
  return one.map((value, index) => (index < 2 ? Math.min : Math.max)(value, other[index]!));
}

type Named = readonly [name: string, glyph: NamedGlyph];

/** Sorts glyphs with codes before glyphs without codes, as the encoding requires (5176, 12). */
function encodedFirst(glyphs: ReadonlyMap<string, NamedGlyph>, coded: ReadonlySet<string>): Named[] {
  const sorted = [...glyphs].sort(([a], [b]) => (a < b ? -1 : 1));
  const rank = (name: string) => (name === NOTDEF ? 0 : coded.has(name) ? 1 : 2);
  return sorted.sort(([a], [b]) => rank(a) - rank(b));
}

/** @param codes glyph names by code; undefined for the standard encoding */
function writeFont(
  { name, box, top: ownTop, private: ownPrivate }: NamedCff,
  glyphs: readonly Named[],
  codes: ReadonlyMap<number, string> | undefined,
): Uint8Array | undefined {
  const usual = mostUsual(glyphs.map(([, { width }]) => width));
  const charStrings = writeIndex(
    glyphs.map(([, { width, charString }]) =>
      width === usual ? charString : Uint8Array.from([...type2Number(width), ...charString]),
    ),
  );
  const strings = new Map<string, number>();
  const charset = Buffer.alloc(1 + 2 * (glyphs.length - 1));
  glyphs.slice(1).forEach(([one], index) => {
    charset.writeUInt16BE(stringNumber(one, strings), 1 + 2 * index);
  });
  const encoding = codes ? encodingBytes(glyphs, codes, strings) : new Uint8Array(0);
  if (!encoding) return undefined;
  const privateDict = Buffer.concat([
    ownPrivate,
    writeEntry(PRIVATE.defaultWidth, [usual]),
    writeEntry(PRIVATE.nominalWidth, [0]),
  ]);
  const head = [HEADER, writeIndex([Buffer.from(name, "latin1")])];
  const behind = [writeIndex(Array.from(strings.keys(), (one) => Buffer.from(one, "latin1"))), writeIndex([])];
  const body = [charset, encoding, charStrings, privateDict];
  // Integers have a fixed size, so that a first pass with zeros yields all sizes, from which the offsets follow.
  const top = (start: number) => {
    const places = body.map((_, part) => start + sizeOf(body.slice(0, part)));
    return writeIndex([
      Buffer.concat([
        ownTop,
        boxEntry(box),
        writeEntry(TOP.charset, [places[0]!]),
        writeEntry(TOP.encoding, [codes ? places[1]! : 0]),
        writeEntry(TOP.charStrings, [places[2]!]),
        writeEntry(TOP.private, [privateDict.length, places[3]!]),
      ]),
    ]);
  };
  return new Uint8Array(Buffer.concat([...head, top(sizeOf([...head, top(0), ...behind])), ...behind, ...body]));
}

const sizeOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0);

/**
 * Writes the bounding box with two bytes per number: some FreeType versions read negative four-byte numbers as large
 * positive numbers.
 */
function boxEntry(box: readonly number[]): Uint8Array {
  if (box.length !== 4) return new Uint8Array(0);
  const numbers = box.map(Math.round).flatMap((value) => [28, (value >> 8) & 0xff, value & 0xff]);
  return Uint8Array.from([...numbers, FONT_BBOX]);
}

function mostUsual(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) if (Number.isInteger(width)) counts.set(width, (counts.get(width) ?? 0) + 1);
  let usual = 0;
  for (const [width, count] of counts) if (count > (counts.get(usual) ?? 0)) usual = width;
  return usual;
}

let standardNumbers: Map<string, number> | undefined;

/** @param strings numbers of the font's own strings; a name that is not a standard string is added */
function stringNumber(name: string, strings: Map<string, number>): number {
  standardNumbers ??= new Map(cffStrings().map((one, number) => [one, number]));
  const known = standardNumbers.get(name) ?? strings.get(name);
  if (known !== undefined) return known;
  const number = cffStrings().length + strings.size;
  strings.set(name, number);
  return number;
}

/**
 * Writes the first code of each encoded glyph, and all further codes as supplementary codes (5176, 12).
 * @returns undefined if there are more codes than the format allows
 */
function encodingBytes(
  glyphs: readonly Named[],
  codes: ReadonlyMap<number, string>,
  strings: Map<string, number>,
): Uint8Array | undefined {
  const codesOf = new Map<string, number[]>();
  for (const [code, name] of codes) {
    if (name === NOTDEF) continue;
    const known = codesOf.get(name);
    if (known) known.push(code);
    else codesOf.set(name, [code]);
  }
  const first = glyphs.flatMap(([name]) => codesOf.get(name)?.[0] ?? []);
  const further = glyphs.flatMap(([name]) => (codesOf.get(name) ?? []).slice(1).map((code) => [code, name] as const));
  if (first.length > MAX_CODES || further.length > MAX_CODES) return undefined;
  const supplement = further.flatMap(([code, name]) => {
    const number = stringNumber(name, strings);
    return [code, number >> 8, number & 0xff];
  });
  const format = further.length > 0 ? 0x80 : 0;
  return Uint8Array.from([format, first.length, ...first, ...(format ? [further.length, ...supplement] : [])]);
}

/** Reports whether the written font, when read again, has the same glyphs. */
function isSame(bytes: Uint8Array, glyphs: readonly Named[]): boolean {
  const font = readCff(bytes);
  if (!font || font.charStrings.count !== glyphs.length) return false;
  const names = glyphNames(font);
  const { scale } = font.subFonts[0]!;
  return glyphs.every(
    ([name, { width }], glyph) =>
      names[glyph] === name && Math.abs((cffWidth(font, glyph) ?? Number.NaN) - width * scale) < 0.001,
  );
}
