// Lists the objects that a content stream draws, by resource name, and their sizes (ISO 32000-1, 8.3).
import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { TEXT_SHOWING } from "../content/operators.ts";
import { Lexer } from "../objects/parsing/lexer.ts";

/** The linear part of a matrix: a, b, c, d. */
export type Linear = readonly [a: number, b: number, c: number, d: number];

export const IDENTITY: Linear = [1, 0, 0, 1];

/** Returns the linear map that applies `inner` first, then `outer`. */
export function multiply(inner: Linear, outer: Linear): Linear {
  const [a, b, c, d] = inner;
  const [e, f, g, h] = outer;
  return [a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h];
}

/**
 * A use of an object in content. `XObject`: an image or a form. `ExtGState`: the soft mask of the state. `Pattern`:
 * drawn in the initial space of the content stream, regardless of the matrix. `Font`: the glyphs, if they are content
 * streams. `inline`: the inline image with that index, from 0.
 */
export interface Draw {
  readonly kind: "XObject" | "ExtGState" | "Pattern" | "Font" | "inline";
  readonly name: string;
  readonly index: number;
  /** Maps the unit square, form or glyph space to the initial space of the content stream. */
  readonly linear: Linear;
}

/**
 * Maximum number of different draws per content stream. Further sizes are ignored: they hardly differ from the recorded
 * ones.
 */
const MAX_DRAWS = 20_000;
const MAX_OPERANDS = 6;
const MAX_SAVED = 512;

interface TextState {
  readonly font: string;
  readonly size: number;
  readonly scale: number;
}

export interface Draws {
  /** The draws, one per object and size. */
  readonly draws: readonly Draw[];
  /** Maximum length of one unit anywhere in the content. */
  readonly largest: number;
}

export function readDraws(bytes: Uint8Array): Draws {
  return new DrawReader(bytes).read();
}

class DrawReader {
  readonly #lexer: Lexer;
  /** Start and end offsets of the last operands. */
  #operands: [start: number, end: number][] = [];
  readonly #saved: { readonly linear: Linear; readonly text: TextState }[] = [];
  readonly #draws = new Map<string, Draw>();
  #linear = IDENTITY;
  #largest = 1;
  #text: TextState = { font: "", size: 1, scale: 1 };
  #textLinear = IDENTITY;
  #inline = 0;

  constructor(bytes: Uint8Array) {
    this.#lexer = new Lexer(bytes);
  }

  read(): Draws {
    const lexer = this.#lexer;
    while (lexer.next() !== "end") {
      if (lexer.kind !== "keyword") {
        if (this.#operands.length >= MAX_OPERANDS) this.#operands.shift();
        this.#operands.push([lexer.start, lexer.end]);
        continue;
      }
      this.#take(lexer.text);
      this.#operands.length = 0;
    }
    return { draws: [...this.#draws.values()], largest: this.#largest };
  }

  #take(operator: string): void {
    switch (operator) {
      case "q":
        if (this.#saved.length < MAX_SAVED) this.#saved.push({ linear: this.#linear, text: this.#text });
        break;
      case "Q":
        this.#restore();
        break;
      case "cm":
        this.#linear = multiply(this.#matrix(), this.#linear);
        this.#largest = Math.max(this.#largest, Math.hypot(...this.#linear));
        break;
      case "Do":
        this.#draw("XObject", this.#name(), this.#linear);
        break;
      case "gs":
        this.#draw("ExtGState", this.#name(), this.#linear);
        break;
      case "scn":
      case "SCN":
        this.#draw("Pattern", this.#name(), IDENTITY);
        break;
      case "BI":
        skipInlineData(this.#lexer, inlineDictionary(this.#lexer));
        this.#draw("inline", "", this.#linear, this.#inline++);
        break;
      case "BT":
        this.#textLinear = IDENTITY;
        break;
      case "Tm":
        this.#textLinear = this.#matrix();
        break;
      case "Tf":
        this.#text = { ...this.#text, font: this.#name(2), size: this.#number(1) };
        break;
      case "Tz":
        this.#text = { ...this.#text, scale: this.#number(1) / 100 };
        break;
      default:
        if (TEXT_SHOWING.has(operator)) this.#drawText();
    }
  }

  #restore(): void {
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#linear = saved.linear;
    this.#text = saved.text;
  }

  /** Records the use of a font at its current size (9.4.4). */
  #drawText(): void {
    const { font, size, scale } = this.#text;
    if (font === "") return;
    this.#draw("Font", font, multiply(multiply([size * scale, 0, 0, size], this.#textLinear), this.#linear));
  }

  #draw(kind: Draw["kind"], name: string, linear: Linear, index = 0): void {
    if ((name === "" && kind !== "inline") || this.#draws.size >= MAX_DRAWS || !linear.every(Number.isFinite)) return;
    const rounded = linear.map((number) => number.toPrecision(4)).join(" ");
    const key = `${kind} ${index} ${rounded} ${name}`;
    if (!this.#draws.has(key)) this.#draws.set(key, { kind, name, index, linear });
  }

  /** @param fromEnd index from the end, 1 for the last operand */
  #token(fromEnd: number): string {
    const place = this.#operands.at(-fromEnd);
    if (!place) return "";
    const lexer = new Lexer(this.#lexer.bytes.subarray(0, place[1]), place[0]);
    lexer.next();
    return lexer.kind === "name" ? `/${lexer.nameText}` : lexer.text;
  }

  #name(fromEnd = 1): string {
    const token = this.#token(fromEnd);
    return token.startsWith("/") ? token.slice(1) : "";
  }

  #number(fromEnd: number): number {
    return Number.parseFloat(this.#token(fromEnd)) || 0;
  }

  #matrix(): Linear {
    return [this.#number(6), this.#number(5), this.#number(4), this.#number(3)];
  }
}
