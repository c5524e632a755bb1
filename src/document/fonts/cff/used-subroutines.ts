// Finds the subroutines that Type 2 charstrings call (Adobe Technical Note 5177, 4.7), and the glyphs they are composed
// of, so that a few glyphs of a large font do not need the whole font. Draws nothing.

import type { Index } from "./syntax.ts";
import { numberAt, subrBias } from "./type2-charstring.ts";

const MAX_DEPTH = 10;
/** Limits the bytes of one glyph, subroutines included, because those of hostile files call each other. */
const MAX_STEPS = 1_000_000;
const LEAST_STEPS = 100_000;
const MAX_GROWTH = 64;
const [CALLSUBR, RETURN, ESCAPE, ENDCHAR, HINTMASK, CNTRMASK, CALLGSUBR] = [10, 11, 12, 14, 19, 20, 29];
export const STEMS: ReadonlySet<number> = new Set([1, 3, 18, 23]);
/** Two-byte operators that leave nothing on the stack: four kinds of flex, and an obsolete one (5177, 4.1 and C). */
export const PLAIN_ESCAPES: ReadonlySet<number> = new Set([0, 34, 35, 36, 37]);

/** Collects findings about the glyphs of one font. */
export class CharStringWalk {
  /** Codes of the parts of accented glyphs, in the standard encoding (5177, appendix C). */
  readonly parts = new Set<number>();
  /** Bytes left for all glyphs, subroutines included. Real fonts take a few times their size. */
  stepsLeft: number;

  /** @param sizeBytes size of the font */
  constructor(sizeBytes: number) {
    this.stepsLeft = LEAST_STEPS + MAX_GROWTH * sizeBytes;
  }
}

/** Adds the numbers of the called subroutines. @returns false if the charstring is damaged, or computes numbers */
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
      // Fonts omit the operator at the end of a glyph.
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
      // A computed number could be that of a subroutine, or determine the length of a mask.
      if (!PLAIN_ESCAPES.has(bytes[at++] ?? -1)) return false;
    } else if (STEMS.has(operator)) stems += stack.length >> 1;
    else if (operator === HINTMASK || operator === CNTRMASK) {
      // Operands before the operator are also stems.
      stems += stack.length >> 1;
      at += (stems + 7) >> 3;
    }
    stack = [];
  }
  return false;
}
