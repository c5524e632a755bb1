// Makes fonts with the characters of Symbol, Wingdings, Wingdings 2, Wingdings 3 and Webdings at their codes, from Noto's
// symbols. Documents use these codes as U+F020 to U+F0FF, or as the characters of Windows-1252.
import { codePoint } from "dingbat-to-unicode";
import { type SymbolFont, symbolFileOf } from "../../src/document/fonts/replacements/symbols.ts";
import { readCmap } from "../../src/document/fonts/truetype/cmap.ts";
import { type Contours, contoursOf, movePoints } from "../../src/document/fonts/truetype/contours.ts";
import { makeFont } from "../../src/document/fonts/truetype/made-font.ts";
import { subsetCmap } from "../../src/document/fonts/truetype/subset-truetype.ts";
import {
  advanceWidth,
  readTrueType,
  type TrueTypeFont,
  unitsPerEm,
} from "../../src/document/fonts/truetype/truetype.ts";
import { openFace } from "../../src/document/pdfa/fonts/face.ts";
import type { MadeFile } from "./fitted-fonts.ts";

/** Files with the symbols, in the order of preference. The last ones have the letters of Symbol. */
const PICTURES = ["NotoSansSymbols2-Regular", "NotoSansSymbols-Regular", "NotoSansMath-Regular", "DejaVuSans"];
const LETTERS = ["LiberationSerif-Regular", "DejaVuSerif", ...PICTURES];
/** Font with the widths of Symbol. */
const SYMBOL_WIDTHS = "StandardSymbolsPS";
/** Of fonts with one name, engines prefer those of medium width: a font that a document embeds, or an installed one. */
const SEMI_CONDENSED = 4;
const PRIVATE_USE = 0xf000;
const CODES = { first: 0x20, last: 0xff };

/** Symbols that the fonts have under another code point. */
const OTHERS = new Map([
  [0x3008, 0x27e8],
  [0x3009, 0x27e9],
]);

/** Bullets that LibreOffice sets as characters of Unicode (bullets.cpp), so that PDFs have their text. */
const BULLETS = new Set([0x2022, 0x25aa]);

interface Symbols {
  readonly font: TrueTypeFont;
  readonly glyphOf: (code: number) => number;
}

/**
 * @param read returns the bytes of a font file by its name without extension
 * @throws Error if a font is missing
 */
export function makeSymbols(symbols: SymbolFont, read: (name: string) => Uint8Array): MadeFile {
  const {
    names: [family],
    lines,
  } = symbols;
  const isSymbol = family === "Symbol";
  const fonts = (isSymbol ? LETTERS : PICTURES).map((name) => openSymbols(name, read(name)));
  const widthOf: (symbol: number) => number | undefined = isSymbol ? widthsBy(read(SYMBOL_WIDTHS)) : () => undefined;
  const [base] = fonts as [Symbols];
  const glyphs: { contours: Contours; advance: number }[] = [
    { contours: { ends: [], points: [] }, advance: unitsPerEm(base.font) / 2 },
  ];
  const places = new Map<number, number>();
  for (let code = CODES.first; code <= CODES.last; code++) {
    const symbol = codePoint(family, code)?.codePoint;
    const glyph = symbol && symbolGlyph(fonts, OTHERS.get(symbol) ?? symbol, unitsPerEm(base.font), widthOf(symbol));
    if (!glyph) continue;
    for (const character of charactersOf(code)) places.set(character, glyphs.length);
    if (BULLETS.has(symbol)) places.set(symbol, glyphs.length);
    glyphs.push(glyph);
  }
  const map = { platform: 3, encoding: 1, glyphOf: (code: number) => places.get(code) ?? 0 };
  const cmap = subsetCmap([map], new Set(places.keys()));
  const bytes = makeFont(base.font, {
    names: { family, style: "Regular" },
    glyphs,
    cmap,
    lines,
    widthClass: SEMI_CONDENSED,
  });
  if (!bytes) throw new Error(`${family} could not be made.`);
  return { name: symbolFileOf(symbols), bytes };
}

function openSymbols(name: string, bytes: Uint8Array): Symbols {
  const font = readTrueType(bytes);
  const maps = font && readCmap(font);
  if (!font || !maps) throw new Error(`${name} is not a TrueType font.`);
  return { font, glyphOf: (code) => maps.reduce((found, { glyphOf }) => found || glyphOf(code), 0) };
}

/** Returns the width of a symbol in a font, in thousandths of the font size. */
function widthsBy(bytes: Uint8Array): (symbol: number) => number | undefined {
  const face = openFace(SYMBOL_WIDTHS, bytes, 0);
  return (symbol) => {
    const glyph = face?.glyphOf(String.fromCodePoint(symbol)) ?? 0;
    return face && glyph > 0 ? face.widthOf(glyph) : undefined;
  };
}

/**
 * @param units units per em of the made font
 * @param width wanted advance width in thousandths of the font size
 */
function symbolGlyph(fonts: readonly Symbols[], symbol: number, units: number, width: number | undefined) {
  for (const { font, glyphOf } of fonts) {
    const glyph = glyphOf(symbol);
    const contours = glyph === 0 ? undefined : contoursOf(font, glyph);
    if (!contours) continue;
    const scale = units / unitsPerEm(font);
    const own = advanceWidth(font, glyph) * scale;
    const advance = width === undefined ? own : (width * units) / 1000;
    const stretch = own === 0 ? 1 : advance / own;
    const moved = movePoints(contours, ({ x, y }) => [x * scale * stretch, y * scale]);
    return { contours: moved, advance: Math.round(advance) };
  }
  return undefined;
}

/** Returns the characters by which documents use a code. */
function charactersOf(code: number): number[] {
  const character = windows1252.decode(Uint8Array.of(code)).codePointAt(0)!;
  return [...new Set([PRIVATE_USE + code, character, code])];
}

const windows1252 = new TextDecoder("windows-1252");
