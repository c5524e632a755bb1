// Reads and sets the widths of Type 2 charstrings (Adobe Technical Note 5177, 3.1) without interpreting the outlines.
import type { Index } from "./syntax.ts";

/** Limits of 5177, appendix B. */
const MAX_DEPTH = 10;
const MAX_STACK = 513;
/** Maximum bytes to read until the width is found: the subroutines of a hostile font can call each other endlessly. */
const MAX_STEPS = 20_000;

const OPERATORS = { hstem: 1, vstem: 3, vmoveto: 4, callsubr: 10, return: 11, escaped: 12, endchar: 14 } as const;
const { hstem, vstem, vmoveto, callsubr, escaped, endchar } = OPERATORS;
const [hstemhm, hintmask, cntrmask, rmoveto, hmoveto, vstemhm, callgsubr] = [18, 19, 20, 21, 22, 23, 29];

interface Operand {
  readonly value: number;
  /** Offset in the charstring; -1 for an operand from a subroutine. */
  readonly start: number;
  readonly end: number;
}

interface Found {
  /** Difference from nominalWidthX; undefined if defaultWidthX applies. */
  readonly width: number | undefined;
  readonly operand: Operand | undefined;
  /** The offsets of the charstring's first subroutine call, including its operand, and the called subroutine. */
  readonly call: { readonly start: number; readonly end: number; readonly subr: Uint8Array } | undefined;
}

/** Returns the bias that is added to subroutine numbers (5177, 4.7). */
export const subrBias = (count: number) => (count < 1240 ? 107 : count < 33900 ? 1131 : 32768);

/** @returns undefined if the charstring is damaged, or computes its first operands with arithmetic operators */
export function glyphWidth(charString: Uint8Array, subrs: Index, globalSubrs: Index): Found | undefined {
  const stack: Operand[] = [];
  const callers: { readonly bytes: Uint8Array; readonly at: number }[] = [];
  let bytes = charString;
  let call: Found["call"];
  for (let at = 0, steps = 0; steps < MAX_STEPS; steps++) {
    if (at >= bytes.length) {
      const caller = callers.pop();
      if (!caller) return undefined;
      ({ bytes, at } = caller);
      continue;
    }
    const start = at;
    const byte = bytes[at++]!;
    if (byte >= 32 || byte === 28) {
      const [value, end] = numberAt(bytes, start);
      if (end > bytes.length || stack.length > MAX_STACK) return undefined;
      at = end;
      stack.push({ value, start: callers.length === 0 ? start : -1, end });
      continue;
    }
    if (byte === callsubr || byte === callgsubr) {
      const index = byte === callsubr ? subrs : globalSubrs;
      const operand = stack.pop();
      const number = operand ? operand.value + subrBias(index.count) : -1;
      if (!operand || !(number >= 0 && number < index.count) || callers.length >= MAX_DEPTH) return undefined;
      const subr = entryOf(index, Math.floor(number));
      if (!subr) return undefined;
      if (callers.length === 0 && operand.start >= 0) call ??= { start: operand.start, end: at, subr };
      callers.push({ bytes, at });
      bytes = subr;
      at = 0;
      continue;
    }
    if (byte === OPERATORS.return) {
      const caller = callers.pop();
      if (!caller) return undefined;
      ({ bytes, at } = caller);
      continue;
    }
    if (byte === escaped) return undefined;
    const operand = hasWidth(byte, stack.length) ? stack[0] : undefined;
    return { width: operand?.value, operand, call };
  }
  return undefined;
}

/** Reports whether a charstring starts with a width: its first operator then has one operand more than it needs. */
function hasWidth(operator: number, count: number): boolean {
  switch (operator) {
    case hstem:
    case vstem:
    case hstemhm:
    case vstemhm:
    case hintmask:
    case cntrmask:
      return count % 2 === 1;
    case rmoveto:
      return count > 2;
    case hmoveto:
    case vmoveto:
      return count > 1;
    case endchar:
      return count === 1 || count === 5;
    default:
      // An operator that draws before any move has no width operand.
      return false;
  }
}

function entryOf(index: Index, at: number): Uint8Array | undefined {
  try {
    return index.at(at);
  } catch {
    return undefined;
  }
}

/** @param at offset of the first byte of a number */
export function numberAt(bytes: Uint8Array, at: number): [value: number, end: number] {
  const byte = bytes[at]!;
  const next = (offset: number) => bytes[at + offset] ?? 0;
  if (byte === 28) return [((next(1) << 24) >> 16) | next(2), at + 3];
  if (byte <= 246) return [byte - 139, at + 1];
  if (byte <= 250) return [(byte - 247) * 256 + next(1) + 108, at + 2];
  if (byte <= 254) return [-(byte - 251) * 256 - next(1) - 108, at + 2];
  return [((next(1) << 24) | (next(2) << 16) | (next(3) << 8) | next(4)) / 65536, at + 5];
}

function encoded(value: number): Uint8Array {
  const whole = Math.max(-32768, Math.min(32767, Math.round(value)));
  return Uint8Array.of(28, (whole >> 8) & 0xff, whole & 0xff);
}

/**
 * Returns the same glyph with another width.
 * @param width difference from nominalWidthX
 * @returns undefined if the width cannot be set
 */
export function withWidth(
  charString: Uint8Array,
  width: number,
  subrs: Index,
  globalSubrs: Index,
): Uint8Array | undefined {
  let bytes = charString;
  for (let inlined = 0; inlined <= MAX_DEPTH; inlined++) {
    const found = glyphWidth(bytes, subrs, globalSubrs);
    if (!found) return undefined;
    if (!found.operand) return concatBytes(encoded(width), bytes);
    if (found.operand.start >= 0) {
      return concatBytes(bytes.subarray(0, found.operand.start), encoded(width), bytes.subarray(found.operand.end));
    }
    // The width is in a subroutine that other glyphs can share, so the subroutine is inlined.
    const { call } = found;
    if (!call) return undefined;
    const body = call.subr.at(-1) === OPERATORS.return ? call.subr.subarray(0, -1) : call.subr;
    bytes = concatBytes(bytes.subarray(0, call.start), body, bytes.subarray(call.end));
  }
  return undefined;
}

function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}
