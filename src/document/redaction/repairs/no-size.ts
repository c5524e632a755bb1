// Finds operations that show text of no size: no viewer draws it, and no mark can cover it, but other readers find it
// (ISO 32000-1, 9.3.4, 9.4.4).
import type { Value } from "../../objects/values.ts";

const MAX_SAVED = 512;
const MATRIX = 6;

interface Sizes {
  readonly isFlat: boolean;
  readonly size: number;
  readonly scale: number;
}

const areNumbers = (operands: readonly Value[]): operands is readonly number[] =>
  operands.every((one) => typeof one === "number");

/** Reports whether a matrix maps everything to a line or a point. */
const isFlat = (operands: readonly Value[]): boolean => {
  if (operands.length !== MATRIX || !areNumbers(operands)) return false;
  const [a, b, c, d] = operands as [number, number, number, number];
  return a * d - b * c === 0;
};

/** Follows the size of text through the operations of one stream. The caller of a form sets sizes before. */
export class TextSizes {
  readonly #saved: Sizes[] = [];
  #state: Sizes = { isFlat: false, size: 1, scale: 1 };
  #hasFlatLines = false;

  /** @returns operators in place of an operation that shows text of no size; undefined if it stays */
  after(operator: string, operands: readonly Value[]): string | undefined {
    const [first, second] = operands;
    const state = this.#state;
    switch (operator) {
      case "q":
        if (this.#saved.length < MAX_SAVED) this.#saved.push(state);
        break;
      case "Q":
        this.#state = this.#saved.pop() ?? state;
        break;
      case "cm":
        this.#state = { ...state, isFlat: state.isFlat || isFlat(operands) };
        break;
      case "BT":
        this.#hasFlatLines = false;
        break;
      case "Tm":
        this.#hasFlatLines = isFlat(operands);
        break;
      case "Tf":
        if (typeof second === "number") this.#state = { ...state, size: second };
        break;
      case "Tz":
        if (typeof first === "number") this.#state = { ...state, scale: first };
        break;
      // It can set a font with another size.
      case "gs":
        this.#state = { ...state, size: state.size || 1 };
        break;
      default:
        return this.#hasNoSize ? withoutText(operator, operands) : undefined;
    }
    return undefined;
  }

  get #hasNoSize(): boolean {
    const { isFlat, size, scale } = this.#state;
    return isFlat || this.#hasFlatLines || size === 0 || scale === 0;
  }
}

/** Returns what an operation does besides showing text. */
function withoutText(operator: string, operands: readonly Value[]): string | undefined {
  if (operator === "Tj" || operator === "TJ") return "";
  if (operator === "'") return "T*";
  if (operator !== '"') return undefined;
  const spacing = operands.slice(0, 2);
  return areNumbers(spacing) && spacing.length === 2 ? `${spacing[0]} Tw ${spacing[1]} Tc T*` : "T*";
}
