// Repairs simple fonts with TrueType programs (ISO 32000-1, 9.6.6.4; ISO 19005-2, 6.2.11.6). A font that breaks the
// rules for encodings becomes a symbolic font. Its only cmap subtable then maps each code to the glyph that the code
// showed before.
import { macRomanEncoding, spelledOut, standardEncoding, unicodeOfName } from "../../../fonts/names/glyph-names.ts";
import { asSymbolic, isSymbolic, SYMBOL_BASE, SYMBOL_BASES } from "../../../fonts/symbolic.ts";
import { type CmapSubtable, readCmap } from "../../../fonts/truetype/cmap.ts";
import { glyphsByName } from "../../../fonts/truetype/names.ts";
import { advanceWidth, type TrueTypeFont, unitsPerEm } from "../../../fonts/truetype/truetype.ts";
import { changeTrueType, symbolMap, type TrueTypeGlyph } from "../../../fonts/truetype/writer.ts";
import { type Dictionary, Name } from "../../../objects/values.ts";
import { hasSoundWidths, isInStep, setWidths, simpleWidths } from "../../../text/font-widths.ts";
import { readSimpleEncoding, type SimpleEncoding } from "../../../text/simple-encoding.ts";
import type { PdfaLevel } from "../../level.ts";
import { readProgram, setProgram } from "../font-program.ts";
import type { FontTask, RepairedProgram, ShownFont } from "../shown-font.ts";

/**
 * @param descriptor owned by the caller
 * @returns undefined if the program cannot be changed
 */
export function repairTrueType(
  task: FontTask,
  { font, codes }: ShownFont,
  descriptor: Dictionary,
  program: TrueTypeFont,
  isMisplaced: boolean,
): RepairedProgram | undefined {
  const { file, level } = task;
  const flags = file.number(descriptor.get("Flags"));
  const symbolic = isSymbolic(flags);
  const maps = readCmap(program) ?? [];
  const encoding = readSimpleEncoding(file, font.get("Encoding"), symbolic ? [] : standardEncoding());
  const finder = glyphFinder(program, maps, encoding, symbolic);
  const { glyphOf } = finder;
  const dictionaryWidth = simpleWidths(file, font);
  const scale = 1000 / unitsPerEm(program);
  const { advances, added, places } = settleGlyphs(program, codes, glyphOf, dictionaryWidth);

  const conforms = symbolic
    ? !font.has("Encoding") && (maps.length === 1 || (level.part > 1 && hasMap(maps, 3, 0)))
    : conformsWithNames(encoding, maps, level) && codes.every(({ code }) => finder.isNamed(code));
  const isRebuilt = added.length > 0 || !conforms;
  if (isRebuilt || advances.size > 0 || isMisplaced) {
    const cmap = isRebuilt ? symbolMap(completeGlyphs(places, program, glyphOf)) : undefined;
    const bytes = changeTrueType(program, { advances, added, cmap });
    const changed = bytes && readProgram(bytes);
    if (!changed) return undefined;
    setProgram(file, descriptor, changed, level);
  }
  if (isRebuilt) font.delete("Encoding");
  if (isRebuilt || (flags !== undefined && symbolic)) descriptor.set("Flags", asSymbolic(flags));
  font.set("Subtype", Name.of("TrueType"));
  if (!hasSoundWidths(file, font)) {
    const ownWidth = (code: number) => Math.round(advanceWidth(program, glyphOf(code)) * scale);
    setWidths(
      file,
      font,
      (code) => dictionaryWidth?.(code) ?? ownWidth(code),
      codes.map(({ code }) => code),
    );
  }
  const reverse = reverseMaps(maps);
  return {
    unicodeOf({ code }) {
      const name = encoding.names[code];
      const glyph = glyphOf(code);
      return textOfName(name) ?? reverse(glyph) ?? textOfName(finder.nameOf(glyph));
    },
    isChanged: isRebuilt,
  };
}

interface SettledGlyphs {
  /** New advance widths of the program's glyphs. */
  readonly advances: ReadonlyMap<number, number>;
  /** Copies of glyphs, for codes that show the same glyph with different widths. */
  readonly added: readonly TrueTypeGlyph[];
  /** Numbers of the added glyphs, by code. */
  readonly places: ReadonlyMap<number, number>;
}

/** Chooses the glyph and advance width of each code, so that they agree with the widths in the font dictionary. */
function settleGlyphs(
  program: TrueTypeFont,
  codes: ShownFont["codes"],
  glyphOf: GlyphFinder["glyphOf"],
  dictionaryWidth: ReturnType<typeof simpleWidths>,
): SettledGlyphs {
  const scale = 1000 / unitsPerEm(program);
  const advances = new Map<number, number>();
  const settled = new Map<number, number>();
  const added: TrueTypeGlyph[] = [];
  const places = new Map<number, number>();
  const addedPlaces = new Map<string, number>();
  const add = (code: number, source: number, width: number) => {
    const key = `${source} ${width}`;
    const known = addedPlaces.get(key);
    const place = known ?? program.glyphCount + added.length;
    if (known === undefined) added.push({ source, advance: width / scale });
    addedPlaces.set(key, place);
    places.set(code, place);
  };
  for (const { code } of codes) {
    const glyph = glyphOf(code);
    const own = advanceWidth(program, glyph) * scale;
    const width = dictionaryWidth?.(code) ?? own;
    if (glyph === 0 || glyph >= program.glyphCount) {
      add(code, 0, width);
      continue;
    }
    const set = settled.get(glyph);
    if (set === undefined) {
      settled.set(glyph, isInStep(width, own) ? own : width);
      if (!isInStep(width, own)) advances.set(glyph, width / scale);
    } else if (!isInStep(width, set)) add(code, glyph, width);
  }
  return { advances, added, places };
}

