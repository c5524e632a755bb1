// Ends texts before the size of their font changes. MuPDF counts the widths of removed glyphs in font sizes, and moves by
// them when it writes the next glyph, in the size of that glyph. A glyph without width or shape makes it move at once.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { serialize, serializeNumber } from "../../objects/serialize.ts";
import { Dictionary, Name, PdfStream, plainBody, type Reference, type Value } from "../../objects/values.ts";

const MAX_SAVED = 512;
/** Rise of the glyph above the page, where no mark covers it. */
const RISE = 1_000_000;
const GLYPH = "<00>";
/** The characters of the glyph: a space of no width, which no search regards. */
const TO_UNICODE =
  "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <00> <200b> endbfchar endcmap";
const PLACING = /^(?:BT|ET|Td|TD|Tm|T\*|['"])$/;
const SHOWING = /^(?:T[jJ]|['"])$/;

interface TextState {
  readonly font: string | undefined;
  readonly size: number;
  readonly scale: number;
  readonly rise: number;
}

const numberOf = (value: Value | undefined): number => (typeof value === "number" ? value : 0);

export class SizeChanges {
  readonly #isVertical: (font: string) => boolean;
  readonly #name: string;
  readonly #saved: TextState[] = [];
  #state: TextState = { font: undefined, size: 0, scale: 100, rise: 0 };
  #hasText = false;
  isUsed = false;

  /**
   * @param name of the font of the glyph
   * @param isVertical reports whether a font writes downwards: its texts are left as they are
   */
  constructor(name: string, isVertical: (font: string) => boolean) {
    this.#name = name;
    this.#isVertical = isVertical;
  }

  /**
   * @param states fonts of graphics states, by name
   * @returns operators to insert before an operation; "" if there is nothing to end
   */
  before(operator: string, operands: readonly Value[], states: ReadonlyMap<string, StateFont>): string {
    const before = this.#state;
    if (PLACING.test(operator)) this.#hasText = false;
    if (SHOWING.test(operator)) this.#hasText = true;
    if (operator === "q" && this.#saved.length < MAX_SAVED) this.#saved.push(before);
    this.#state = this.#after(operator, operands, states);
    const { font, size, scale, rise } = before;
    if (!this.#hasText || font === undefined || (this.#state.size === size && this.#state.scale === scale)) return "";
    if (size === 0 || this.#isVertical(font)) return "";
    this.#hasText = false;
    this.isUsed = true;
    const glyph = `/${this.#name} ${serializeNumber(size)} Tf ${RISE} Ts ${GLYPH} Tj ${serializeNumber(rise)} Ts`;
    return `${glyph} ${serialize(Name.of(font), ({ number }) => number)} ${serializeNumber(size)} Tf `;
  }

  #after(operator: string, operands: readonly Value[], states: ReadonlyMap<string, StateFont>): TextState {
    const [first, second] = operands;
    const state = this.#state;
    if (operator === "Tf" && first instanceof Name) return { ...state, font: first.text, size: numberOf(second) };
    if (operator === "Tz") return { ...state, scale: numberOf(first) };
    if (operator === "Ts") return { ...state, rise: numberOf(first) };
    if (operator === "Q") return this.#saved.pop() ?? state;
    const set = operator === "gs" && first instanceof Name ? states.get(first.text) : undefined;
    return set ? { ...state, font: set.font, size: set.size } : state;
  }
}

/** Font that a graphics state sets. */
export interface StateFont {
  /** Name of the font in the resources. */
  readonly font: string;
  readonly size: number;
}

const added = new WeakMap<PdfFile, Reference>();

/** Returns the font with a glyph without width or shape. */
export function emptyFont(file: PdfFile): Reference {
  const known = added.get(file);
  if (known) return known;
  const streamOf = (text: string) =>
    file.add(new PdfStream(new Dictionary(), plainBody(new Uint8Array(Buffer.from(text)))));
  const font = file.add(
    Dictionary.of({
      Type: Name.of("Font"),
      Subtype: Name.of("Type3"),
      FontBBox: [0, 0, 0, 0],
      FontMatrix: [0.001, 0, 0, 0.001, 0, 0],
      CharProcs: Dictionary.of({ empty: streamOf("0 0 d0") }),
      Encoding: Dictionary.of({ Type: Name.of("Encoding"), Differences: [0, Name.of("empty")] }),
      FirstChar: 0,
      LastChar: 0,
      Widths: [0],
      Resources: new Dictionary(),
      ToUnicode: streamOf(TO_UNICODE),
    }),
  );
  added.set(file, font);
  return font;
}
