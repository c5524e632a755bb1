// Chooses the decimal places of each number in a content stream, so that no object moves visibly on the page. The
// current matrices (ISO 32000-1, 8.3) convert the error of a number to a shift on the page.
import { IDENTITY, type Matrix, multiply, norm } from "../content/matrix.ts";

/** Limits the shift on the page that rounding can cause. */
export interface Rounding {
  /** Maximum shift, in points on the page. */
  readonly tolerance: number;
  /** Maximum length on the page, in points, of one unit of the stream's initial space. @default unknown */
  readonly scale?: number;
}

/** A shift, in points, that is invisible at every zoom. */
export const INVISIBLE = 1e-4;
/** Half a dot at 36,000 dots per inch, in points. */
export const TINY = 1e-3;

/**
 * Significant digits of factors: font sizes, dash lengths, matrix elements. Other numbers multiply the error of a
 * factor.
 */
const DIGITS = { factor: 7, matrix: 10 };
const COLOR_PLACES = 5;
/** Assumed number of characters in a line, and of lines on a page, over which a rounding error adds up. */
const REPEATED = { characters: 1000, lines: 100 };
const MAX_SAVED = 512;

/** Number of decimal places or significant digits to keep. @default all digits */
interface Precision {
  readonly places?: number;
  readonly digits?: number;
  /** Index in `#errors`. The next number with this index compensates the rounding error of this number. */
  readonly carried?: number;
  /** True for a number that must not be rounded to zero, because zero has a special meaning. */
  readonly isNeverZero?: boolean;
}

interface State {
  /** Maps the current user space to the stream's initial space. */
  readonly matrix: Matrix;
  /** Undefined until the stream selects a font. */
  readonly fontSize: number | undefined;
  readonly stretch: number;
}

/** Index in `#errors` of the accumulated error of TJ adjustments. Indexes 0 and 1 are for x and y positions. */
const ADJUSTED = 2;
/** Rounding to more decimal places saves no bytes. */
const MAX_PLACES = 20;

const EXACT: Precision = {};
const FACTOR: Precision = { digits: DIGITS.factor };
const MATRIX: Precision = { digits: DIGITS.matrix };

/** Tracks the graphics state through a stream. */
export class ContentRounding {
  readonly #rounding: Rounding;
  readonly #saved: State[] = [];
  #state: State = { matrix: IDENTITY, fontSize: undefined, stretch: 1 };
  #textMatrix: Matrix | undefined;
  #isLost: boolean;
  /** Accumulated errors: x and y of the text position, and TJ adjustments. */
  #errors = [0, 0, 0];

  constructor(rounding: Rounding) {
    this.#rounding = rounding;
    this.#isLost = rounding.scale === undefined;
  }

