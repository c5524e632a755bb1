// Rewrites a CFF font (Adobe Technical Note 5176) with a selection of its glyphs: in another order, repeated, with
// other widths or names. Outlines are copied, not interpreted.

import { cffStrings } from "../names/glyph-names.ts";
import { type CffFont, PRIVATE, type SubFont, subFontOf, TOP } from "./cff.ts";
import { copyEntry, type Dict, type Index, writeEntry, writeIndex } from "./syntax.ts";
import { withWidth } from "./type2-charstring.ts";
import { addUsedSubrs, CharStringWalk } from "./used-subroutines.ts";

/** A glyph of the new font. Glyph 0 is `.notdef`. */
export interface CffGlyph {
  /** The glyph of the original font whose outline is copied. */
  readonly source: number;
  /** Glyph name, or the CID in a CID font. */
  readonly identity: string | number;
  /** Width in thousandths of an em. @default the original width */
  readonly width?: number | undefined;
}

export interface CffOptions {
  /** Character collection of a CID font. @default the original collection */
  readonly ordering?: { readonly registry: string; readonly ordering: string; readonly supplement: number };
  /** True to keep the built-in encoding. The glyphs that it encodes must then come first, in their original order. */
  readonly keepsEncoding: boolean;
}

/** @returns undefined if a width cannot be set */
export function writeCff(font: CffFont, glyphs: readonly CffGlyph[], options: CffOptions): Uint8Array | undefined {
  const charStrings = charStringsOf(font, glyphs);
  return charStrings && assemble(font, tablesOf(font, glyphs, options, charStrings), options);
}

function charStringsOf(font: CffFont, glyphs: readonly CffGlyph[]): Uint8Array[] | undefined {
  const charStrings: Uint8Array[] = [];
  for (const { source, width } of glyphs) {
    const original = font.charStrings.at(source);
    const set = width === undefined ? original : widened(font, source, original, width);
    if (!set) return undefined;
    charStrings.push(set);
  }
  return charStrings;
}

/** All parts of a font except the DICTs that contain offsets. */
interface Tables {
  /** Header and Name INDEX, before the Top DICT. */
  readonly before: readonly Uint8Array[];
  /** String INDEX and global subroutines, after the Top DICT. */
  readonly behind: readonly Uint8Array[];
  readonly charset: Uint8Array;
  readonly fdSelect: Uint8Array;
  readonly encoding: Uint8Array;
  readonly charStrings: Uint8Array;
  readonly privates: readonly PrivatePart[];
  readonly cidCount: number;
  readonly ros: readonly number[] | undefined;
}

function tablesOf(
  font: CffFont,
  glyphs: readonly CffGlyph[],
  { ordering, keepsEncoding }: CffOptions,
  charStrings: readonly Uint8Array[],
): Tables {
  const strings = new Strings(font);
  const charset = charsetOf(glyphs, strings);
  const ros = ordering && [
    strings.numberOf(ordering.registry),
    strings.numberOf(ordering.ordering),
    ordering.supplement,
  ];
  const { encodingPlace } = font;
  const kept = keepsEncoding ? undefined : usedSubrs(font, glyphs);
  return {
    before: [
      Uint8Array.of(1, 0, 4, 4),
      writeIndex([font.nameIndex.count > 0 ? font.nameIndex.at(0) : Buffer.from("Font")]),
    ],
    behind: [
      strings.index(),
      kept ? withoutUnused(font.globalSubrs, kept.global) : indexBytes(font.bytes, font.globalSubrs),
    ],
    charset,
    fdSelect: font.isCid
      ? Uint8Array.from([0, ...glyphs.map(({ source }) => font.fdSelect?.[source] ?? 0)])
      : new Uint8Array(0),
    encoding:
      keepsEncoding && typeof encodingPlace === "object"
        ? font.bytes.subarray(encodingPlace.start, encodingPlace.end)
        : new Uint8Array(0),
    charStrings: writeIndex(charStrings),
    privates: font.subFonts.map((subFont, at) => {
      const { subrs } = subFont;
      return new PrivatePart(subFont, kept ? withoutUnused(subrs, kept.local[at]!) : indexBytes(font.bytes, subrs));
    }),
    cidCount: font.isCid ? 1 + glyphs.reduce((most, { identity }) => Math.max(most, Number(identity)), 0) : 0,
    ros,
  };
}

