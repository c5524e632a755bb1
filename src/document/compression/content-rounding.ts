// Decides how many decimal places the numbers of a content stream need, so that nothing moves visibly on the page: the
// current matrices (ISO 32000-1, 8.3) tell how large a unit of a number is there.
import { IDENTITY, type Linear, multiply } from "../images/draws.ts";

/** How far rounding may move anything. */
export interface Rounding {
  /** Largest shift on the page in default user space units. */
  readonly tolerance: number;
  /** Largest length on the page of a unit of the space in which the stream begins. @default not known */
  readonly scale?: number;
}

/** Shifts that nobody sees at any size. */
export const INVISIBLE = 1e-4;
/** Shifts of half a dot at 36,000 dots per inch. */
export const TINY = 1e-3;

/** Significant digits of numbers whose error grows with other numbers: sizes and dashes, and the parts of matrices. */
const DIGITS = { factor: 7, matrix: 10 };
const COLOR_PLACES = 5;
/** Numbers of characters in a line and of lines, over which an error adds up. */
const REPEATED = { characters: 1000, lines: 100 };
const MAX_SAVED = 512;

/** How much of a number is kept: decimal places or significant digits. @default everything */
interface Precision {
  readonly places?: number;
  readonly digits?: number;
  /** Index of the error that the next number of the same kind makes up for. */
  readonly carried?: number;
  /** True for a number for which zero means something else. */
  readonly isNeverZero?: boolean;
}

interface State {
  /** Linear part of the matrix from user space to the space in which the stream begins. */
  readonly linear: Linear;
  /** Font size with the horizontal scale; undefined before a font has been chosen. */
  readonly fontSize: number | undefined;
  readonly stretch: number;
}

/** Index of the error of adjustments. Those of positions are 0 and 1. */
const ADJUSTED = 2;
/** More places do not shorten a number. */
const MAX_PLACES = 20;

const EXACT: Precision = {};
const FACTOR: Precision = { digits: DIGITS.factor };
const MATRIX: Precision = { digits: DIGITS.matrix };

/** Follows the graphics state through a stream. */
export class ContentRounding {
  readonly #rounding: Rounding;
  readonly #saved: State[] = [];
  #state: State = { linear: IDENTITY, fontSize: undefined, stretch: 1 };
  #textLinear: Linear | undefined;
  #isLost: boolean;
  /** Errors so far: of the text's position in both directions, and of the adjustments in arrays. */
  #errors = [0, 0, 0];

  constructor(rounding: Rounding) {
    this.#rounding = rounding;
    this.#isLost = rounding.scale === undefined;
  }

  /**
   * Follows an operator.
   * @param numbers its operands that are numbers, or the numbers in its arrays
   * @returns the numbers, rounded
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
        return all(this.#places(this.#state.linear));
      case "w":
        return all({ ...this.#places(this.#state.linear), isNeverZero: true });
      case "Ts":
        return all(this.#places(this.#text()));
      case "cm":
      case "Tm":
        return [...all(MATRIX).slice(0, 4), ...all(this.#places(this.#state.linear)).slice(0, 2)];
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

  /** Returns the places with which an error of half of the last one is a shift within the tolerance. */
  #places(linear: Linear | undefined, repeated = 1): Precision {
    if (this.#isLost || !linear) return EXACT;
    const length = Math.hypot(...linear) * this.#rounding.scale! * repeated;
    const places = Math.ceil(Math.log10(length / (2 * this.#rounding.tolerance)));
    return Number.isFinite(places) ? { places: Math.max(0, places) } : EXACT;
  }

  #text(): Linear | undefined {
    return this.#textLinear && multiply(this.#textLinear, this.#state.linear);
  }

  /** Returns the map of an adjustment in a TJ array, which is a thousandth of the font size (9.4.3). */
  #adjustment(): Linear | undefined {
    const { fontSize, stretch } = this.#state;
    const text = this.#text();
    const unit = ((fontSize ?? 0) * Math.max(1, stretch)) / 1000;
    return text && fontSize !== undefined ? multiply([unit, 0, 0, unit], text) : undefined;
  }

  #follow(operator: string, numbers: readonly number[]): void {
    const matrix = () => (numbers.length === 6 ? (numbers.slice(0, 4) as unknown as Linear) : undefined);
    switch (operator) {
      case "q":
        if (this.#saved.length >= MAX_SAVED) this.#isLost = true;
        else this.#saved.push(this.#state);
        break;
      case "Q":
        // What an earlier stream of the page saved has no larger scale than the beginning of this one.
        this.#state = this.#saved.pop() ?? { linear: IDENTITY, fontSize: undefined, stretch: 1 };
        break;
      case "cm": {
        const inner = matrix();
        if (inner) this.#state = { ...this.#state, linear: multiply(inner, this.#state.linear) };
        else this.#isLost = true;
        break;
      }
      case "BT":
        this.#textLinear = IDENTITY;
        this.#errors = [0, 0, 0];
        break;
      case "Tm":
        this.#textLinear = matrix();
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
        // A graphics state may have a font.
        this.#state = { ...this.#state, fontSize: undefined };
    }
  }
}

/** Reports whether all readers read the text as the same number. */
export const isPlainNumber = (text: string): boolean => /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text);
