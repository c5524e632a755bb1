// Declares the fonts of symbols that container/fonts makes under the names of the fonts that they replace.

export interface SymbolFont {
  /** Name of the family, then names of the font in PostScript. */
  readonly names: readonly [string, ...string[]];
  /** Ascent and descent of a line, in thousandths of the font size. */
  readonly lines: readonly [ascent: number, descent: number];
}

export const SYMBOL_FONTS: readonly SymbolFont[] = [
  { names: ["Symbol", "SymbolMT"], lines: [1005, 220] },
  { names: ["Wingdings", "Wingdings-Regular"], lines: [899, 211] },
  { names: ["Wingdings 2", "Wingdings2"], lines: [843, 211] },
  { names: ["Wingdings 3", "Wingdings3"], lines: [928, 211] },
  { names: ["Webdings", "Webdings-Regular"], lines: [800, 200] },
];

/** Returns the name of the made file without extension. */
export const symbolFileOf = ({ names: [family] }: SymbolFont): string => family.replaceAll(" ", "");
