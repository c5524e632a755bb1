// Interprets Type 1 charstrings (Adobe Type 1 Font Format, 6 and 8), and returns their outlines and the subroutines
// that they call. Flex and hint replacement are executed; hints are ignored.

/** A path segment. Numbers are relative to the previous point, as in the charstring. */
export interface PathStep {
  readonly kind: "move" | "line" | "curve" | "close";
  readonly deltas: readonly number[];
}

export interface Type1Outline {
  readonly width: number;
  /** The left sidebearing point, where the outline starts. */
  readonly bearing: readonly [x: number, y: number];
  readonly path: readonly PathStep[];
  /** Numbers of the called subroutines. */
  readonly called: ReadonlySet<number>;
  /** Components of an accented glyph: codes in the standard encoding, and the position of the accent (6.4, `seac`). */
  readonly parts?: { readonly base: number; readonly accent: number; readonly dx: number; readonly dy: number };
}

/**
 * Remaining bytes of charstrings and subroutines to read: the subroutines of a hostile font can call each other
 * endlessly.
 */
export interface ReadBudget {
  stepsLeft: number;
}

const MAX_DEPTH = 16;
const MAX_STACK = 64;
/** Maximum number of path segments: the subroutines of a hostile font can draw endlessly. */
const MAX_PATH = 30_000;
const [CALLSUBR, RETURN, ESCAPE, HSBW, ENDCHAR] = [10, 11, 12, 13, 14];
/** Two-byte operators: 100 plus the second byte. */
const [SEAC, SBW, DIV, CALLOTHERSUBR, POP, SETCURRENTPOINT] = [106, 107, 112, 116, 117, 133];
/** Four kinds of stems, and dotsection. */
const HINTS = new Set([1, 3, 100, 101, 102]);
const [FLEX_END, FLEX_BEGIN, FLEX_POINT, HINTS_ANEW] = [0, 1, 2, 3];
/** OtherSubrs that receive counter hints (8.1). */
const COUNTERS = new Set([12, 13]);
const FLEX_POINTS = 7;

const MOVES: Readonly<Record<number, (args: readonly number[]) => number[]>> = {
  4: ([dy]) => [0, dy!],
  21: ([dx, dy]) => [dx!, dy!],
  22: ([dx]) => [dx!, 0],
};
const LINES: typeof MOVES = {
  5: ([dx, dy]) => [dx!, dy!],
  6: ([dx]) => [dx!, 0],
  7: ([dy]) => [0, dy!],
};
const CURVES: typeof MOVES = {
  8: (args) => [...args],
  30: ([a, b, c, d]) => [0, a!, b!, c!, d!, 0],
  31: ([a, b, c, d]) => [a!, 0, b!, c!, 0, d!],
};
const OPERANDS: Readonly<Record<number, number>> = { 4: 1, 21: 2, 22: 1, 5: 2, 6: 1, 7: 1, 8: 6, 30: 4, 31: 4 };

/**
 * @param charString decrypted charstring
 * @param subrOf returns decrypted subroutines by number
 * @returns undefined if the charstring is damaged, or has an unsupported operation
 */
export function drawType1(
  charString: Uint8Array,
  subrOf: (number: number) => Uint8Array | undefined,
  allowance: ReadBudget,
): Type1Outline | undefined {
  return new Drawing(subrOf, allowance).run(charString);
}

class Drawing {
  readonly #subrOf: (number: number) => Uint8Array | undefined;
  readonly #allowance: ReadBudget;
  readonly #called = new Set<number>();
  readonly #path: PathStep[] = [];
  #stack: number[] = [];
  /** Results of OtherSubrs, which are on the PostScript stack. */
  #results: number[] = [];
  #flex: number[] | undefined;
  #point = [0, 0];
  #isOpen = false;
  #begun: Pick<Type1Outline, "width" | "bearing"> | undefined;
  #parts: Type1Outline["parts"];

  constructor(subrOf: (number: number) => Uint8Array | undefined, allowance: ReadBudget) {
    this.#subrOf = subrOf;
    this.#allowance = allowance;
  }

