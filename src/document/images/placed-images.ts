// Lists the images on a page with their positions and resolutions: in content, forms, patterns, glyphs, soft masks and
// annotation appearances (ISO 32000-1, 8.3.4 and 8.9.5).
import { appearanceMatrix, intersection, readBox } from "../content/boxes.ts";
import { type Box, boundsOf, type Matrix, multiply } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Dictionary, PdfStream } from "../objects/values.ts";
import {
  appearanceForms,
  contentBytes,
  contentsOf,
  type Draw,
  type DrawnContent,
  type DrawnImage,
  DrawReader,
  drawnContents,
  drawnImage,
} from "./draws.ts";

export interface PlacedImage {
  /** Bounds of the image in the target space. */
  readonly box: Box;
  /** Image pixels per unit of the target space, along x and y. */
  readonly density: readonly [x: number, y: number];
  readonly image: DrawnImage;
  /** Maps the image's unit square to the target space. */
  readonly matrix: Matrix;
}

const DEFAULT_LIMIT = 2_000;
/** Maximum number of content streams read per page. Forms in hostile files can draw each other endlessly. */
const MAX_STREAMS = 5_000;
const MAX_OPERATIONS = 4_000_000;
const MAX_DEPTH = 16;

export interface PlacingOptions {
  /** Maps default user space to the target space. */
  readonly matrix: Matrix;
  /** Bounds of the page in the target space. */
  readonly bounds: Box;
  readonly annotations: boolean;
  /** Maximum number of placed images. @default 2,000 */
  readonly limit?: number;
}

/** @param page dictionary with inherited entries */
export function placedImages(file: PdfFile, page: Dictionary, options: PlacingOptions): readonly PlacedImage[] {
  return new Placing(file, options).run(page);
}

interface Content extends Pick<DrawnContent, "resources" | "isRepeated"> {
  readonly bytes: Uint8Array;
  /** Maps the initial space of the content to the target space. */
  readonly matrix: Matrix;
  /** Bounds of the content in the target space. */
  readonly box: Box;
  readonly depth: number;
}

class Placing {
  readonly #file: PdfFile;
  readonly #options: PlacingOptions;
  readonly #placed: PlacedImage[] = [];
  readonly #decoded = new Map<PdfStream, Uint8Array>();
  /** Glyphs and pattern cells that have been read, by the resources that name them. */
  readonly #repeated = new Map<Dictionary | undefined, Set<string>>();
  readonly #budget = { operations: MAX_OPERATIONS };
  #streams = 0;

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
    for (const value of (annotations && file.array(page.get("Annots"))) || []) {
      const annotation = file.dictionary(value);
      for (const form of appearanceForms(file, annotation, ["N"])) {
        const stream = file.stream(form);
        const placed = annotation && stream && appearanceMatrix(file, annotation, stream.dictionary);
        for (const drawn of placed ? contentsOf(file, form, placed, resources) : []) this.#enter(drawn, content);
      }
    }
    return this.#placed;
  }

  #bytes(stream: PdfStream): Uint8Array {
    const bytes = this.#decoded.get(stream) ?? contentBytes(stream);
    this.#decoded.set(stream, bytes);
    return bytes;
  }

  #read(content: Content): void {
    if (content.depth > MAX_DEPTH || ++this.#streams > MAX_STREAMS) return;
    const { bytes, resources, matrix } = content;
    for (const draw of new DrawReader(bytes, this.#budget).draws()) {
      if (this.#placed.length >= (this.#options.limit ?? DEFAULT_LIMIT)) return;
      const image = drawnImage(this.#file, draw, resources);
      if (image) this.#image(image, multiply(draw.matrix, matrix), content);
      let isKnown: boolean | undefined;
      for (const drawn of drawnContents(this.#file, draw, resources)) {
        isKnown ??= drawn.isRepeated && this.#isKnown(draw, content);
        if (isKnown) break;
        this.#enter(drawn, content);
      }
    }
  }

  #enter({ stream, resources, matrix: inner, isRepeated: repeats }: DrawnContent, outer: Content): void {
    const matrix = multiply(inner, outer.matrix);
    const isRepeated = outer.isRepeated || repeats;
    const own = readBox(this.#file, stream.dictionary.get("BBox"));
    const box = own && !isRepeated ? intersection(boundsOf(matrix, own), outer.box) : outer.box;
    if (!box) return;
    this.#read({ bytes: this.#bytes(stream), resources, matrix, box, isRepeated, depth: outer.depth + 1 });
  }

  /** Reports whether glyphs or pattern cells have been placed in the same bounds and at the same size. */
  #isKnown({ kind, name, matrix: inner }: Draw, { resources, matrix, box }: Content): boolean {
    const size = multiply(inner, matrix)
      .slice(0, 4)
      .map((part) => part.toPrecision(3));
    const key = [kind, ...size, ...box, name].join(" ");
    const known = this.#repeated.get(resources) ?? new Set();
    const isKnown = known.has(key);
    this.#repeated.set(resources, known.add(key));
    return isKnown;
  }

  #image(image: DrawnImage, matrix: Matrix, { box, isRepeated }: Content): void {
    const file = this.#file;
    const { dictionary } = image;
    const side = (holder: Dictionary | undefined, key: string) => file.number(holder?.get(key)) ?? 0;
    const [a, b, c, d] = matrix;
    const area = Math.abs(a * d - b * c);
    const place = isRepeated ? box : intersection(boundsOf(matrix, UNIT), box);
    if (!place || !(area > 0)) return;
    // Masks cover the whole image, regardless of their own size in pixels (8.9.6.3, 11.6.5.3).
    const masks = ["SMask", "Mask"].map((key) => file.stream(dictionary.get(key))?.dictionary);
    const width = Math.max(side(dictionary, "W"), ...[dictionary, ...masks].map((one) => side(one, "Width")));
    const height = Math.max(side(dictionary, "H"), ...[dictionary, ...masks].map((one) => side(one, "Height")));
    // Number of image pixels that one unit along x, and one unit along y, crosses; correct for any rotation.
    const density = [Math.hypot(width * d, height * b) / area, Math.hypot(width * c, height * a) / area] as const;
    const isUsable = density.every((part) => part > 0 && Number.isFinite(part));
    if (isUsable) this.#placed.push({ box: place, density, image, matrix });
  }
}

const UNIT: Box = [0, 0, 1, 1];
