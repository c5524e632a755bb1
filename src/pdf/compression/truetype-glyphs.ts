// Which glyphs of a TrueType font the codes of a PDF's font lead to, and what is looked up in its character maps (ISO 32000-1, 9.6.6.4
// and 9.7.4.2). Knows no outlines.
import { SYMBOL_BASES } from "../../fonts/symbolic.ts";
import type { CharacterMap } from "../../fonts/truetype/maps.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, type Value } from "../objects/values.ts";

/** Tables of standard encodings that text decoders know: WinAnsiEncoding and MacRomanEncoding (annex D). */
const DECODERS = ["windows-1252", "macintosh"].map((label) => new TextDecoder(label));
const MAX_MAP_BYTES = 1 << 17;
/** Codes up to it show nothing. */
const LAST_SPACE = 0x20;
const IDENTITY = new Set(["Identity-H", "Identity-V"]);

/**
 * Of a Type 0 font.
 * @param inner the font within it
 * @param codes of two bytes
 * @returns undefined where that takes a CMap
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
 * Of a font with codes of one byte.
 * @returns undefined where glyphs are looked for in other ways
 */
export function simpleLookups(
  file: PdfFile,
  font: Dictionary,
  maps: readonly CharacterMap[],
  codes: Iterable<number>,
): Lookups | undefined {
  const encoding = file.resolve(font.get("Encoding"));
  // Names of glyphs could lead to any.
  if (encoding instanceof Dictionary && encoding.has("Differences")) return undefined;
  if (maps.length === 0) return undefined;
  const found = { glyphs: new Set<number>(), characters: new Set<number>() };
  for (const code of codes) {
    const characters = [...charactersOf(code)];
    const glyphs = characters.flatMap((character) => maps.map(({ glyphOf }) => glyphOf(character)));
    // A reader may find it by its name.
    if (code > LAST_SPACE && glyphs.every((glyph) => glyph === 0)) return undefined;
    for (const glyph of glyphs) found.glyphs.add(glyph);
    for (const character of characters) found.characters.add(character);
  }
  return found;
}

/** All that a code can be looked up as. */
function charactersOf(code: number): Set<number> {
  const characters = new Set(SYMBOL_BASES.map((base) => base + code));
  for (const decoder of DECODERS) characters.add(decoder.decode(Uint8Array.of(code)).codePointAt(0) ?? code);
  for (const character of [...characters]) for (const other of macCodes(character)) characters.add(other);
  return characters;
}

let codesOfMac: Map<number, number> | undefined;

/** The code of a character in MacRomanEncoding, which a map for that platform is asked with. */
function macCodes(character: number): number[] {
  codesOfMac ??= new Map(
    Array.from({ length: 256 }, (_, code) => [DECODERS[1].decode(Uint8Array.of(code)).codePointAt(0) ?? 0, code]),
  );
  const code = codesOfMac.get(character);
  return code === undefined ? [] : [code];
}
