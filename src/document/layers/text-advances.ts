// Measures how far text moves the text after it (ISO 32000-1, 9.4.4), so that a space of the same width can replace it.
import type { ContentOperation } from "../content/content.ts";
import { standardEncoding, unicodeOfName } from "../fonts/names/glyph-names.ts";
import { standardWidths } from "../fonts/names/standard-widths.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Name, PdfString, type Value } from "../objects/values.ts";
import { CidWidths, simpleWidths } from "../text/font-widths.ts";
import { readSimpleEncoding } from "../text/simple-encoding.ts";

/** The glyphs of a string: their total width in thousandths of the font size, their number, and how many are spaces. */
interface Extent {
  readonly width: number;
  readonly glyphs: number;
  readonly spaces: number;
}
type Measure = (latin1: string) => Extent;

interface TextState {
  readonly font: Value | undefined;
  readonly size: number;
  readonly characterSpacing: number;
  readonly wordSpacing: number;
}

const INITIAL: TextState = { font: undefined, size: 0, characterSpacing: 0, wordSpacing: 0 };
const MAX_SAVED = 512;

/** The fonts of a document, which several contents share. */
export class FontMeasures {
  readonly #file: PdfFile;
  readonly #known = new WeakMap<Dictionary, Measure>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /** @returns undefined for a font whose widths or codes are unknown, or that is written vertically */
  of(value: Value | undefined): Measure | undefined {
    const font = this.#file.dictionary(value);
    if (!font) return undefined;
    const known = this.#known.get(font);
    if (known) return known;
    const isComposite = this.#file.name(font.get("Subtype")) === "Type0";
    const measure = isComposite ? this.#composite(font) : this.#simple(font);
    if (measure) this.#known.set(font, measure);
    return measure;
  }

  #composite(font: Dictionary): Measure | undefined {
    const file = this.#file;
    const inner = file.dictionary(file.array(font.get("DescendantFonts"))?.[0]);
    if (!inner || file.name(font.get("Encoding")) !== "Identity-H") return undefined;
    const widths = new CidWidths(file, inner);
    return (latin1) => {
      const glyphs = Math.floor(latin1.length / 2);
      let width = 0;
      for (let at = 0; at < glyphs; at++)
        width += widths.of(latin1.charCodeAt(2 * at) * 256 + latin1.charCodeAt(2 * at + 1));
      return { width, glyphs, spaces: 0 };
    };
  }

  #simple(font: Dictionary): Measure {
    const file = this.#file;
    const isType3 = file.name(font.get("Subtype")) === "Type3";
    const scale = isType3 ? 1000 * (file.number(file.array(font.get("FontMatrix"))?.[0]) ?? 0.001) : 1;
    const widthOf = simpleWidths(file, font) ?? this.#standard(font);
    return (latin1) => {
      let [width, spaces] = [0, 0];
      for (let at = 0; at < latin1.length; at++) {
        const code = latin1.charCodeAt(at);
        width += widthOf(code) * scale;
        if (code === 32) spaces++;
      }
      return { width, glyphs: latin1.length, spaces };
    };
  }

  #standard(font: Dictionary): (code: number) => number {
    const widthOf = standardWidths(this.#file.name(font.get("BaseFont")) ?? "");
    const { names } = readSimpleEncoding(this.#file, font.get("Encoding"), standardEncoding());
    return (code) => widthOf(unicodeOfName(names[code] ?? "") ?? "") ?? 0;
  }
}

/** Follows the text state (9.3) through one content stream. */
export class TextAdvances {
  readonly #file: PdfFile;
  readonly #resources: Dictionary | undefined;
  readonly #fonts: FontMeasures;
  readonly #saved: TextState[] = [];
  #state = INITIAL;

  constructor(file: PdfFile, resources: Dictionary | undefined, fonts: FontMeasures) {
    this.#file = file;
    this.#resources = resources;
    this.#fonts = fonts;
  }

  follow({ operator, operands }: ContentOperation): void {
    const state = this.#state;
    if (operator === "q" && this.#saved.length < MAX_SAVED) this.#saved.push(state);
    else if (operator === "Q") this.#state = this.#saved.pop() ?? state;
    else if (operator === "Tf")
      this.#state = { ...state, font: this.#named("Font", operands[0]), size: real(operands[1]) };
    else if (operator === "Tc") this.#state = { ...state, characterSpacing: real(operands[0]) };
    else if (operator === "Tw") this.#state = { ...state, wordSpacing: real(operands[0]) };
    else if (operator === '"')
      this.#state = { ...state, wordSpacing: real(operands[0]), characterSpacing: real(operands[1]) };
    else if (operator === "gs") {
      const set = this.#file.array(this.#file.dictionary(this.#named("ExtGState", operands[0]))?.get("Font"));
      if (set) this.#state = { ...state, font: set[0], size: real(set[1]) };
    }
  }

  /**
   * Returns a function that computes the adjustment for `TJ` that moves text as far as a text-showing operation, in the
   * current state. The function returns undefined if that is unknown.
   */
  of({ operands }: ContentOperation): () => number | undefined {
    const { font, size, characterSpacing, wordSpacing } = this.#state;
    const shown = operands.at(-1);
    return () => {
      const measure = this.#fonts.of(font);
      if (!measure || size === 0) return undefined;
      let sum = 0;
      for (const part of Array.isArray(shown) ? shown : [shown]) {
        if (typeof part === "number") sum += part;
        if (!(part instanceof PdfString)) continue;
        const { width, glyphs, spaces } = measure(part.latin1);
        sum -= width + ((glyphs * characterSpacing + spaces * wordSpacing) * 1000) / size;
      }
      return sum;
    };
  }

  #named(category: string, name: Value | undefined): Value | undefined {
    const entries = this.#file.dictionary(this.#resources?.get(category));
    return name instanceof Name ? entries?.get(name.text) : undefined;
  }
}

const real = (value: Value | undefined): number => Number(value) || 0;
