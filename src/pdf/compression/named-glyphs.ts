// Which glyphs of a CFF or Type 1 font the codes of a PDF's font lead to, in all the ways in which readers find them (ISO 32000-1,
// 9.6.6.2 and 9.7.4.2). Knows no outlines.
import { builtInEncoding, type CffFont, glyphNames } from "../../fonts/cff/cff.ts";
import type { EmbeddedCff } from "../../fonts/cff/subset-cff.ts";
import { type Encoding, NOTDEF, standardEncoding } from "../../fonts/names/glyph-names.ts";
import { hasPlainEncoding, type Type1Font } from "../../fonts/type1/type1.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Value } from "../objects/values.ts";
import { readSimpleEncoding } from "../text/simple-encoding.ts";

/** Codes up to it show nothing, unless they are given a name. */
const LAST_SPACE = 0x20;
const BLANK = new Set([undefined, NOTDEF, "space"]);
const NO_NAMES: Encoding = [];

/** A program whose glyphs have names. */
export interface NamedFont {
  /** By glyph. */
  readonly names: readonly string[];
  /** The encoding that comes with it. */
  readonly own: Encoding;
  /** Whether that is what readers go by where no name is given. */
  readonly isOwnKnown: boolean;
}

/**
 * @returns undefined for a CID font
 * @throws RangeError where a name lies outside of the program
 */
export function namesOfCff({ font, isWrapped }: EmbeddedCff): NamedFont | undefined {
  if (font.isCid) return undefined;
  const names = glyphNames(font);
  // Readers ask an OpenType font for characters where no name is given; what the expert encoding has is not known here.
  return { names, own: builtInEncoding(font, names), isOwnKnown: !isWrapped && font.encodingPlace !== 1 };
}

export function namesOfType1(font: Type1Font): NamedFont {
  return { names: [...font.glyphs.keys()], own: font.encoding, isOwnKnown: hasPlainEncoding(font) };
}

/**
 * Of a font with codes of one byte.
 * @param encoding the font's
 * @returns undefined where a glyph is looked for in other ways than by its name
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
  const given = readSimpleEncoding(file, encoding, NO_NAMES).names;
  const found = new Set<number>();
  for (const code of codes) {
    // Which of them counts is not the same for all readers.
    const candidates = [given[code], own[code], standardEncoding()[code]];
    const name = candidates.find((one) => one !== undefined);
    const isBlank = code <= LAST_SPACE && BLANK.has(name);
    // A reader may know the glyph by another name.
    if (!isBlank && (name === undefined || !byName.has(name) || !(isOwnKnown || given[code]))) return undefined;
    for (const one of candidates) for (const glyph of byName.get(one ?? NOTDEF) ?? []) found.add(glyph);
  }
  return found;
}

/** Of a CIDFont. */
export function numberedGlyphs({ font, isWrapped }: EmbeddedCff, cids: ReadonlySet<number>): Set<number> {
  // Of OpenType fonts some readers take the number for the glyph's.
  const found = font.isCid && !isWrapped ? new Set<number>() : new Set(cids);
  if (font.isCid) for (const glyph of glyphsOfCids(font, cids)) found.add(glyph);
  return found;
}

function* glyphsOfCids({ charset }: CffFont, cids: ReadonlySet<number>): Generator<number> {
  for (let glyph = 0; glyph < charset.length; glyph++) if (cids.has(charset[glyph])) yield glyph;
}
