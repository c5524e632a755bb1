// Repairs Type 0 fonts that have a font program (ISO 32000-1, 9.7). Every shown code then maps to a glyph, glyph widths
// equal the widths in the dictionary, and the CMap has the character collection of the CIDFont (ISO 19005-2, 6.2.11.3).
// The appearance stays the same.
import { type CffFont, cffWidth, glyphNames } from "../../../fonts/cff/cff.ts";
import { type CffGlyph, writeCff } from "../../../fonts/cff/writer.ts";
import { unicodeOfName } from "../../../fonts/names/glyph-names.ts";
import { readCmap } from "../../../fonts/truetype/cmap.ts";
import { advanceWidth, type TrueTypeFont, unitsPerEm } from "../../../fonts/truetype/truetype.ts";
import { changeTrueType, type TrueTypeGlyph } from "../../../fonts/truetype/writer.ts";
import type { PdfFile } from "../../../objects/pdf-file.ts";
import { type Dictionary, Name, type Value } from "../../../objects/values.ts";
import type { CharacterCode, CMap } from "../../../text/cmap.ts";
import { CidWidths, isInStep, withCidWidths } from "../../../text/font-widths.ts";
import { type FontProgram, plainStream, readProgram, setProgram } from "../font-program.ts";
import type { FontTask } from "../shown-font.ts";
import { reverseMaps } from "../simple/simple-truetype.ts";

/** The parts of a Type 0 font. The caller owns the dictionaries. */
export interface Composite {
  readonly inner: Dictionary;
  readonly descriptor: Dictionary;
  readonly codes: readonly CharacterCode[];
  readonly map: CMap;
}

export interface RepairedComposite {
  /** New CIDs by code, for codes that need another CID than the CMap has. */
  readonly moved: ReadonlyMap<number, number>;
  /** Returns the text of a code according to the program. */
  readonly unicodeOf: (code: CharacterCode) => string | undefined;
}

const MAX_MAP_BYTES = 2 * 65_536;

/** @returns undefined if the program cannot be changed, or does not suit this kind of font */
export function repairComposite(
  task: FontTask,
  font: Composite,
  program: FontProgram,
  isMisplaced: boolean,
): RepairedComposite | undefined {
  if (program.kind === "truetype") return repairTrueTypeCids(task, font, program.font, isMisplaced);
  if (program.kind === "cff" && task.file.name(font.inner.get("Subtype")) !== "CIDFontType2") {
    const glyphOf = program.font.isCid ? undefined : glyphMapOf(task.file, font.inner);
    if (!glyphOf) return repairCffCids(task, font, program, isMisplaced);
    const ordered = inOrderOfCids(program.font, font, glyphOf);
    return ordered && repairCffCids(task, font, ordered, true);
  }
  return undefined;
}

/**
 * Returns a function that maps CIDs to glyphs as CIDToGIDMap defines (table 117); undefined unless this entry is a
 * stream.
 */
export function glyphMapOf(file: PdfFile, inner: Dictionary): ((cid: number) => number) | undefined {
  const stream = file.stream(inner.get("CIDToGIDMap"));
  if (!stream) return undefined;
  const bytes = stream.body.decoded(MAX_MAP_BYTES);
  return (cid) => ((bytes[cid * 2] ?? 0) << 8) | (bytes[cid * 2 + 1] ?? 0);
}

function repairTrueTypeCids(
  { file, level }: FontTask,
  { inner, descriptor, codes, map }: Composite,
  program: TrueTypeFont,
  isMisplaced: boolean,
): RepairedComposite | undefined {
  const listed = glyphMapOf(file, inner);
  const glyphOf = listed ?? ((cid: number) => cid);
  const widths = new CidWidths(file, inner);
  const { advances, added, places, moved, newWidths } = placeCodes(program, { codes, map }, glyphOf, widths);
  if (advances.size > 0 || added.length > 0 || isMisplaced) {
    const bytes = changeTrueType(program, { advances, added });
    const changed = bytes && readProgram(bytes);
    if (!changed) return undefined;
    setProgram(file, descriptor, changed, level);
  }
  if (places.size > 0) {
    const size = Math.max(...places.keys(), listed ? storedCids(file, inner) : program.glyphCount - 1) + 1;
    inner.set(
      "CIDToGIDMap",
      glyphStream(file, size, (cid) => places.get(cid) ?? glyphOf(cid), program.glyphCount + added.length),
    );
  } else if (!listed) inner.set("CIDToGIDMap", Name.of("Identity"));
  if (newWidths.size > 0) inner.set("W", withCidWidths(listOf(file, inner), newWidths));
  inner.set("Subtype", Name.of("CIDFontType2"));
  const reverse = reverseMaps(readCmap(program) ?? []);
  return { moved, unicodeOf: ({ code, bytes }) => reverse(glyphOf(map.cidOf(code, bytes) ?? 0)) };
}

