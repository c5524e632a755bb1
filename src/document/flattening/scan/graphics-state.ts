// The parts of the graphics state and of text objects (ISO 32000-1, 8.4 and 9.4) that decide whether painting is
// transparent.

import type { Matrix } from "../../content/matrix.ts";
import type { Dictionary, Value } from "../../objects/values.ts";
import type { ByteSpan, Clip, Color, TextShow } from "./content-node.ts";
import type { TransparencyParams } from "./transparency.ts";

/** The parts of the graphics state that a painting operation uses. */
export interface Painting {
  readonly fills: boolean;
  readonly strokes: boolean;
}

export class GraphicsState {
  matrix: Matrix;
  clip: Clip;
  fillAlpha = 1;
  strokeAlpha = 1;
  #isBlended = false;
  #isMasked = false;
  font: Dictionary | undefined;
  mode = 0;
  fill: Color | undefined;
  stroke: Color | undefined;
  fillPattern: Value | undefined;
  strokePattern: Value | undefined;

  constructor(matrix: Matrix, clip: Clip) {
    this.matrix = matrix;
    this.clip = clip;
  }

  /** True if a blend mode or a soft mask makes all painting transparent. */
  get isBlendedOrMasked(): boolean {
    return this.#isBlended || this.#isMasked;
  }

  /** Reports whether the state alone makes an operation transparent. */
  isTransparent({ fills, strokes }: Painting): boolean {
    return this.isBlendedOrMasked || (fills && this.fillAlpha < 1) || (strokes && this.strokeAlpha < 1);
  }

  set({ fillAlpha, strokeAlpha, isBlended, isMasked }: TransparencyParams): void {
    this.fillAlpha = fillAlpha ?? this.fillAlpha;
    this.strokeAlpha = strokeAlpha ?? this.strokeAlpha;
    this.#isBlended = isBlended ?? this.#isBlended;
    this.#isMasked = isMasked ?? this.#isMasked;
  }

  setStroke(stroke: Color, pattern: Value | undefined): void {
    this.stroke = stroke;
    this.strokePattern = pattern;
  }

  setFill(fill: Color, pattern: Value | undefined): void {
    this.fill = fill;
    this.fillPattern = pattern;
  }

  clone(): GraphicsState {
    const copy = new GraphicsState(this.matrix, this.clip);
    copy.fillAlpha = this.fillAlpha;
    copy.strokeAlpha = this.strokeAlpha;
    copy.#isBlended = this.#isBlended;
    copy.#isMasked = this.#isMasked;
    copy.font = this.font;
    copy.mode = this.mode;
    copy.fill = this.fill;
    copy.stroke = this.stroke;
    copy.fillPattern = this.fillPattern;
    copy.strokePattern = this.strokePattern;
    return copy;
  }
}

/** A text object, from `BT` to `ET`. */
export class TextObject {
  readonly start: number;
  readonly shows: TextShow[] = [];
  readonly settings: ByteSpan[] = [];
  paints = false;
  isTransparent = false;
  /** True if a pattern or a font makes the text transparent. */
  byObject = false;
  clips = false;
  #isPlain = true;

  constructor(start: number) {
    this.start = start;
  }

  /** True if the text object only fills glyphs with one color. */
  get isPlain(): boolean {
    return this.#isPlain;
  }

  show(
    show: TextShow,
    about: {
      readonly paints: boolean;
      readonly isTransparent: boolean;
      readonly byObject: boolean;
      readonly isPlain: boolean;
    },
  ): void {
    this.shows.push(show);
    this.paints ||= about.paints;
    this.isTransparent ||= about.isTransparent;
    this.byObject ||= about.byObject;
    this.clips ||= show.mode >= 4;
    this.#isPlain &&= about.isPlain;
  }

  setting({ start, end, operator }: ByteSpan & { readonly operator: string }): void {
    this.settings.push({ start, end });
    const isOfText = operator.startsWith("T") && operator !== "Tr";
    if (this.shows.length > 0 && !isOfText) this.#isPlain = false;
  }
}
