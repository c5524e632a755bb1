// Finds the largest size at which a file draws each of its images: on pages, in forms, patterns, glyphs, soft masks and
// annotation appearances (ISO 32000-1, 8.10, 8.7.3, 9.6.5, 11.5 and 12.5.5).

import { appearanceMatrix } from "../content/boxes.ts";
import { type Matrix, multiply, norm } from "../content/matrix.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { type Dictionary, Reference, type Value } from "../objects/values.ts";
import { readPages } from "../pages/pages.ts";
import {
  appearanceForms,
  contentBytes,
  contentsOf,
  type Draw,
  type DrawnContent,
  DrawReader,
  drawnContents,
  drawnImage,
} from "./draws.ts";

/** The largest appearance of an image, in points along its width and height. */
export interface Extent {
  readonly width: number;
  readonly height: number;
}

/** An inline image in a content stream (8.9.7). */
export interface InlineUse extends Extent {
  /** The content stream with the image. `index`: its index among the inline images there, from 0. */
  readonly stream: Reference;
  readonly index: number;
  /** The resources that define the color spaces that the image names. */
  readonly resources: Dictionary | undefined;
}

export interface ImageUses {
  /** The images, by object number. */
  readonly images: ReadonlyMap<number, Extent>;
  /** Object numbers of the soft masks of other images. */
  readonly softMasks: ReadonlySet<number>;
  readonly inline: readonly InlineUse[];
  /** Maximum length, in points, of one unit of a content stream's initial space, by object number. */
  readonly scales: ReadonlyMap<number, number>;
}

/**
 * Maximum number of different draws per content stream. Further draws are ignored: their sizes hardly differ from the
 * recorded sizes.
 */
const MAX_DRAWS = 20_000;
/** Maximum number of sizes per content stream. Once it is reached, only larger sizes are examined. */
const MAX_SIZES = 24;
/** Maximum product of content streams and sizes. Forms in hostile files can draw each other endlessly. */
const MAX_VISITS = 200_000;

/** Content with its own initial space. */
interface Content extends Pick<DrawnContent, "resources"> {
  readonly streams: readonly Reference[];
  /** Maps the initial space to the page, in points. Only the linear part is used. */
  readonly matrix: Matrix;
}

interface Draws {
  /** The draws, one per object and size. */
  readonly draws: readonly Draw[];
  /** Maximum length of one unit anywhere in the content. */
  readonly largest: number;
}

/** Examines all content, including hidden layers, because users can show them. */
export function findImageUses(file: PdfFile): ImageUses {
  return new Walk(file).run();
}

class Walk {
  readonly #file: PdfFile;
  readonly #images = new Map<number, Extent>();
  readonly #softMasks = new Set<number>();
  readonly #inline = new Map<string, InlineUse>();
  readonly #draws = new Map<string, Draws>();
  readonly #sizes = new Map<string, Matrix[]>();
  readonly #scales = new Map<number, number>();
  readonly #waiting: Content[] = [];
  #visits = 0;

  constructor(file: PdfFile) {
    this.#file = file;
  }

  run(): ImageUses {
    const file = this.#file;
    for (const { reference, inherited } of readPages(file).pages) {
      const page = file.dictionary(reference);
      if (!page) continue;
      const unit = file.number(page.get("UserUnit")) ?? 1;
      const matrix: Matrix = [unit, 0, 0, unit, 0, 0];
      const resources = file.dictionary(page.get("Resources") ?? inherited.Resources);
      this.#add({ streams: this.#streamsOf(page), resources, matrix });
      for (const annotation of file.array(page.get("Annots")) ?? [])
        this.#addAppearances(annotation, resources, matrix);
      this.#drain();
    }
    const scales = this.#waiting.length === 0 ? this.#scales : new Map<number, number>();
    return { images: this.#images, softMasks: this.#softMasks, inline: [...this.#inline.values()], scales };
  }

  #drain(): void {
    for (let next = this.#waiting.pop(); next && this.#visits < MAX_VISITS; next = this.#waiting.pop()) {
      this.#visits++;
      const { draws, largest } = this.#drawsOf(next);
      this.#noteScale(next, norm(next.matrix) * (next.streams.length > 1 ? largest : 1));
      for (const draw of draws) this.#follow(draw, next);
    }
  }

