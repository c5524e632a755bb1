// Follows the text line matrix of content (ISO 32000-1, 9.4.2), and finds the moves that MuPDF loses.
import { IDENTITY, type Matrix, multiply } from "../../content/matrix.ts";
import { serializeNumber } from "../../objects/serialize.ts";

/** Size of the cells in which two positions count as equal, and the error of MuPDF's positions, in points. */
const CELL = 0.01;
const ERROR = 0.001;
/** Relative change of a matrix that no viewer shows, and the number of different changes. */
const CHANGE = 2 ** -20;
const CHANGES = 64;

/** The matrix at the start of a line, and the places of earlier texts of the same text object. */
export class LineMatrix {
  #matrix: Matrix = IDENTITY;
  readonly #shown = new Set<string>();
  #changes = 0;

  begin(): void {
    this.#matrix = IDENTITY;
    this.#shown.clear();
  }

  /** Remembers that a text is shown. */
  show(): void {
    this.#shown.add(keyOf(this.#matrix, 0, 0));
  }

  /** @returns an operator to use instead, if MuPDF would lose this one */
  move(x: number, y: number): string | undefined {
    return this.set(multiply([1, 0, 0, 1, x, y], this.#matrix));
  }

  /**
   * MuPDF omits a move to a place where it wrote a text before, because it compares the matrices of lines, so that the
   * text stands after the other. A matrix that differs by nearly nothing is not omitted.
   * @returns an operator to use instead, if MuPDF would lose this one
   */
  set(matrix: Matrix): string | undefined {
    this.#matrix = matrix;
    const errors = [-ERROR, ERROR];
    if (!errors.some((x) => errors.some((y) => this.#shown.has(keyOf(matrix, x, y))))) return undefined;
    this.#changes = (this.#changes % CHANGES) + 1;
    const factor = 1 + this.#changes * CHANGE;
    const [a, b, c, d, e, f] = matrix;
    return `${[a * factor, b * factor, c, d, e, f].map(serializeNumber).join(" ")} Tm`;
  }
}

const keyOf = ([, , , , e, f]: Matrix, x: number, y: number): string =>
  `${Math.round((e + x) / CELL)} ${Math.round((f + y) / CELL)}`;
