// Symbolic fonts: font descriptor flags (ISO 32000-1, table 123), and the code ranges in cmaps (9.6.6.4).

/** Bits of `Flags`. */
export const FONT_FLAGS = {
  fixedPitch: 1 << 0,
  serif: 1 << 1,
  symbolic: 1 << 2,
  nonsymbolic: 1 << 5,
  italic: 1 << 6,
  forceBold: 1 << 18,
} as const;

/** Start of the code range of symbolic fonts created by this service. */
export const SYMBOL_BASE = 0xf000;
/** Starts of the possible code ranges of symbolic fonts, in the order in which readers search them. */
export const SYMBOL_BASES: readonly number[] = [SYMBOL_BASE, 0, 0xf100, 0xf200];

/**
 * Reports whether a font is symbolic. A font without flags counts as symbolic, because its codes then depend on the
 * font program.
 */
export const isSymbolic = (flags: number | undefined): boolean =>
  flags === undefined || (flags & FONT_FLAGS.symbolic) !== 0;

/** Sets Symbolic and clears Nonsymbolic; a font has exactly one of these flags. */
export const asSymbolic = (flags = 0): number => (flags & ~FONT_FLAGS.nonsymbolic) | FONT_FLAGS.symbolic;
