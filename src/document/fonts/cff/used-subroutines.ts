// Finds the subroutines that Type 2 charstrings call (Adobe Technical Note 5177, 4.7), and the components of accented
// glyphs. A subset needs them.

import type { Index } from "./syntax.ts";
import { numberAt, subrBias } from "./type2-charstring.ts";

const MAX_DEPTH = 10;
/**
 * Maximum bytes to read for one glyph and its subroutines: the subroutines of a hostile font can call each other
 * endlessly.
 */
const MAX_STEPS = 1_000_000;
const MIN_STEPS = 100_000;
const MAX_GROWTH = 64;
const [CALLSUBR, RETURN, ESCAPE, ENDCHAR, HINTMASK, CNTRMASK, CALLGSUBR] = [10, 11, 12, 14, 19, 20, 29];
export const STEMS: ReadonlySet<number> = new Set([1, 3, 18, 23]);
/**
 * Two-byte operators that leave the stack empty: four kinds of flex, and the obsolete `dotsection` (5177, 4.1 and C).
 */
export const PLAIN_ESCAPES: ReadonlySet<number> = new Set([0, 34, 35, 36, 37]);

/** Collects the components of accented glyphs in one font, and limits the bytes to read. */
export class CharStringWalk {
  /** Codes of the components of accented glyphs, in the standard encoding (5177, appendix C). */
  readonly parts = new Set<number>();
  /** Remaining bytes to read for all glyphs and their subroutines. Real fonts need a few times the size of the font. */
  stepsLeft: number;

  /** @param sizeBytes size of the font */
  constructor(sizeBytes: number) {
    this.stepsLeft = MIN_STEPS + MAX_GROWTH * sizeBytes;
  }
}

/**
 * Adds the numbers of the called subroutines. @returns false if the charstring is damaged, or uses arithmetic operators
 */
export function addUsedSubrs(
  charString: Uint8Array,
  local: { readonly index: Index; readonly used: Set<number> },
  global: { readonly index: Index; readonly used: Set<number> },
  walk: CharStringWalk,
): boolean {
  const callers: { readonly bytes: Uint8Array; readonly at: number }[] = [];
  let bytes = charString;
  let stack: number[] = [];
  let stems = 0;
  for (let at = 0, steps = 0; steps < MAX_STEPS && walk.stepsLeft > 0; steps++, walk.stepsLeft--) {
    const isOver = at >= bytes.length;
    const operator = isOver ? RETURN : bytes[at]!;
    if (operator === RETURN) {
      const caller = callers.pop();
      // Some fonts omit `endchar`.
      if (!caller) return true;
      ({ bytes, at } = caller);
      continue;
    }
    if (operator >= 32 || operator === 28) {
      const [value, end] = numberAt(bytes, at);
      if (stack.length > 600) return false;
      stack.push(value);
      at = end;
      continue;
    }
    at++;
    if (operator === CALLSUBR || operator === CALLGSUBR) {
      const { index, used } = operator === CALLSUBR ? local : global;
      const number = (stack.pop() ?? Number.NaN) + subrBias(index.count);
      if (!(number >= 0 && number < index.count) || callers.length >= MAX_DEPTH) return false;
      used.add(number);
      callers.push({ bytes, at });
      bytes = index.at(number);
      at = 0;
      continue;
    }
    if (operator === ENDCHAR) {
      for (const code of stack.length >= 4 ? stack.slice(-2) : []) walk.parts.add(code);
      return true;
    }
    if (operator === ESCAPE) {
      // Arithmetic operators are not supported: a computed number could be a subroutine number, or affect the length of
      // a hint mask.
      if (!PLAIN_ESCAPES.has(bytes[at++] ?? -1)) return false;
    } else if (STEMS.has(operator)) stems += stack.length >> 1;
    else if (operator === HINTMASK || operator === CNTRMASK) {
      // Operands before a hintmask are stems too.
      stems += stack.length >> 1;
      at += (stems + 7) >> 3;
    }
    stack = [];
  }
  return false;
}
