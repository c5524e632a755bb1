// Lists the images on a page with their positions and resolutions: in content, forms, patterns, glyphs, soft masks and
// annotation appearances (ISO 32000-1, 8.3.4 and 8.9.5).
import { readOperations } from "../content/content.ts";
import { type Box, boundsOf, boxOf, fitting, IDENTITY, type Matrix, matrixOf, multiply } from "../content/matrix.ts";
import { TEXT_SHOWING } from "../content/operators.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, PdfStream, Value } from "../objects/values.ts";

export interface PlacedImage {
  /** Bounds of the image in the target space. */
  readonly box: Box;
  /** Image pixels per unit of the target space, along x and y. */
  readonly density: readonly [x: number, y: number];
}

const MAX_CONTENT_BYTES = 64 * 2 ** 20;
const MAX_IMAGES = 2_000;
/** Maximum number of content streams read per page. Forms in hostile files can draw each other endlessly. */
const MAX_STREAMS = 5_000;
const MAX_OPERATIONS = 4_000_000;
const MAX_DEPTH = 16;
const MAX_SAVED = 512;

export interface PlacingOptions {
  /** From default user space to the target space. */
  readonly matrix: Matrix;
  /** Bounds of the page in the target space. */
  readonly bounds: Box;
  readonly annotations: boolean;
}

/** @param page dictionary with inherited entries */
export function placedImages(file: PdfFile, page: Dictionary, options: PlacingOptions): readonly PlacedImage[] {
  return new Placing(file, options).run(page);
}

interface Content {
  readonly bytes: Uint8Array;
  readonly resources: Dictionary | undefined;
  /** From the initial space of the content to the target space. */
  readonly matrix: Matrix;
  /** Bounds of the content in the target space. */
  readonly box: Box;
  /** True for pattern cells and glyphs, which can be anywhere in the box. */
  readonly isRepeated: boolean;
  readonly depth: number;
}

interface State {
  readonly matrix: Matrix;
  readonly font: string;
  readonly size: number;
}

class Placing {
  readonly #file: PdfFile;
  readonly #options: PlacingOptions;
  readonly #placed: PlacedImage[] = [];
  readonly #decoded = new Map<PdfStream, Uint8Array>();
  readonly #glyphSizes = new Map<Dictionary, Set<string>>();
  #streams = 0;
  #operations = 0;

  constructor(file: PdfFile, options: PlacingOptions) {
    this.#file = file;
    this.#options = options;
  }

  run(page: Dictionary): readonly PlacedImage[] {
    const file = this.#file;
    const { matrix, bounds: box, annotations } = this.#options;
    const resources = file.dictionary(page.get("Resources"));
    const contents = page.get("Contents");
    const parts = (file.array(contents) ?? [contents ?? null]).flatMap((part) => {
      const stream = file.stream(part);
      return stream ? [this.#bytes(stream), Buffer.from("\n")] : [];
    });
    const content = { bytes: Buffer.concat(parts), resources, matrix, box, isRepeated: false, depth: 0 };
    this.#read(content);
    for (const annotation of (annotations && file.array(page.get("Annots"))) || []) {
      for (const form of formsOf(file, annotation)) {
        const placed = appearanceMatrix(file, annotation, form);
        if (placed) this.#form(form, content, multiply(placed, matrix));
      }
    }
    return this.#placed;
  }

  #bytes(stream: PdfStream): Uint8Array {
    const known = this.#decoded.get(stream);
    if (known) return known;
    let bytes: Uint8Array = new Uint8Array(0);
    try {
      bytes = stream.body.decoded(MAX_CONTENT_BYTES);
    } catch {
      // Content that cannot be decoded draws nothing.
    }
    this.#decoded.set(stream, bytes);
    return bytes;
  }

