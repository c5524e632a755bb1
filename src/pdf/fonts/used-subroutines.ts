// Which subroutines Type 2 charstrings call (Adobe Technical Note 5177, 4.7), so that a few glyphs of a large font need not bring all
// of them along. Draws nothing.
import type { Index } from "./cff-syntax.ts";
import { bias, numberAt } from "./charstring2.ts";

const MAX_DEPTH = 10;
/** Bytes of one glyph, subroutines included: hostile ones call each other. */
const MAX_STEPS = 1_000_000;
const [CALLSUBR, RETURN, ESCAPE, ENDCHAR, HINTMASK, CNTRMASK, CALLGSUBR] = [10, 11, 12, 14, 19, 20, 29];
const STEMS = new Set([1, 3, 18, 23]);

/**
 * Adds the numbers of those that are called.
 * @returns false where the charstring is damaged
 */
export function addUsedSubrs(
  charString: Uint8Array,
  local: { readonly index: Index; readonly used: Set<number> },
  global: { readonly index: Index; readonly used: Set<number> },
): boolean {
  const callers: { readonly bytes: Uint8Array; readonly at: number }[] = [];
  let bytes = charString;
  let stack: number[] = [];
  let stems = 0;
  for (let at = 0, steps = 0; steps < MAX_STEPS; steps++) {
    const isOver = at >= bytes.length;
    const operator = isOver ? RETURN : bytes[at]!;
    if (operator === RETURN) {
      const caller = callers.pop();
      // Fonts leave out the operator at the end of a glyph.
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
      const number = (stack.pop() ?? Number.NaN) + bias(index.count);
      if (!(number >= 0 && number < index.count) || callers.length >= MAX_DEPTH) return false;
      used.add(number);
      callers.push({ bytes, at });
      bytes = index.at(number);
      at = 0;
      continue;
    }
    if (operator === ENDCHAR) return true;
    if (operator === ESCAPE) at++;
    else if (STEMS.has(operator)) stems += stack.length >> 1;
    else if (operator === HINTMASK || operator === CNTRMASK) {
      // Operands before it are stems, too.
      stems += stack.length >> 1;
      at += (stems + 7) >> 3;
    }
    stack = [];
  }
  return false;
}
