// Symbolic fonts: flags of font descriptors (ISO 32000-1, table 123), and the positions of codes in character maps
// (9.6.6.4). Knows nothing about font programs.

/** Bits of `Flags`. */
export const FONT_FLAGS = {
  fixedPitch: 1 << 0,
  serif: 1 << 1,
  symbolic: 1 << 2,
  nonsymbolic: 1 << 5,
  italic: 1 << 6,
  forceBold: 1 << 18,
} as const;

/** Start of the range in which a symbolic font that this service makes has its codes. */
export const SYMBOL_BASE = 0xf000;
/** Starts of the ranges in which a symbolic font may have its codes, in the order in which readers search them. */
export const SYMBOL_BASES: readonly number[] = [SYMBOL_BASE, 0, 0xf100, 0xf200];

/**
 * Reports whether a font is symbolic. A font without flags counts as symbolic, because its codes then refer to the
 * contents of its program.
 */
export const isSymbolic = (flags: number | undefined): boolean =>
  flags === undefined || (flags & FONT_FLAGS.symbolic) !== 0;

/** Returns the flags of a symbolic font; exactly one of the two flags may be set. */
export const asSymbolic = (flags = 0): number => (flags & ~FONT_FLAGS.nonsymbolic) | FONT_FLAGS.symbolic;
