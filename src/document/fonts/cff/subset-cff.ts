// Subsets a CFF font, either bare or inside an OpenType font (Adobe Technical Notes 5176 and 5177). Unused glyphs
// become empty, and unused subroutines contain only a `return`. All glyphs keep their numbers, names and order, and all
// other data keeps its offset. Freed bytes become zeros, which compress to almost nothing.

import { standardEncoding } from "../names/glyph-names.ts";
import { checksum, MAGIC } from "../truetype/subset-truetype.ts";
import { viewOf } from "../truetype/truetype.ts";
import { type CffFont, cffTable, glyphNames, readCff, subFontOf, TOP } from "./cff.ts";
import { type Index, writeIndex } from "./syntax.ts";
import { addUsedSubrs, CharStringWalk } from "./used-subroutines.ts";

const OTTO = 0x4f54544f;
const HEAD = 0x68656164;
const RETURN = Uint8Array.of(11);
const ENDCHAR = Uint8Array.of(14);

/** A CFF font, as embedded in a PDF. */
export interface EmbeddedCff {
  readonly font: CffFont;
  /** True for a table in an OpenType font. */
  readonly isWrapped: boolean;
}

/** @returns undefined if the font is missing or damaged */
export function readEmbeddedCff(bytes: Uint8Array): EmbeddedCff | undefined {
  if (bytes.length < 12) return undefined;
  const isWrapped = viewOf(bytes).getUint32(0) === OTTO;
  const table = isWrapped ? cffTable(bytes) : bytes;
  const font = table && readCff(table);
  return font && { font, isWrapped };
}

/**
 * @param glyphs the used glyphs
 * @returns undefined if a subset would save nothing, or the font has an unexpected structure
 */
