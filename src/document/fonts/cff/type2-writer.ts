// Writes outlines as Type 2 charstrings without hints (Adobe Technical Note 5177).
import type { Type1Outline } from "../type1/charstring.ts";

/** Maximum operands of one operator (5177, appendix B). */
const MAX_OPERANDS = 48;
/** Maximum coordinate. Larger numbers would need another encoding, but no font has them. */
const MAX_VALUE = 32_000;
const FRACTION = 65_536;
const [VMOVETO, RLINETO, HLINETO, VLINETO, RRCURVETO, ENDCHAR] = [4, 5, 6, 7, 8, 14];
const [RMOVETO, HMOVETO, VHCURVETO, HVCURVETO] = [21, 22, 30, 31];
/**
 * The operator that each operator implies for its next operands. In a sequence of alternating lines, for example, only
 * the first operator is written.
 */
const TURNS = new Map([
  [HLINETO, VLINETO],
  [VLINETO, HLINETO],
  [HVCURVETO, VHCURVETO],
  [VHCURVETO, HVCURVETO],
  [RLINETO, RLINETO],
  [RRCURVETO, RRCURVETO],
]);

/** An outline, and the position of its origin. */
export interface PlacedOutline {
  readonly outline: Type1Outline;
  readonly origin: readonly [x: number, y: number];
}

/** @returns a charstring to which a width can be prepended; undefined if a number cannot be encoded */
export function type2CharString(outlines: readonly PlacedOutline[]): Uint8Array | undefined {
  const writer = new Type2Writer();
  for (const one of outlines) writer.draw(one);
  return writer.end();
}

class Type2Writer {
  readonly #bytes: number[] = [];
  #operands: number[] = [];
  /** Operator of the collected operands. `#next`: the operator of the next operands if they continue the sequence. */
  #operator = 0;
  #next = 0;
  #exact: [number, number] = [0, 0];
  /**
   * The current point according to the written numbers, which are rounded. New numbers are relative to it, so that
   * rounding errors do not accumulate.
   */
  #written: [number, number] = [0, 0];
  #isMoved = false;
  #isWritable = true;

  draw({ outline, origin }: PlacedOutline): void {
    this.#exact = [outline.bearing[0] + origin[0], outline.bearing[1] + origin[1]];
    this.#isMoved = true;
    for (const { kind, deltas } of outline.path) {
      if (kind === "move") {
        this.#exact[0] += deltas[0]!;
        this.#exact[1] += deltas[1]!;
        this.#isMoved = true;
      } else if (kind !== "close") {
        if (this.#isMoved) this.#move();
        const steps = this.#steps(deltas);
        if (kind === "line") this.#line(steps as [number, number]);
        else this.#curve(steps as [number, number, number, number, number, number]);
      }
    }
  }

  end(): Uint8Array | undefined {
    this.#flush();
    this.#bytes.push(ENDCHAR);
    return this.#isWritable ? Uint8Array.from(this.#bytes) : undefined;
  }

  #move(): void {
    this.#flush();
    const [dx, dy] = [this.#step(0), this.#step(1)];
    this.#isMoved = false;
    if (dy === 0) this.#operands.push(dx);
    else if (dx === 0) this.#operands.push(dy);
    else this.#operands.push(dx, dy);
    this.#operator = dy === 0 ? HMOVETO : dx === 0 ? VMOVETO : RMOVETO;
    this.#next = 0;
  }

  #line([dx, dy]: [number, number]): void {
    if (dy === 0) this.#add(HLINETO, [dx]);
    else if (dx === 0) this.#add(VLINETO, [dy]);
    else this.#add(RLINETO, [dx, dy]);
  }

  #curve([a, b, c, d, e, f]: [number, number, number, number, number, number]): void {
    if (b === 0 && e === 0) this.#add(HVCURVETO, [a, c, d, f]);
    else if (a === 0 && f === 0) this.#add(VHCURVETO, [b, c, d, e]);
    else this.#add(RRCURVETO, [a, b, c, d, e, f]);
  }

  #add(operator: number, operands: readonly number[]): void {
    if (this.#next !== operator || this.#operands.length + operands.length > MAX_OPERANDS) {
      this.#flush();
      this.#operator = operator;
    }
    this.#operands.push(...operands);
    this.#next = TURNS.get(operator)!;
  }

  #flush(): void {
    if (this.#operator === 0) return;
    for (const operand of this.#operands) this.#number(operand);
    this.#bytes.push(this.#operator);
    this.#operands = [];
    this.#operator = 0;
    this.#next = 0;
  }

  #steps(deltas: readonly number[]): number[] {
    return deltas.map((delta, index) => {
      this.#exact[index & 1]! += delta;
      return this.#step(index & 1);
    });
  }

  #step(axis: number): number {
    const step = Math.round((this.#exact[axis]! - this.#written[axis]!) * FRACTION) / FRACTION;
    this.#written[axis]! += step;
    return step;
  }

  #number(value: number): void {
    if (!isWritable(value)) this.#isWritable = false;
    else this.#bytes.push(...type2Number(value));
  }
}

export const isWritable = (value: number): boolean => Math.abs(value) <= MAX_VALUE;

/** Encodes a number (5177, table 1). */
export function type2Number(value: number): number[] {
  if (!Number.isInteger(value)) {
    const fixed = Math.round(value * FRACTION);
    return [255, (fixed >> 24) & 0xff, (fixed >> 16) & 0xff, (fixed >> 8) & 0xff, fixed & 0xff];
  }
  if (Math.abs(value) <= 107) return [value + 139];
  if (Math.abs(value) > 1131) return [28, (value >> 8) & 0xff, value & 0xff];
  const rest = Math.abs(value) - 108;
  return [(value > 0 ? 247 : 251) + (rest >> 8), rest & 0xff];
}