  /**
   * Rounds the operands of the next operator, and updates the graphics state.
   * @param numbers all numbers among the operands, including those in arrays
   * @returns the rounded numbers
   */
  round(operator: string, numbers: readonly string[]): readonly string[] {
    const precisions = this.#precisions(operator, numbers.length);
    const rounded = numbers.map((text, index) => this.#rounded(text, precisions[index] ?? EXACT));
    this.#follow(operator, numbers.map(Number));
    return rounded;
  }

  #rounded(text: string, { places, digits, carried, isNeverZero }: Precision): string {
    const point = text.indexOf(".");
    if (point < 0 || !isPlainNumber(text)) return text;
    const value = Number(text) + (carried === undefined ? 0 : this.#errors[carried]!);
    const whole = Math.floor(Math.log10(Math.abs(value) || 1)) + 1;
    const kept = places ?? (digits === undefined ? Infinity : Math.max(0, digits - whole));
    if (text.length - point - 1 <= kept || kept > MAX_PLACES) return text;
    const rounded = value.toFixed(kept);
    if (isNeverZero && Number(rounded) === 0) return text;
    if (carried !== undefined) this.#errors[carried] = value - Number(rounded);
    return rounded;
  }

  #precisions(operator: string, count: number): readonly Precision[] {
    const all = (precision: Precision) => new Array<Precision>(count).fill(precision);
    switch (operator) {
      case "m":
      case "l":
      case "c":
      case "v":
      case "y":
      case "re":
        return all(this.#places(this.#state.matrix));
      case "w":
        return all({ ...this.#places(this.#state.matrix), isNeverZero: true });
      case "Ts":
        return all(this.#places(this.#text()));
      case "cm":
      case "Tm":
        return [...all(MATRIX).slice(0, 4), ...all(this.#places(this.#state.matrix)).slice(0, 2)];
      case "Td":
        return [0, 1].map((axis) => ({ ...this.#places(this.#text()), carried: axis }));
      case "TD":
      case "TL":
        return all(this.#places(this.#text(), REPEATED.lines));
      case "Tc":
      case "Tw":
      case '"':
        return all(this.#places(this.#text(), REPEATED.characters));
      case "TJ":
        return all({ ...this.#places(this.#adjustment()), carried: ADJUSTED });
      case "Tf":
      case "Tz":
      case "d":
        return all(FACTOR);
      case "g":
      case "G":
      case "rg":
      case "RG":
      case "k":
      case "K":
      case "sc":
      case "SC":
      case "scn":
      case "SCN":
        return all({ places: COLOR_PLACES });
      default:
        return all(EXACT);
    }
  }

  /**
   * Returns the smallest number of decimal places whose rounding error, half a unit of the last place, is within the
   * tolerance.
   */
  #places(matrix: Matrix | undefined, repeated = 1): Precision {
    if (this.#isLost || !matrix) return EXACT;
    const length = norm(matrix) * this.#rounding.scale! * repeated;
    const places = Math.ceil(Math.log10(length / (2 * this.#rounding.tolerance)));
    return Number.isFinite(places) ? { places: Math.max(0, places) } : EXACT;
  }

  #text(): Matrix | undefined {
    return this.#textMatrix && multiply(this.#textMatrix, this.#state.matrix);
  }

  /** Returns the matrix of an adjustment in a TJ array. Its unit is a thousandth of the font size (9.4.3). */
  #adjustment(): Matrix | undefined {
    const { fontSize, stretch } = this.#state;
    const text = this.#text();
    const unit = ((fontSize ?? 0) * Math.max(1, stretch)) / 1000;
    return text && fontSize !== undefined ? multiply([unit, 0, 0, unit, 0, 0], text) : undefined;
  }

  #follow(operator: string, numbers: readonly number[]): void {
    const matrix = () => (numbers.length === 6 ? (numbers as unknown as Matrix) : undefined);
    switch (operator) {
      case "q":
        if (this.#saved.length >= MAX_SAVED) this.#isLost = true;
        else this.#saved.push(this.#state);
        break;
      case "Q":
        // Without a state from this stream, `Q` restores one from an earlier stream of the page. Its scale is at most
        // the initial scale of this stream.
        this.#state = this.#saved.pop() ?? { matrix: IDENTITY, fontSize: undefined, stretch: 1 };
        break;
      case "cm": {
        const inner = matrix();
        if (inner) this.#state = { ...this.#state, matrix: multiply(inner, this.#state.matrix) };
        else this.#isLost = true;
        break;
      }
      case "BT":
        this.#textMatrix = IDENTITY;
        this.#errors = [0, 0, 0];
        break;
      case "Tm":
        this.#textMatrix = matrix();
        this.#errors = [0, 0, 0];
        break;
      case "Td":
      case "TD":
        this.#errors[ADJUSTED] = 0;
        break;
      case "Tf":
        this.#errors[ADJUSTED] = 0;
        this.#state = { ...this.#state, fontSize: numbers.at(-1) };
        break;
      case "Tz":
        this.#state = { ...this.#state, stretch: Math.abs(numbers.at(-1) ?? 100) / 100 };
        break;
      case "gs":
        // The graphics state dictionary can set a font. Its size is unknown here.
        this.#state = { ...this.#state, fontSize: undefined };
    }
  }
}

/** Reports whether all readers parse the text as the same number. */
export const isPlainNumber = (text: string): boolean => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text);
