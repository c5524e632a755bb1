// Maps the codes of a PDF font to glyphs of a CFF or Type 1 program, by every rule that readers use (ISO 32000-1,
// 9.6.6.2 and 9.7.4.2).
import { builtInEncoding, type CffFont, glyphNames } from "../../fonts/cff/cff.ts";
import type { EmbeddedCff } from "../../fonts/cff/subset-cff.ts";
import { type Encoding, NOTDEF, standardEncoding } from "../../fonts/names/glyph-names.ts";
import { hasPlainEncoding, type Type1Font } from "../../fonts/type1/type1.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import type { Value } from "../../objects/values.ts";
import { readSimpleEncoding } from "../../text/simple-encoding.ts";

/** Codes up to this value show nothing unless they have a glyph name. */
const LAST_SPACE = 0x20;
const BLANK = new Set([undefined, NOTDEF, "space"]);
const NO_NAMES: Encoding = [];

/** A program whose glyphs have names. */
export interface NamedFont {
  /** The name of each glyph. */
  readonly names: readonly string[];
  /** The built-in encoding: glyph names by code. */
  readonly own: Encoding;
  /** True if readers look up codes that have no declared name in `own`. */
  readonly isOwnKnown: boolean;
}

/**
 * @returns undefined for a CID font
 * @throws RangeError if a name points outside the program data
 */
export function namesOfCff({ font, isWrapped }: EmbeddedCff): NamedFont | undefined {
  if (font.isCid) return undefined;
  const names = glyphNames(font);
  // In an OpenType font, readers look up codes without a name by character. The expert encoding is not implemented
  // here.
  return { names, own: builtInEncoding(font, names), isOwnKnown: !isWrapped && font.encodingPlace !== 1 };
}

export function namesOfType1(font: Type1Font): NamedFont {
  return { names: [...font.glyphs.keys()], own: font.encoding, isOwnKnown: hasPlainEncoding(font) };
}

/**
 * Returns the glyphs of a font with one-byte codes.
 * @param encoding the Encoding entry of the font
 * @returns undefined if a reader might look up a glyph in another way than by name
 */
export function namedGlyphs(
  file: PdfFile,
  { names, own, isOwnKnown }: NamedFont,
  encoding: Value | undefined,
  codes: Iterable<number>,
): Set<number> | undefined {
  const byName = new Map<string, number[]>();
  names.forEach((name, glyph) => {
    const known = byName.get(name);
    if (known) known.push(glyph);
    else byName.set(name, [glyph]);
  });
  const declaredNames = readSimpleEncoding(file, encoding, NO_NAMES).names;
  const found = new Set<number>();
  for (const code of codes) {
    // Readers differ in which of these three names they use.
    const candidates = [declaredNames[code], own[code], standardEncoding()[code]];
    const name = candidates.find((one) => one !== undefined);
    const isBlank = code <= LAST_SPACE && BLANK.has(name);
    // A reader might find the glyph by another name.
    if (!isBlank && (name === undefined || !byName.has(name) || !(isOwnKnown || declaredNames[code]))) return undefined;
    for (const one of candidates) for (const glyph of byName.get(one ?? NOTDEF) ?? []) found.add(glyph);
  }
  return found;
}

/** Returns the glyphs of a CIDFont. */
export function numberedGlyphs({ font, isWrapped }: EmbeddedCff, cids: ReadonlySet<number>): Set<number> {
  // In OpenType fonts, some readers use the CID as the glyph number.
  const found = font.isCid && !isWrapped ? new Set<number>() : new Set(cids);
  if (font.isCid) for (const glyph of glyphsOfCids(font, cids)) found.add(glyph);
  return found;
}

function* glyphsOfCids({ charset }: CffFont, cids: ReadonlySet<number>): Generator<number> {
  for (let glyph = 0; glyph < charset.length; glyph++) if (cids.has(charset[glyph]!)) yield glyph;
}