function charsetOf(glyphs: readonly CffGlyph[], strings: Strings): Uint8Array {
  const charset = new Uint8Array(1 + 2 * (glyphs.length - 1));
  glyphs.forEach(({ identity }, glyph) => {
    if (glyph === 0) return;
    const number = typeof identity === "number" ? identity : strings.numberOf(identity);
    charset[2 * glyph - 1] = number >> 8;
    charset[2 * glyph] = number & 0xff;
  });
  return charset;
}

interface TableOffsets {
  readonly charset: number;
  readonly charStrings: number;
  readonly fdArray: number;
  readonly fdSelect: number;
  readonly encoding: number;
  readonly privates: readonly number[];
}

/**
 * Concatenates the parts. Offsets have a fixed size, so a first pass with zeros yields the sizes of the DICTs that
 * contain them.
 */
function assemble(font: CffFont, tables: Tables, options: CffOptions): Uint8Array {
  const { before, behind, charset, fdSelect, encoding, charStrings, privates } = tables;
  const zeros = { charset: 0, charStrings: 0, fdArray: 0, fdSelect: 0, encoding: 0, privates: privates.map(() => 0) };
  let at = sizeOf([...before, topDict(font, tables, options, zeros), ...behind]);
  const place = (bytes: Uint8Array) => {
    const here = at;
    at += bytes.length;
    return here;
  };
  const offsets: TableOffsets = {
    charset: place(charset),
    fdSelect: place(fdSelect),
    encoding: place(encoding),
    charStrings: place(charStrings),
    fdArray: place(fdArrayOf(font, tables, zeros)),
    privates: privates.map((part) => place(part.bytes)),
  };
  const parts = [
    ...before,
    topDict(font, tables, options, offsets),
    ...behind,
    charset,
    fdSelect,
    encoding,
    charStrings,
    fdArrayOf(font, tables, offsets),
    ...privates.map((part) => part.bytes),
  ];
  return new Uint8Array(Buffer.concat(parts));
}

function topDict(font: CffFont, tables: Tables, { keepsEncoding }: CffOptions, offsets: TableOffsets): Uint8Array {
  const { cidCount, ros, encoding, privates } = tables;
  const changed = new Map<number, readonly number[]>([
    [TOP.charset, [offsets.charset]],
    [TOP.charStrings, [offsets.charStrings]],
  ]);
  if (font.isCid) {
    changed.set(TOP.fdArray, [offsets.fdArray]).set(TOP.fdSelect, [offsets.fdSelect]).set(TOP.cidCount, [cidCount]);
    if (ros) changed.set(TOP.ros, ros);
  } else {
    changed.set(TOP.private, [privates[0]!.size, offsets.privates[0]!]);
    if (encoding.length > 0) changed.set(TOP.encoding, [offsets.encoding]);
    else if (!keepsEncoding) changed.set(TOP.encoding, [0]);
  }
  return writeIndex([rewriteDict(font.top, changed)]);
}

function fdArrayOf(font: CffFont, { privates }: Tables, offsets: TableOffsets): Uint8Array {
  if (!font.isCid) return new Uint8Array(0);
  return writeIndex(
    privates.map((part, at) => rewriteDict(part.dict, new Map([[TOP.private, [part.size, offsets.privates[at]!]]]))),
  );
}

const sizeOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, part) => sum + part.length, 0);

function indexBytes(bytes: Uint8Array, index: Index): Uint8Array {
  return index.end === index.start ? new Uint8Array(2) : bytes.subarray(index.start, index.end);
}

interface UsedSubrs {
  readonly global: ReadonlySet<number>;
  /** Used local subroutines by FD. */
  readonly local: readonly ReadonlySet<number>[];
}