/** Adds the glyphs of codes that no text shows. */
function completeGlyphs(
  places: ReadonlyMap<number, number>,
  program: TrueTypeFont,
  glyphOf: GlyphFinder["glyphOf"],
): Map<number, number> {
  const all = new Map(places);
  for (let code = 0; code < 256; code++) {
    const glyph = glyphOf(code);
    if (!all.has(code) && glyph > 0 && glyph < program.glyphCount) all.set(code, glyph);
  }
  return all;
}

const textOfName = (name: string | undefined) => (name === undefined ? undefined : unicodeOfName(name));

function hasMap(maps: readonly CmapSubtable[], platform: number, encoding: number): boolean {
  return maps.some((map) => map.platform === platform && map.encoding === encoding);
}

/** Reports whether an encoding with names conforms (ISO 19005-1, 6.3.7; -2, 6.2.11.6). */
function conformsWithNames(encoding: SimpleEncoding, maps: readonly CmapSubtable[], { part }: PdfaLevel): boolean {
  const { baseName, differences } = encoding;
  if (baseName !== "WinAnsiEncoding" && baseName !== "MacRomanEncoding") return false;
  if (!maps.some(({ platform, encoding: kind }) => platform !== 3 || kind !== 0)) return false;
  if (differences.size === 0) return true;
  return part > 1 && hasMap(maps, 3, 1) && [...differences.values()].every((name) => unicodeOfName(name) !== undefined);
}

interface GlyphFinder {
  /** Returns the glyph of a code; 0 if there is none. */
  readonly glyphOf: (code: number) => number;
  /** Reports whether the code's name selects its glyph. */
  readonly isNamed: (code: number) => boolean;
  /** Returns the glyph's name in the program. */
  readonly nameOf: (glyph: number) => string | undefined;
}

/** @param symbolic true for a font in which glyph names apply only to codes that its own cmap lacks */
export function glyphFinder(
  program: TrueTypeFont,
  maps: readonly CmapSubtable[],
  { names }: SimpleEncoding,
  symbolic: boolean,
): GlyphFinder {
  const find = (platform: number, encoding: number) =>
    maps.find((map) => map.platform === platform && map.encoding === encoding)?.glyphOf;
  const [symbols, mac] = [find(3, 0), find(1, 0)];
  const unicode = find(3, 1) ?? find(3, 10) ?? maps.find(({ platform }) => platform === 0)?.glyphOf;
  const macCodes = new Map(macRomanEncoding().flatMap((name, code) => (name === undefined ? [] : [[name, code]])));
  const byName = glyphsByName(program);
  const byCode = (code: number) => {
    for (const base of symbols ? SYMBOL_BASES : []) {
      const glyph = symbols!(base + code);
      if (glyph > 0) return glyph;
    }
    return mac?.(code) || unicode?.(code) || unicode?.(SYMBOL_BASE + code) || 0;
  };
  const named = (name: string) => {
    const text = symbolic ? undefined : unicodeOfName(name);
    const character = text?.codePointAt(0);
    if (character !== undefined && unicode) {
      const glyph = unicode(character) || ([...text!].length === 1 ? unicode(OTHERS.get(character) ?? 0) : 0);
      if (glyph > 0) return glyph;
    }
    const macCode = symbolic ? undefined : macCodes.get(name);
    return (macCode !== undefined && mac?.(macCode)) || byName.get(name) || 0;
  };
  const ofName = names.map((name) => (name === undefined ? 0 : named(name)));
  const glyphs = Array.from({ length: 256 }, (_, code) => {
    // If the own cmap of a symbolic font maps a code, readers ignore the glyph name.
    if (symbolic && symbols && byCode(code) > 0) return byCode(code);
    return ofName[code] || byCode(code);
  });
  const namesOfGlyphs = new Map([...byName].map(([name, glyph]) => [glyph, name]));
  return {
    glyphOf: (code) => glyphs[code] ?? 0,
    isNamed: (code) => (ofName[code] ?? 0) > 0,
    nameOf: (glyph) => namesOfGlyphs.get(glyph),
  };
}

/** Pairs of similar characters, for fonts that contain only one of the two. */
const OTHERS = new Map([
  [0xa0, 0x20],
  [0xad, 0x2d],
  [0x2126, 0x3a9],
  [0x3a9, 0x2126],
  [0x2206, 0x394],
  [0x394, 0x2206],
  [0xb5, 0x3bc],
  [0x3bc, 0xb5],
  [0x2215, 0x2044],
  [0x2219, 0xb7],
]);

/**
 * Returns a function from glyphs to characters, based on a Unicode cmap. If several characters share a glyph, the
 * lowest one applies.
 */
export function reverseMaps(maps: readonly CmapSubtable[]): (glyph: number) => string | undefined {
  const unicode = maps.find(({ platform, encoding }) => platform === 0 || (platform === 3 && encoding !== 0));
  let table: Map<number, number> | undefined;
  return (glyph) => {
    if (!table) {
      table = new Map();
      for (const [character, found] of unicode?.entries() ?? []) {
        const isPrivate = character >= 0xd800 && character < 0xf900;
        if (character >= 0x20 && !isPrivate && character < (table.get(found) ?? 0x110000)) table.set(found, character);
      }
    }
    const character = table.get(glyph);
    return character === undefined ? undefined : spelledOut(String.fromCodePoint(character));
  };
}