interface Placed {
  /** New advance widths of the program's glyphs. */
  readonly advances: ReadonlyMap<number, number>;
  readonly added: readonly TrueTypeGlyph[];
  /** New glyphs, by CID. */
  readonly places: ReadonlyMap<number, number>;
  /** New CIDs, by code. */
  readonly moved: ReadonlyMap<number, number>;
  /** Widths of the new CIDs. */
  readonly newWidths: ReadonlyMap<number, number>;
}

/** Finds a glyph with the right width for each code. */
function placeCodes(
  program: TrueTypeFont,
  { codes, map }: Pick<Composite, "codes" | "map">,
  glyphOf: (cid: number) => number,
  widths: CidWidths,
): Placed {
  const scale = 1000 / unitsPerEm(program);
  const advances = new Map<number, number>();
  const settled = new Map<number, number>();
  const added: TrueTypeGlyph[] = [];
  const places = new Map<number, number>();
  const moved = new Map<number, number>();
  const newWidths = new Map<number, number>();
  const place = (source: number, width: number) => {
    added.push({ source, advance: width / scale });
    return program.glyphCount + added.length - 1;
  };
  let free =
    1 + codes.reduce((most, code) => Math.max(most, map.cidOf(code.code, code.bytes) ?? 0), program.glyphCount);
  let notdefPlace: number | undefined;
  for (const code of codes) {
    const cid = map.cidOf(code.code, code.bytes) ?? 0;
    const glyph = glyphOf(cid);
    const width = widths.of(cid);
    if (cid === 0) {
      // CID 0 is always .notdef, so the code needs another CID.
      notdefPlace ??= place(glyph < program.glyphCount ? glyph : 0, width);
      moved.set(code.code, free);
      newWidths.set(free, width);
      places.set(free++, notdefPlace);
      continue;
    }
    if (places.has(cid)) continue;
    if (glyph >= program.glyphCount || glyph === 0) {
      places.set(cid, place(0, width));
      continue;
    }
    const own = advanceWidth(program, glyph) * scale;
    const set = settled.get(glyph);
    if (set === undefined) {
      settled.set(glyph, isInStep(width, own) ? own : width);
      if (!isInStep(width, own)) advances.set(glyph, width / scale);
    } else if (!isInStep(width, set)) places.set(cid, place(glyph, width));
  }
  return { advances, added, places, moved, newWidths };
}

const listOf = (file: PdfFile, inner: Dictionary): readonly Value[] => file.array(inner.get("W")) ?? [];

function storedCids(file: PdfFile, inner: Dictionary): number {
  return (file.stream(inner.get("CIDToGIDMap"))?.body.decoded(MAX_MAP_BYTES).length ?? 0) / 2 - 1;
}

export function glyphStream(file: PdfFile, size: number, glyphOf: (cid: number) => number, glyphCount: number) {
  const bytes = new Uint8Array(Math.min(65_536, Math.ceil(size)) * 2);
  for (let cid = 0; cid * 2 < bytes.length; cid++) {
    const glyph = glyphOf(cid);
    if (glyph >= glyphCount) continue;
    bytes[cid * 2] = glyph >> 8;
    bytes[cid * 2 + 1] = glyph & 0xff;
  }
  return file.add(plainStream(file, bytes));
}

/**
 * Sorts the glyphs of a program by CID, so that the font needs no CIDToGIDMap. Only CIDFontType2 fonts can have this
 * entry (table 117), but viewers apply it to OpenType programs too.
 */