/** @returns undefined if the used subroutines cannot be determined */
function usedSubrs(font: CffFont, glyphs: readonly CffGlyph[]): UsedSubrs | undefined {
  const global = { index: font.globalSubrs, used: new Set<number>() };
  const local = font.subFonts.map(({ subrs }) => ({ index: subrs, used: new Set<number>() }));
  const walk = new CharStringWalk(font.bytes.length);
  for (const { source } of glyphs) {
    const own = local[font.subFonts.indexOf(subFontOf(font, source))]!;
    if (!addUsedSubrs(font.charStrings.at(source), own, global, walk)) return undefined;
  }
  return { global: global.used, local: local.map(({ used }) => used) };
}

/** Empties unused subroutines without renumbering. */
function withoutUnused(index: Index, used: ReadonlySet<number>): Uint8Array {
  const entries = Array.from({ length: index.count }, (_, at) => (used.has(at) ? index.at(at) : EMPTY_SUBR));
  return writeIndex(used.size > 0 ? entries : entries.slice(0, Math.min(1, entries.length)));
}

/** The replacement of an unused subroutine: the operator `return`. */
const EMPTY_SUBR = Uint8Array.of(11);

function widened(font: CffFont, glyph: number, charString: Uint8Array, width: number): Uint8Array | undefined {
  const { subrs, nominalWidth, scale } = subFontOf(font, glyph);
  if (!(scale > 0)) return undefined;
  return withWidth(charString, width / scale - nominalWidth, subrs, font.globalSubrs);
}

/**
 * Returns the DICT with changed operands. Changed entries keep their position, so ROS stays first (5176, 18); new
 * entries are appended.
 */
function rewriteDict(dict: Dict, changed: ReadonlyMap<number, readonly number[]>): Uint8Array {
  const left = new Map(changed);
  const parts = dict.entries.map((entry) => {
    const operands = left.get(entry.operator);
    left.delete(entry.operator);
    return operands ? writeEntry(entry.operator, operands) : copyEntry(entry);
  });
  for (const [operator, operands] of left) parts.push(writeEntry(operator, operands));
  return new Uint8Array(Buffer.concat(parts));
}

/** A Private DICT followed by its subroutines. */
class PrivatePart {
  readonly dict: Dict;
  readonly bytes: Uint8Array;
  /** Size of the DICT without the subroutines. */
  readonly size: number;

  constructor(subFont: SubFont, subrs: Uint8Array) {
    this.dict = subFont.dict;
    const hasSubrs = subFont.subrs.count > 0;
    const withOffset = (offset: number) => {
      const entries = subFont.private.entries.filter(({ operator }) => operator !== PRIVATE.subrs).map(copyEntry);
      return Buffer.concat(hasSubrs ? [...entries, writeEntry(PRIVATE.subrs, [offset])] : entries);
    };
    this.size = withOffset(0).length;
    const behind = hasSubrs ? subrs : new Uint8Array(0);
    this.bytes = new Uint8Array(Buffer.concat([withOffset(this.size), behind]));
  }
}

/** The strings of a font, and added strings. */
class Strings {
  readonly #font: CffFont;
  readonly #numbers = new Map<string, number>();
  readonly #added: Uint8Array[] = [];

  constructor(font: CffFont) {
    this.#font = font;
    cffStrings().forEach((text, number) => {
      this.#numbers.set(text, number);
    });
    for (let at = 0; at < font.strings.count; at++) {
      this.#numbers.set(Buffer.from(font.strings.at(at)).toString("latin1"), cffStrings().length + at);
    }
  }

  numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = cffStrings().length + this.#font.strings.count + this.#added.length;
    this.#added.push(Buffer.from(text, "latin1"));
    this.#numbers.set(text, number);
    return number;
  }

  index(): Uint8Array {
    const { strings } = this.#font;
    if (this.#added.length === 0) return indexBytes(this.#font.bytes, strings);
    const all = Array.from({ length: strings.count }, (_, at) => strings.at(at));
    return writeIndex([...all, ...this.#added]);
  }
}