export function subsetCff(bytes: Uint8Array, glyphs: ReadonlySet<number>): Uint8Array | undefined {
  const embedded = readEmbeddedCff(bytes);
  if (!embedded) return undefined;
  const { font, isWrapped } = embedded;
  try {
    const table = emptied(font, glyphs);
    if (!table) return undefined;
    return isWrapped ? rewrapped(bytes, font.bytes, table) : table;
  } catch (error) {
    // An INDEX entry is outside the INDEX.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function emptied(font: CffFont, glyphs: ReadonlySet<number>): Uint8Array | undefined {
  // Type 1 charstrings use other operators.
  if ((font.top.number(TOP.charStringType) ?? 2) !== 2) return undefined;
  if (font.fdSelect?.some((number) => number >= font.subFonts.length)) return undefined;
  const used = usedParts(font, glyphs);
  if (!used) return undefined;
  const made = new Uint8Array(font.bytes);
  let isChanged = fill(made, font.charStrings, used.glyphs, ENDCHAR);
  for (const { index, used: numbers } of used.subrs.values()) {
    if (fill(made, index, numbers, RETURN)) isChanged = true;
  }
  const read = isChanged ? readCff(made) : undefined;
  return read && isSame(font, read, used) ? made : undefined;
}

interface Used {
  readonly glyphs: ReadonlySet<number>;
  /** Used subroutines, by the offset of their INDEX: several FDs can share an INDEX. */
  readonly subrs: ReadonlyMap<number, UsedSubrs>;
}

interface UsedSubrs {
  readonly index: Index;
  readonly used: Set<number>;
}

/** @returns undefined if the used parts cannot be determined */
function usedParts(font: CffFont, wanted: ReadonlySet<number>): Used | undefined {
  const subrs = new Map<number, UsedSubrs>();
  const usedOf = (index: Index): UsedSubrs => {
    const known = subrs.get(index.start) ?? { index, used: new Set<number>() };
    subrs.set(index.start, known);
    return known;
  };
  const global = usedOf(font.globalSubrs);
  const { subFonts } = font;
  for (const { subrs: local } of subFonts) if (local.count > 0) usedOf(local);
  const walk = new CharStringWalk(font.bytes.length);
  const glyphs = new Set<number>();
  const waiting = [0, ...wanted];
  const known = new Set<number>();
  let names: string[] | undefined;
  for (let glyph = waiting.pop(); glyph !== undefined; glyph = waiting.pop()) {
    if (glyphs.has(glyph) || glyph >= font.charStrings.count) continue;
    glyphs.add(glyph);
    const { subrs: local } = subFontOf(font, glyph);
    const own = local.count > 0 ? usedOf(local) : { index: local, used: new Set<number>() };
    if (!addUsedSubrs(font.charStrings.at(glyph), own, global, walk)) return undefined;
    if (walk.parts.size === 0) continue;
    // An accented glyph refers to its components by codes of the standard encoding, which stand for glyph names. A CID
    // font has no glyph names.
    if (font.isCid) return undefined;
    names ??= glyphNames(font);
    // `parts` also contains the components of earlier glyphs, which are already included.
    for (const code of walk.parts) {
      if (known.has(code)) continue;
      const part = names.indexOf(standardEncoding()[code] ?? "");
      if (part < 0) return undefined;
      known.add(code);
      waiting.push(part);
    }
  }
  return { glyphs, subrs };
}

/** @returns true if an entry has changed */
function fill(bytes: Uint8Array, index: Index, kept: ReadonlySet<number>, filler: Uint8Array): boolean {
  let isChanged = false;
  const entries = Array.from({ length: index.count }, (_, number) => {
    const entry = index.at(number);
    if (kept.has(number) || entry.length <= filler.length) return entry;
    isChanged = true;
    return filler;
  });
  if (!isChanged) return false;
  const written = writeIndex(entries);
  if (written.length > index.end - index.start) throw new RangeError("an INDEX with less in it became longer");
  bytes.fill(0, index.start, index.end).set(written, index.start);
  return true;
}

/**
 * Reports whether the used entries are unchanged. In a damaged font, entries can overlap, so that emptying one damages
 * another.
 */
function isSame(font: CffFont, made: CffFont, { glyphs, subrs }: Used): boolean {
  const equal = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
  const equalList = (one: Index, other: Index, kept: Iterable<number>) => {
    if (one.count !== other.count || one.start !== other.start) return false;
    for (const number of kept) if (!equal(one.at(number), other.at(number))) return false;
    return true;
  };
  const all = (count: number) => Array.from({ length: count }, (_, number) => number);
  const charset = (of: CffFont) => Buffer.from(of.charset.buffer, of.charset.byteOffset, of.charset.byteLength);
  const encoding = ({ encodingPlace: place, bytes }: CffFont) =>
    typeof place === "object" ? bytes.subarray(place.start, place.end) : Uint8Array.of(place);
  const dicts = (of: CffFont) =>
    [of.top, ...of.subFonts.flatMap(({ dict, private: own }) => [dict, own])]
      .flatMap(({ entries }) => entries.map(({ operator, raw }) => `${operator} ${Buffer.from(raw).toString("hex")}`))
      .join();
  return (
    equalList(font.charStrings, made.charStrings, glyphs) &&
    equalList(font.strings, made.strings, all(font.strings.count)) &&
    equalList(font.globalSubrs, made.globalSubrs, subrs.get(font.globalSubrs.start)!.used) &&
    font.subFonts.length === made.subFonts.length &&
    font.subFonts.every(({ subrs: local }, at) =>
      equalList(local, made.subFonts[at]!.subrs, subrs.get(local.start)?.used ?? []),
    ) &&
    equal(charset(font), charset(made)) &&
    equal(encoding(font), encoding(made)) &&
    equal(font.fdSelect ?? RETURN, made.fdSelect ?? RETURN) &&
    dicts(font) === dicts(made)
  );
}

/** Returns the OpenType font with its CFF table replaced in place. @returns undefined if tables overlap */
function rewrapped(bytes: Uint8Array, original: Uint8Array, table: Uint8Array): Uint8Array | undefined {
  const start = original.byteOffset - bytes.byteOffset;
  const end = start + original.length;
  const made = new Uint8Array((bytes.length + 3) & ~3);
  made.set(bytes);
  const view = viewOf(made);
  const directoryEnd = 12 + 16 * view.getUint16(4);
  if (start < directoryEnd || start % 4 !== 0) return undefined;
  made.set(table, start);
  let head = 0;
  for (let at = 12; at < directoryEnd; at += 16) {
    const [offset, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
    if (offset === start) view.setUint32(at + 4, checksum(view, start, (end - start + 3) & ~3));
    else if (offset < end && offset + length > start) return undefined;
    if (view.getUint32(at) === HEAD) head = offset;
  }
  if (head > 0 && head + 12 <= made.length) {
    view.setUint32(head + 8, 0);
    view.setUint32(head + 8, (MAGIC - checksum(view, 0, made.length)) >>> 0);
  }
  return made;
}