  /**
   * Records the scale. If a page has several content streams, each stream starts with the matrix at the end of the
   * previous stream.
   */
  #noteScale({ streams }: Content, scale: number): void {
    for (const { number } of streams) this.#scales.set(number, Math.max(scale, this.#scales.get(number) ?? 0));
  }

  #streamsOf(page: Dictionary): Reference[] {
    const contents = page.get("Contents");
    const list = this.#file.array(contents) ?? [contents];
    return list.filter((value) => value instanceof Reference);
  }

  /** Adds content once per size, up to the maximum number of sizes. */
  #add(content: Content): void {
    if (content.streams.length === 0 || !content.matrix.every(Number.isFinite)) return;
    const key = content.streams.map(({ number }) => number).join(" ");
    const sizes = this.#sizes.get(key) ?? [];
    this.#sizes.set(key, sizes);
    const isKnown = sizes.some((known) => isLike(known, content.matrix));
    if (isKnown || (sizes.length >= MAX_SIZES && !sizes.every((known) => norm(known) < norm(content.matrix)))) return;
    if (sizes.length >= MAX_SIZES) sizes.shift();
    sizes.push(content.matrix);
    this.#waiting.push(content);
  }

  #drawsOf({ streams }: Content): Draws {
    const key = streams.map(({ number }) => number).join(" ");
    const known = this.#draws.get(key);
    if (known) return known;
    const draws = new Map<string, Draw>();
    const reader = new DrawReader(this.#bytes(streams));
    for (const draw of reader.draws()) {
      const linear = draw.matrix.slice(0, 4).map((number) => number.toPrecision(4));
      const key = `${draw.kind} ${draw.index} ${linear.join(" ")} ${draw.name}`;
      // The data of inline images would keep the content in memory.
      const { data: _, ...kept } = draw;
      if (draws.size < MAX_DRAWS && !draws.has(key)) draws.set(key, kept);
    }
    const read = { draws: [...draws.values()], largest: reader.largest };
    this.#draws.set(key, read);
    return read;
  }

  /** Joins the content streams of a page with white space between them (7.8.2). */
  #bytes([first, ...others]: readonly Reference[]): Uint8Array {
    const bytes = contentBytes(this.#file.stream(first));
    if (others.length === 0) return bytes;
    const rest = others.flatMap((stream) => [Buffer.from("\n"), contentBytes(this.#file.stream(stream))]);
    return Buffer.concat([bytes, ...rest]);
  }

  #follow(draw: Draw, { resources, streams, matrix: outer }: Content): void {
    const [a, b, c, d] = multiply(draw.matrix, outer);
    const extent = { width: Math.hypot(a, b), height: Math.hypot(c, d) };
    const image = drawnImage(this.#file, draw, resources);
    if (image?.reference) this.#useImage(image.reference, image.dictionary, extent);
    else if (image) this.#useInline(streams, draw.index, extent, resources);
    for (const content of drawnContents(this.#file, draw, resources)) this.#addContent(content, outer);
  }

  #addContent({ reference, resources, matrix }: DrawnContent, outer: Matrix): void {
    this.#add({ streams: [reference], resources, matrix: multiply(matrix, outer) });
  }

  #useImage(reference: Reference, dictionary: Dictionary, extent: Extent): void {
    const file = this.#file;
    this.#use(reference.number, extent);
    // Masks cover the whole image, regardless of their own size in pixels (8.9.6.3, 11.6.5.3).
    for (const key of ["SMask", "Mask"]) {
      const mask = dictionary.get(key);
      if (!(mask instanceof Reference) || !file.stream(mask)) continue;
      this.#use(mask.number, extent);
      if (key === "SMask") this.#softMasks.add(mask.number);
    }
    for (const alternate of file.array(dictionary.get("Alternates")) ?? []) {
      const image = file.dictionary(alternate)?.get("Image");
      if (image instanceof Reference) this.#use(image.number, extent);
    }
  }

  #use(number: number, { width, height }: Extent): void {
    const known = this.#images.get(number);
    this.#images.set(number, {
      width: Math.max(width, known?.width ?? 0),
      height: Math.max(height, known?.height ?? 0),
    });
  }

  #useInline(
    [stream, ...others]: readonly Reference[],
    index: number,
    extent: Extent,
    resources: Dictionary | undefined,
  ): void {
    // In joined streams, the index does not identify the inline image in its stream.
    if (!stream || others.length > 0) return;
    const key = `${stream.number} ${index}`;
    const known = this.#inline.get(key);
    const width = Math.max(extent.width, known?.width ?? 0);
    const height = Math.max(extent.height, known?.height ?? 0);
    this.#inline.set(key, { stream, index, resources, width, height });
  }

  #addAppearances(value: Value, resources: Dictionary | undefined, matrix: Matrix): void {
    const file = this.#file;
    const annotation = file.dictionary(value);
    for (const form of appearanceForms(file, annotation, ["N", "R", "D"])) {
      const stream = file.stream(form);
      const placed = annotation && stream && appearanceMatrix(file, annotation, stream.dictionary);
      const scales: Matrix = [placed?.[0] || 1, 0, 0, placed?.[3] || 1, 0, 0];
      for (const content of contentsOf(file, form, scales, resources)) this.#addContent(content, matrix);
    }
  }
}

/** Reports whether the linear parts of two matrices are equal within 1/10,000. */
function isLike(a: Matrix, b: Matrix): boolean {
  const tolerance = 1e-4 * norm(a);
  return a.slice(0, 4).every((number, index) => Math.abs(number - b[index]!) <= tolerance);
}