  run(charString: Uint8Array): Type1Outline | undefined {
    const callers: { readonly bytes: Uint8Array; readonly at: number }[] = [];
    let bytes = charString;
    for (let at = 0; this.#allowance.stepsLeft > 0; this.#allowance.stepsLeft--) {
      const byte = bytes[at];
      if (byte === undefined || byte === RETURN) {
        const caller = callers.pop();
        // A charstring without `endchar` is rejected, because some readers do not show its glyph.
        if (!caller) return undefined;
        ({ bytes, at } = caller);
      } else if (byte >= 32) {
        const [value, end] = numberAt(bytes, at);
        if (this.#stack.length >= MAX_STACK) return undefined;
        this.#stack.push(value);
        at = end;
      } else if (byte === CALLSUBR) {
        const number = this.#stack.pop() ?? -1;
        const subr = this.#subrOf(number);
        if (!subr || callers.length >= MAX_DEPTH) return undefined;
        this.#called.add(number);
        callers.push({ bytes, at: at + 1 });
        bytes = subr;
        at = 0;
      } else if (byte === ENDCHAR) {
        return this.#ended();
      } else {
        const operator = byte === ESCAPE ? 100 + (bytes[at + 1] ?? 255) : byte;
        if (!this.#carryOut(operator)) return undefined;
        if (operator === SEAC) return this.#ended();
        at += byte === ESCAPE ? 2 : 1;
      }
    }
    return undefined;
  }

  #ended(): Type1Outline | undefined {
    if (!this.#begun || this.#flex) return undefined;
    const parts = this.#parts ? { parts: this.#parts } : {};
    return { ...this.#begun, path: this.#path, called: this.#called, ...parts };
  }

  #carryOut(operator: number): boolean {
    const stack = this.#stack;
    if (operator === DIV) {
      const [divisor, dividend] = [stack.pop() ?? 0, stack.pop()];
      stack.push((dividend ?? 0) / divisor);
      return divisor !== 0 && dividend !== undefined;
    }
    if (operator === POP) {
      const result = this.#results.pop();
      if (result !== undefined) stack.push(result);
      return result !== undefined;
    }
    if (operator === CALLOTHERSUBR) return this.#callOther();
    this.#stack = [];
    if (HINTS.has(operator)) return true;
    if (operator === HSBW && stack.length === 2) return this.#begin(stack[0]!, 0, stack[1]!);
    if (operator === SBW && stack.length === 4) return this.#begin(stack[0]!, stack[1]!, stack[2]!);
    if (!this.#begun) return false;
    if (operator === SETCURRENTPOINT) return stack.every((value, axis) => value === this.#point[axis]);
    if (operator === SEAC) return this.#accent(stack);
    if (operator === 9) {
      const isOpen = this.#isOpen;
      this.#isOpen = false;
      return !isOpen || this.#add("close", []);
    }
    return stack.length === OPERANDS[operator] && this.#draw(operator, stack);
  }

  #begin(x: number, y: number, width: number): boolean {
    const isFirst = this.#begun === undefined;
    this.#begun = { width, bearing: [x, y] };
    this.#point = [x, y];
    return isFirst;
  }

  #accent(stack: readonly number[]): boolean {
    if (stack.length !== 5 || this.#path.length > 0) return false;
    const [bearing, dx, dy, base, accent] = stack as [number, number, number, number, number];
    // The accent's outline starts at its own sidebearing point.
    this.#parts = { base, accent, dx: dx + this.#begun!.bearing[0] - bearing, dy };
    return true;
  }

  #draw(operator: number, stack: readonly number[]): boolean {
    const move = MOVES[operator]?.(stack);
    if (move && this.#flex) {
      this.#flex.push(...move);
      return this.#flex.length <= FLEX_POINTS * 2;
    }
    if (move) {
      this.#isOpen = true;
      return this.#add("move", move);
    }
    if (!this.#isOpen || this.#flex) return false;
    const line = LINES[operator]?.(stack);
    return line ? this.#add("line", line) : this.#add("curve", CURVES[operator]!(stack));
  }

  #add(kind: PathStep["kind"], deltas: readonly number[]): boolean {
    this.#path.push({ kind, deltas });
    deltas.forEach((delta, index) => {
      this.#point[index & 1]! += delta;
    });
    return this.#path.length <= MAX_PATH;
  }

  #callOther(): boolean {
    const number = this.#stack.pop();
    const count = this.#stack.pop() ?? -1;
    if (!(count >= 0 && count <= this.#stack.length)) return false;
    const args = count === 0 ? [] : this.#stack.splice(-count);
    this.#results = [];
    if (number === HINTS_ANEW && count === 1) {
      this.#results.push(args[0]!);
      // Interpreters without hint replacement call subroutine 3 (8.1).
      this.#called.add(3);
      return true;
    }
    if (number === FLEX_BEGIN && count === 0) {
      const isFirst = this.#flex === undefined && this.#isOpen;
      this.#flex = [];
      return isFirst;
    }
    if (number === FLEX_POINT && count === 0) return this.#flex !== undefined;
    if (number === FLEX_END && count === 3) return this.#endFlex(args);
    return number !== undefined && COUNTERS.has(number);
  }

  /** Ends flex. The first point is the reference point, to which the second point is relative (8.3). */
  #endFlex([, x, y]: readonly number[]): boolean {
    const flex = this.#flex;
    this.#flex = undefined;
    if (flex?.length !== FLEX_POINTS * 2) return false;
    const [firstX, firstY, dx, dy, ...others] = flex as [number, number, number, number, ...number[]];
    this.#results = [y!, x!];
    const first = [firstX + dx, firstY + dy, ...others.slice(0, 4)];
    return this.#add("curve", first) && this.#add("curve", others.slice(4));
  }
}

/** @param at offset of a byte whose value is at least 32 */
function numberAt(bytes: Uint8Array, at: number): [value: number, end: number] {
  const byte = bytes[at]!;
  const next = (offset: number) => bytes[at + offset] ?? 0;
  if (byte <= 246) return [byte - 139, at + 1];
  if (byte <= 250) return [(byte - 247) * 256 + next(1) + 108, at + 2];
  if (byte <= 254) return [-(byte - 251) * 256 - next(1) - 108, at + 2];
  return [(next(1) << 24) | (next(2) << 16) | (next(3) << 8) | next(4), at + 5];
}
