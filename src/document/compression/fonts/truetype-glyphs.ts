// Maps the codes of a PDF font to glyphs of a TrueType program, and collects the lookups in its cmap (ISO 32000-1,
// 9.6.6.4 and 9.7.4.2).
import { SYMBOL_BASES } from "../../fonts/symbolic.ts";
import type { CmapSubtable } from "../../fonts/truetype/cmap.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, type Value } from "../../objects/values.ts";

/** Decoders of the standard encodings WinAnsiEncoding and MacRomanEncoding (annex D). */
const DECODERS = ["windows-1252", "macintosh"].map((label) => new TextDecoder(label));
const MAX_MAP_BYTES = 1 << 17;
/** Codes up to this value show nothing. */
const LAST_SPACE = 0x20;
const IDENTITY = new Set(["Identity-H", "Identity-V"]);

/**
 * Returns the glyphs of a Type 0 font.
 * @param inner its descendant font
 * @param codes two-byte codes
 * @returns undefined if the mapping requires a CMap
 */
export function compositeGlyphs(
  file: PdfFile,
  font: Dictionary,
  inner: Dictionary,
  codes: Iterable<number>,
): Set<number> | undefined {
  const map = inner.get("CIDToGIDMap");
  const isIdentity = map === undefined || file.name(map) === "Identity";
  const glyphOf = isIdentity ? (code: number) => code : glyphMap(file, map);
  if (!IDENTITY.has(file.name(font.get("Encoding")) ?? "") || !glyphOf) return undefined;
  return new Set(Array.from(codes, glyphOf));
}

function glyphMap(file: PdfFile, map: Value): ((code: number) => number) | undefined {
  try {
    const bytes = file.stream(map)?.body.decoded(MAX_MAP_BYTES);
    return bytes && ((code) => ((bytes[code * 2] ?? 0) << 8) | (bytes[code * 2 + 1] ?? 0));
  } catch {
    return undefined;
  }
}

interface Lookups {
  readonly glyphs: ReadonlySet<number>;
  readonly characters: ReadonlySet<number>;
}

/**
 * Returns the glyphs and characters that readers might look up, for a font with one-byte codes.
 * @returns undefined if a reader might look up a glyph in another way than through the cmap
 */
export function simpleLookups(
  file: PdfFile,
  font: Dictionary,
  maps: readonly CmapSubtable[],
  codes: Iterable<number>,
): Lookups | undefined {
  const encoding = file.resolve(font.get("Encoding"));
  // A Differences array can select any glyph by name.
  if (encoding instanceof Dictionary && encoding.has("Differences")) return undefined;
  if (maps.length === 0) return undefined;
  const found = { glyphs: new Set<number>(), characters: new Set<number>() };
  for (const code of codes) {
    const characters = [...charactersOf(code)];
    const glyphs = characters.flatMap((character) => maps.map(({ glyphOf }) => glyphOf(character)));
    // A reader might find the glyph by its name.
    if (code > LAST_SPACE && glyphs.every((glyph) => glyph === 0)) return undefined;
    for (const glyph of glyphs) found.glyphs.add(glyph);
    for (const character of characters) found.characters.add(character);
  }
  return found;
}

/** Returns all characters that readers might look up for a code. */
function charactersOf(code: number): Set<number> {
  const characters = new Set(SYMBOL_BASES.map((base) => base + code));
  for (const decoder of DECODERS) characters.add(decoder.decode(Uint8Array.of(code)).codePointAt(0) ?? code);
  for (const character of [...characters]) for (const other of macCodes(character)) characters.add(other);
  return characters;
}

let codesOfMac: Map<number, number> | undefined;

/** Returns the MacRomanEncoding codes of a character, which are the keys of a Macintosh cmap subtable. */
function macCodes(character: number): number[] {
  codesOfMac ??= new Map(
    Array.from({ length: 256 }, (_, code) => [DECODERS[1]!.decode(Uint8Array.of(code)).codePointAt(0) ?? 0, code]),
  );
  const code = codesOfMac.get(character);
  return code === undefined ? [] : [code];
}
