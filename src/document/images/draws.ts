// Lists the objects that content draws, with their resource names and matrices (ISO 32000-1, 8.3). Some of these
// objects, such as forms, contain content that can be listed in turn.
import { readMatrix } from "../content/boxes.ts";
import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { IDENTITY, type Matrix, multiply, norm } from "../content/matrix.ts";
import { TEXT_SHOWING } from "../content/operators.ts";
import { Lexer } from "../objects/parsing/lexer.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, type PdfStream, Reference, type Value } from "../objects/values.ts";

/**
 * A use of an object in content. `XObject`: an image or a form. `ExtGState`: the soft mask of the state. `Pattern`:
 * drawn in the initial space of the content stream, regardless of the matrix. `Font`: the glyphs, if they are content
 * streams. `inline`: the inline image with this `index`, from 0.
 */
export interface Draw {
  readonly kind: "XObject" | "ExtGState" | "Pattern" | "Font" | "inline";
  readonly name: string;
  readonly index: number;
  /** Dictionary and data of an inline image. */
  readonly dictionary?: Dictionary;
  readonly data?: Uint8Array;
  /** Maps the unit square, form or glyph space to the initial space of the content stream. */
  readonly matrix: Matrix;
}

/** Content that a draw shows: a form, the cell of a pattern, a glyph or a soft mask. */
export interface DrawnContent {
  readonly reference: Reference;
  readonly stream: PdfStream;
  readonly resources: Dictionary | undefined;
  /** Maps the initial space of this content to the initial space of the content that draws it. */
  readonly matrix: Matrix;
  /** True for pattern cells and glyphs, which are drawn in many places. */
  readonly isRepeated: boolean;
}

/** @param resources the resources of the content that contains the draw */
export function* drawnContents(
  file: PdfFile,
  draw: Draw,
  resources: Dictionary | undefined,
): Generator<DrawnContent, void> {
  const { kind, matrix } = draw;
  const value = resourceOf(file, draw, resources);
  if (kind === "XObject" && !drawnImage(file, draw, resources)) yield* contentsOf(file, value, matrix, resources);
  else if (kind === "Pattern") yield* contentsOf(file, value, IDENTITY, resources, true);
  else if (kind === "ExtGState") {
    const mask = file.dictionary(file.dictionary(value)?.get("SMask"));
    yield* contentsOf(file, mask?.get("G"), matrix, resources);
  }
  const font = kind === "Font" ? file.dictionary(value) : undefined;
  if (!font || file.name(font.get("Subtype")) !== "Type3") return;
  const own = file.dictionary(font.get("Resources")) ?? resources;
  const inner = multiply(readMatrix(file, font.get("FontMatrix")) ?? GLYPH_SPACE, matrix);
  const glyphs = file.dictionary(font.get("CharProcs"))?.values() ?? [];
  for (const glyph of glyphs) yield* contentsOf(file, glyph, inner, own, true);
}

const GLYPH_SPACE: Matrix = [0.001, 0, 0, 0.001, 0, 0];

/**
 * Returns the content of a form, tiling pattern or glyph. Content without Resources uses the given resources.
 * @param matrix applied after the content's own Matrix
 * @returns an empty list for any other value
 */
export function contentsOf(
  file: PdfFile,
  value: Value | undefined,
  matrix: Matrix,
  resources: Dictionary | undefined,
  isRepeated = false,
): readonly DrawnContent[] {
  const stream = value instanceof Reference ? file.stream(value) : undefined;
  if (!stream || !(value instanceof Reference)) return [];
  const { dictionary } = stream;
  const inner = multiply(readMatrix(file, dictionary.get("Matrix")) ?? IDENTITY, matrix);
  const own = file.dictionary(dictionary.get("Resources")) ?? resources;
  return [{ reference: value, stream, resources: own, matrix: inner, isRepeated }];
}

export interface DrawnImage {
  readonly dictionary: Dictionary;
  /** Undefined for an inline image. */
  readonly reference?: Reference;
  /** The resources that define the color spaces that an inline image names. */
  readonly spaces?: Dictionary | undefined;
  /** The data of an inline image, as the content has them. */
  readonly data?: Uint8Array;
}

/** Returns the image that a draw shows. */
export function drawnImage(file: PdfFile, draw: Draw, resources: Dictionary | undefined): DrawnImage | undefined {
  if (draw.dictionary) {
    const spaces = file.dictionary(resources?.get("ColorSpace")) ?? new Dictionary();
    return { dictionary: draw.dictionary, spaces, ...(draw.data ? { data: draw.data } : {}) };
  }
  const value = draw.kind === "XObject" ? resourceOf(file, draw, resources) : undefined;
  const dictionary = file.stream(value)?.dictionary;
  if (!dictionary || !(value instanceof Reference) || file.name(dictionary.get("Subtype")) !== "Image")
    return undefined;
  return { dictionary, reference: value };
}