function inOrderOfCids(
  font: CffFont,
  { codes, map }: Composite,
  glyphOf: (cid: number) => number,
): (FontProgram & { kind: "cff" }) | undefined {
  const names = glyphNames(font);
  const shown = new Set(codes.map(({ code, bytes }) => map.cidOf(code, bytes) ?? 0));
  const used = new Set<string>();
  const glyphs = Array.from({ length: Math.max(0, ...shown) + 1 }, (_, cid): CffGlyph => {
    const glyph = shown.has(cid) ? glyphOf(cid) : 0;
    if (cid === 0 || glyph === 0 || glyph >= names.length) {
      return { source: 0, identity: cid === 0 ? names[0]! : `nothing${cid}`, width: undefined };
    }
    // A suffix after a full stop does not change the character that a glyph name means.
    const identity = used.has(names[glyph]!) ? `${names[glyph]}.${cid}` : names[glyph]!;
    used.add(identity);
    return { source: glyph, identity, width: undefined };
  });
  const bytes = writeCff(font, glyphs, { keepsEncoding: false });
  const program = bytes && readProgram(bytes);
  return program?.kind === "cff" ? program : undefined;
}

function repairCffCids(
  { file, level }: FontTask,
  { inner, descriptor, codes, map }: Composite,
  program: FontProgram & { kind: "cff" },
  isMisplaced: boolean,
): RepairedComposite | undefined {
  const { font } = program;
  const glyphs = cffGlyphs(font);
  const widths = new CidWidths(file, inner);
  const set = new Map<number, number>();
  const added: CffGlyph[] = [];
  const moved = new Map<number, number>();
  const newWidths = new Map<number, number>();
  const names = font.isCid ? undefined : glyphNames(font);
  let free = 1 + codes.reduce((most, code) => Math.max(most, map.cidOf(code.code, code.bytes) ?? 0), 0);
  for (const cid of glyphs.keys()) free = Math.max(free, cid + 1);
  // In a program without CIDs, the CID of a glyph is its number.
  if (!font.isCid) free = font.charStrings.count;
  for (const code of codes) {
    const cid = map.cidOf(code.code, code.bytes) ?? 0;
    const glyph = glyphs.get(cid);
    const width = widths.of(cid);
    if (glyph !== undefined && cid !== 0) {
      const own = cffWidth(font, glyph);
      if (own !== undefined && !isInStep(width, own)) set.set(glyph, width);
      continue;
    }
    const target = font.isCid && cid !== 0 ? cid : free++;
    if (target > 0xffff) return undefined;
    glyphs.set(target, -1);
    added.push({ source: 0, identity: font.isCid ? target : `nothing${target}`, width });
    if (target === cid) continue;
    moved.set(code.code, target);
    newWidths.set(target, width);
  }
  if (set.size > 0 || added.length > 0) {
    const all: CffGlyph[] = Array.from(font.charset, (identity, source) => {
      return { source, identity: names ? names[source]! : identity, width: set.get(source) };
    });
    const bytes = writeCff(font, [...all, ...added], { keepsEncoding: true });
    const changed = bytes && readProgram(bytes);
    if (!changed) return undefined;
    setCidProgram(file, descriptor, changed, level);
  } else if (isMisplaced) setCidProgram(file, descriptor, program, level);
  if (newWidths.size > 0) inner.set("W", withCidWidths(listOf(file, inner), newWidths));
  inner.set("Subtype", Name.of("CIDFontType0"));
  inner.delete("CIDToGIDMap");
  const unicodeOf = ({ code, bytes }: CharacterCode) => {
    const name = names?.[map.cidOf(code, bytes) ?? 0];
    return name === undefined ? undefined : unicodeOfName(name);
  };
  return { moved, unicodeOf };
}

/**
 * Sets the program. In a CIDFont, even a program without CIDs has the subtype CIDFontType0C (ISO 32000-1, table 126).
 */
function setCidProgram(file: PdfFile, descriptor: Dictionary, program: FontProgram, level: FontTask["level"]): void {
  setProgram(file, descriptor, program, level);
  const stream = file.dictionary(descriptor.get("FontFile3"));
  if (stream && file.name(stream.get("Subtype")) === "Type1C") stream.set("Subtype", Name.of("CIDFontType0C"));
}

/** Returns the glyph numbers by CID. */
export function cffGlyphs({ isCid, charset }: CffFont): Map<number, number> {
  const glyphs = new Map<number, number>();
  charset.forEach((cid, glyph) => {
    if (!isCid) glyphs.set(glyph, glyph);
    else if (!glyphs.has(cid)) glyphs.set(cid, glyph);
  });
  return glyphs;
}