  #read(content: Content): void {
    if (content.depth > MAX_DEPTH || ++this.#streams > MAX_STREAMS) return;
    const file = this.#file;
    const saved: State[] = [];
    let state: State = { matrix: content.matrix, font: "", size: 1 };
    let text = IDENTITY;
    for (const { operator, operands } of readOperations(content.bytes)) {
      if (++this.#operations > MAX_OPERATIONS || this.#placed.length >= MAX_IMAGES) return;
      if (operator === "q") {
        if (saved.length < MAX_SAVED) saved.push(state);
      } else if (operator === "Q") state = saved.pop() ?? state;
      else if (operator === "cm") state = { ...state, matrix: multiply(this.#matrix(operands), state.matrix) };
      else if (operator === "BT") text = IDENTITY;
      else if (operator === "Tm") text = this.#matrix(operands);
      else if (operator === "Tf") {
        state = { ...state, font: file.name(operands[0]) ?? "", size: file.number(operands[1]) ?? 1 };
      } else if (TEXT_SHOWING.has(operator)) {
        const { font, size, matrix } = state;
        this.#glyphs(font, content, multiply([size, 0, 0, size, 0, 0], multiply(text, matrix)));
      } else this.#paint(operator, operands, content, state.matrix);
    }
  }

  #paint(operator: string, operands: readonly Value[], content: Content, matrix: Matrix): void {
    const file = this.#file;
    const named = (category: string) =>
      file.dictionary(content.resources?.get(category))?.get(file.name(operands.at(-1)) ?? "");
    if (operator === "BI") this.#image(operands[0] as Dictionary, matrix, content);
    else if (operator === "Do") {
      const object = file.stream(named("XObject"));
      if (object && file.name(object.dictionary.get("Subtype")) === "Image") {
        this.#image(object.dictionary, matrix, content);
      } else if (object) this.#form(object, content, matrix);
    } else if (operator === "gs") {
      const group = file.stream(file.dictionary(file.dictionary(named("ExtGState"))?.get("SMask"))?.get("G"));
      if (group) this.#form(group, content, matrix);
    } else if (operator === "scn" || operator === "SCN") {
      // Pattern space is the initial space of the content (8.7.3.1).
      const tile = file.stream(named("Pattern"));
      if (tile) this.#form(tile, { ...content, isRepeated: true }, content.matrix);
    }
  }

  /** @param caller the content that draws the form, at the given matrix */
  #form(form: PdfStream, caller: Content, matrix: Matrix): void {
    const file = this.#file;
    const { dictionary } = form;
    const inner = multiply(this.#matrix(file.array(dictionary.get("Matrix"))), matrix);
    const own = boxOf(numbersOf(file, dictionary.get("BBox")));
    const box = own && !caller.isRepeated ? intersection(boundsOf(inner, own), caller.box) : caller.box;
    if (!box) return;
    const resources = file.dictionary(dictionary.get("Resources")) ?? caller.resources;
    this.#read({ ...caller, bytes: this.#bytes(form), resources, matrix: inner, box, depth: caller.depth + 1 });
  }

  /** Reads the glyphs of a Type 3 font, once per size. */
  #glyphs(name: string, content: Content, matrix: Matrix): void {
    const file = this.#file;
    const font = file.dictionary(file.dictionary(content.resources?.get("Font"))?.get(name));
    if (!font || file.name(font.get("Subtype")) !== "Type3") return;
    const size = matrix
      .slice(0, 4)
      .map((part) => part.toPrecision(3))
      .join(" ");
    const sizes = this.#glyphSizes.get(font) ?? new Set();
    if (sizes.has(size)) return;
    this.#glyphSizes.set(font, sizes.add(size));
    const inner = multiply(this.#matrix(file.array(font.get("FontMatrix")) ?? [0.001, 0, 0, 0.001, 0, 0]), matrix);
    const resources = file.dictionary(font.get("Resources")) ?? content.resources;
    for (const glyph of file.dictionary(font.get("CharProcs"))?.values() ?? []) {
      const stream = file.stream(glyph);
      if (stream) this.#form(stream, { ...content, resources, isRepeated: true }, inner);
    }
  }

  #image(dictionary: Dictionary, matrix: Matrix, { box, isRepeated }: Content): void {
    const file = this.#file;
    const side = (holder: Dictionary | undefined, key: string) => file.number(holder?.get(key)) ?? 0;
    const [a, b, c, d] = matrix;
    const area = Math.abs(a * d - b * c);
    const place = isRepeated ? box : intersection(boundsOf(matrix, UNIT), box);
    if (!place || !(area > 0)) return;
    // Masks cover the whole image, regardless of their own size in pixels (8.9.6.3, 11.6.5.3).
    const masks = ["SMask", "Mask"].map((key) => file.stream(dictionary.get(key))?.dictionary);
    const width = Math.max(side(dictionary, "W"), ...[dictionary, ...masks].map((one) => side(one, "Width")));
    const height = Math.max(side(dictionary, "H"), ...[dictionary, ...masks].map((one) => side(one, "Height")));
    // Number of pixels crossed by one unit along x and along y, for any rotation.
    const density = [Math.hypot(width * d, height * b) / area, Math.hypot(width * c, height * a) / area] as const;
    if (density.every((part) => part > 0 && Number.isFinite(part))) this.#placed.push({ box: place, density });
  }

  #matrix(operands: readonly Value[] | undefined): Matrix {
    return matrixOf((operands ?? []).map((value) => this.#file.number(value))) ?? IDENTITY;
  }
}

const UNIT: Box = [0, 0, 1, 1];

const numbersOf = (file: PdfFile, value: Value | undefined) =>
  (file.array(value) ?? []).map((element) => file.number(element));

/** @returns undefined if the boxes do not intersect */
export function intersection(one: Box, other: Box): Box | undefined {
  const [left, bottom] = [Math.max(one[0], other[0]), Math.max(one[1], other[1])];
  const [right, top] = [Math.min(one[2], other[2]), Math.min(one[3], other[3])];
  return left < right && bottom < top ? [left, bottom, right, top] : undefined;
}

/** Returns the normal appearances of an annotation, in all states. */
function formsOf(file: PdfFile, annotation: Value): PdfStream[] {
  const normal = file.dictionary(file.dictionary(annotation)?.get("AP"))?.get("N");
  const single = file.stream(normal);
  if (single) return [single];
  return (file.dictionary(normal)?.values() ?? []).flatMap((state) => file.stream(state) ?? []);
}

/** Returns the matrix from appearance space to page space (12.5.5, algorithm 8.1). */
function appearanceMatrix(file: PdfFile, annotation: Value, { dictionary }: PdfStream): Matrix | undefined {
  const rectangle = boxOf(numbersOf(file, file.dictionary(annotation)?.get("Rect")));
  const inner = boxOf(numbersOf(file, dictionary.get("BBox")));
  if (!rectangle || !inner) return undefined;
  return fitting(boundsOf(matrixOf(numbersOf(file, dictionary.get("Matrix"))) ?? IDENTITY, inner), rectangle);
}