const resourceOf = (file: PdfFile, { kind, name }: Draw, resources: Dictionary | undefined): Value | undefined =>
  file.dictionary(resources?.get(kind))?.get(name);

/**
 * Returns the appearances of an annotation, in all states.
 * @param entries keys of the appearance dictionary
 */
export function appearanceForms(
  file: PdfFile,
  annotation: Dictionary | undefined,
  entries: readonly ("N" | "R" | "D")[],
): readonly Value[] {
  const appearances = file.dictionary(annotation?.get("AP"));
  return entries.flatMap((entry) => {
    const states = appearances?.get(entry) ?? null;
    return file.stream(states) ? [states] : [...(file.dictionary(states)?.values() ?? [])];
  });
}

const MAX_CONTENT_BYTES = 64 * 2 ** 20;
const MAX_OPERANDS = 6;
const MAX_SAVED = 512;

/** Returns decoded content; no bytes if it cannot be decoded, because such content draws nothing. */
export function contentBytes(stream: PdfStream | undefined): Uint8Array {
  try {
    return stream?.body.decoded(MAX_CONTENT_BYTES) ?? new Uint8Array(0);
  } catch {
    return new Uint8Array(0);
  }
}

interface TextState {
  readonly font: string;
  readonly size: number;
  readonly scale: number;
}

/** Reads the draws of a content stream, in order. */
export class DrawReader {
  readonly #lexer: Lexer;
  /** Start and end offsets of the last operands. */
  #operands: [start: number, end: number][] = [];
  readonly #budget: { operations: number };
  readonly #saved: { readonly matrix: Matrix; readonly text: TextState }[] = [];
  #matrix = IDENTITY;
  #text: TextState = { font: "", size: 1, scale: 1 };
  #textMatrix = IDENTITY;
  #inline = 0;
  /** Maximum length of one unit of user space in the content read so far, in units of the initial space. */
  largest = 1;

  /** @param budget limits the operations to read, and counts them. @default unlimited */
  constructor(bytes: Uint8Array, budget = { operations: Number.POSITIVE_INFINITY }) {
    this.#lexer = new Lexer(bytes);
    this.#budget = budget;
  }

  *draws(): Generator<Draw> {
    const lexer = this.#lexer;
    while (lexer.next() !== "end") {
      if (lexer.kind !== "keyword") {
        if (this.#operands.length >= MAX_OPERANDS) this.#operands.shift();
        this.#operands.push([lexer.start, lexer.end]);
        continue;
      }
      if (this.#budget.operations-- <= 0) return;
      const draw = this.#take(lexer.text);
      if (draw && (draw.name !== "" || draw.kind === "inline") && draw.matrix.every(Number.isFinite)) yield draw;
      this.#operands.length = 0;
    }
  }

  #take(operator: string): Draw | undefined {
    const [matrix, index] = [this.#matrix, 0];
    switch (operator) {
      case "q":
        if (this.#saved.length < MAX_SAVED) this.#saved.push({ matrix, text: this.#text });
        break;
      case "Q":
        this.#restore();
        break;
      case "cm":
        this.#matrix = multiply(this.#operandMatrix(), matrix);
        this.largest = Math.max(this.largest, norm(this.#matrix));
        break;
      case "Do":
        return { kind: "XObject", name: this.#name(), index, matrix };
      case "gs":
        return { kind: "ExtGState", name: this.#name(), index, matrix };
      case "scn":
      case "SCN":
        return { kind: "Pattern", name: this.#name(), index, matrix: IDENTITY };
      case "BI": {
        const dictionary = inlineDictionary(this.#lexer);
        const { start, end } = skipInlineData(this.#lexer, dictionary);
        const data = this.#lexer.bytes.subarray(start, end);
        return { kind: "inline", name: "", index: this.#inline++, dictionary, data, matrix };
      }
      case "BT":
        this.#textMatrix = IDENTITY;
        break;
      case "Tm":
        this.#textMatrix = this.#operandMatrix();
        break;
      case "Tf":
        this.#text = { ...this.#text, font: this.#name(2), size: this.#number(1) };
        break;
      case "Tz":
        this.#text = { ...this.#text, scale: this.#number(1) / 100 };
        break;
      default:
        if (TEXT_SHOWING.has(operator)) return this.#drawText();
    }
    return undefined;
  }

  #restore(): void {
    const saved = this.#saved.pop();
    if (!saved) return;
    this.#matrix = saved.matrix;
    this.#text = saved.text;
  }

  /** Returns a draw of the current font at its current size (9.4.4). */
  #drawText(): Draw {
    const { font, size, scale } = this.#text;
    const matrix = multiply(multiply([size * scale, 0, 0, size, 0, 0], this.#textMatrix), this.#matrix);
    return { kind: "Font", name: font, index: 0, matrix };
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

  #operandMatrix(): Matrix {
    return [6, 5, 4, 3, 2, 1].map((fromEnd) => this.#number(fromEnd)) as unknown as Matrix;
  }
}
