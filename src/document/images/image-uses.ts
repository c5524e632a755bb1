// Finds the largest size of each image of a file: on pages, in forms, patterns, glyphs, soft masks and annotation
// appearances (ISO 32000-1, 8.10, 8.7.3, 9.6.5, 11.5 and 12.5.5).

import type { PdfFile } from "../objects/pdf-file.ts";
import { Dictionary, PdfStream, Reference, type Value } from "../objects/values.ts";
import { readPages } from "../pages/pages.ts";
import { type Draw, type Draws, IDENTITY, type Linear, multiply, readDraws } from "./draws.ts";

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
  /** The resources with its named color spaces. */
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

const MAX_CONTENT_BYTES = 64 * 2 ** 20;
/** Maximum number of sizes per content stream. After it, only larger sizes are examined. */
const MAX_SIZES = 24;
/** Maximum product of content streams and sizes. Forms in hostile files can draw each other endlessly. */
const MAX_VISITS = 200_000;

/** Content with its own initial space. */
interface Content {
  readonly streams: readonly Reference[];
  readonly resources: Dictionary | undefined;
  readonly linear: Linear;
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
  readonly #sizes = new Map<string, Linear[]>();
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
      const linear: Linear = [unit, 0, 0, unit];
      const resources = file.dictionary(page.get("Resources") ?? inherited.Resources);
      this.#add({ streams: this.#contentsOf(page), resources, linear });
      for (const annotation of file.array(page.get("Annots")) ?? [])
        this.#addAppearances(annotation, resources, linear);
      this.#drain();
    }
    const scales = this.#waiting.length === 0 ? this.#scales : new Map<number, number>();
    return { images: this.#images, softMasks: this.#softMasks, inline: [...this.#inline.values()], scales };
  }

  #drain(): void {
    for (let next = this.#waiting.pop(); next && this.#visits < MAX_VISITS; next = this.#waiting.pop()) {
      this.#visits++;
      const { draws, largest } = this.#drawsOf(next);
      this.#noteScale(next, norm(next.linear) * (next.streams.length > 1 ? largest : 1));
      for (const draw of draws) this.#follow(draw, next);
    }
  }

  /** Records the scale. A content stream of a page starts with the matrix that the previous stream left. */
  #noteScale({ streams }: Content, scale: number): void {
    for (const { number } of streams) this.#scales.set(number, Math.max(scale, this.#scales.get(number) ?? 0));
  }

  #contentsOf(page: Dictionary): Reference[] {
    const contents = page.get("Contents");
    const list = this.#file.array(contents) ?? [contents];
    return list.filter((value) => value instanceof Reference);
  }

  /** Adds content once per size, up to the maximum number of sizes. */
  #add(content: Content): void {
    if (content.streams.length === 0 || !content.linear.every(Number.isFinite)) return;
    const key = content.streams.map(({ number }) => number).join(" ");
    const sizes = this.#sizes.get(key) ?? [];
    this.#sizes.set(key, sizes);
    const isKnown = sizes.some((known) => isLike(known, content.linear));
    if (isKnown || (sizes.length >= MAX_SIZES && !sizes.every((known) => norm(known) < norm(content.linear)))) return;
    if (sizes.length >= MAX_SIZES) sizes.shift();
    sizes.push(content.linear);
    this.#waiting.push(content);
  }

  #drawsOf({ streams }: Content): Draws {
    const key = streams.map(({ number }) => number).join(" ");
    const known = this.#draws.get(key);
    if (known) return known;
    const draws = streams.length === 1 ? readDraws(this.#bytes(streams[0]!)) : readDraws(this.#joined(streams));
    this.#draws.set(key, draws);
    return draws;
  }

  #bytes(reference: Reference): Uint8Array {
    const stream = this.#file.stream(reference);
    try {
      return stream?.body.decoded(MAX_CONTENT_BYTES) ?? new Uint8Array(0);
    } catch {
      // Content that cannot be decoded draws nothing.
      return new Uint8Array(0);
    }
  }

  /** Joins the content streams of a page with white space between them (7.8.2). */
  #joined(streams: readonly Reference[]): Uint8Array {
    return Buffer.concat(streams.flatMap((stream) => [this.#bytes(stream), Buffer.from("\n")]));
  }

  #follow({ kind, name, index, linear }: Draw, content: Content): void {
    const at = multiply(linear, content.linear);
    const { resources, streams } = content;
    if (kind === "inline") {
      this.#useInline(streams, index, at, resources);
      return;
    }
    const value = this.#file.dictionary(resources?.get(kind))?.get(name);
    if (value === undefined) return;
    if (kind === "XObject") this.#followXObject(value, at, resources);
    else if (kind === "Pattern") this.#addForm(value, content.linear, resources);
    else if (kind === "Font") this.#followFont(value, at, resources);
    else this.#followMask(value, at, resources);
  }

  #followXObject(value: Value, linear: Linear, resources: Dictionary | undefined): void {
    const file = this.#file;
    const dictionary = file.stream(value)?.dictionary;
    if (!dictionary || !(value instanceof Reference)) return;
    if (file.name(dictionary.get("Subtype")) !== "Image") {
      this.#addForm(value, linear, resources);
      return;
    }
    const [a, b, c, d] = linear;
    const extent = { width: Math.hypot(a, b), height: Math.hypot(c, d) };
    this.#use(value.number, extent);
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

  #useInline(streams: readonly Reference[], index: number, linear: Linear, resources: Dictionary | undefined): void {
    // In joined streams, the index does not identify the inline image in its stream.
    if (streams.length !== 1) return;
    const [a, b, c, d] = linear;
    const key = `${streams[0]!.number} ${index}`;
    const known = this.#inline.get(key);
    const width = Math.max(Math.hypot(a, b), known?.width ?? 0);
    const height = Math.max(Math.hypot(c, d), known?.height ?? 0);
    this.#inline.set(key, { stream: streams[0]!, index, resources, width, height });
  }

  /** Adds a form or a tiling pattern: a content stream with a matrix, usually with its own resources. */
  #addForm(value: Value, linear: Linear, resources: Dictionary | undefined): void {
    const file = this.#file;
    const stream = file.stream(value);
    if (!stream || !(value instanceof Reference)) return;
    this.#add({
      streams: [value],
      resources: file.dictionary(stream.dictionary.get("Resources")) ?? resources,
      linear: multiply(this.#matrixOf(stream.dictionary, "Matrix") ?? IDENTITY, linear),
    });
  }

  #followMask(state: Value, linear: Linear, resources: Dictionary | undefined): void {
    const file = this.#file;
    const mask = file.dictionary(file.dictionary(state)?.get("SMask"));
    const group = mask?.get("G");
    if (group !== undefined) this.#addForm(group, linear, resources);
  }

  #followFont(value: Value, linear: Linear, resources: Dictionary | undefined): void {
    const file = this.#file;
    const font = file.dictionary(value);
    if (!font || file.name(font.get("Subtype")) !== "Type3") return;
    const own = file.dictionary(font.get("Resources")) ?? resources;
    const at = multiply(this.#matrixOf(font, "FontMatrix") ?? [0.001, 0, 0, 0.001], linear);
    for (const glyph of file.dictionary(font.get("CharProcs"))?.values() ?? []) {
      if (glyph instanceof Reference) this.#add({ streams: [glyph], resources: own, linear: at });
    }
  }

  /**
   * Adds the appearances of an annotation. The transformed BBox of an appearance is scaled to the annotation's Rect
   * (12.5.5).
   */
  #addAppearances(value: Value, resources: Dictionary | undefined, linear: Linear): void {
    const file = this.#file;
    const annotation = file.dictionary(value);
    const appearances = file.dictionary(annotation?.get("AP"));
    if (!annotation || !appearances) return;
    const rectangle = this.#sizeOf(annotation.get("Rect"), IDENTITY);
    for (const entry of appearances.values()) {
      const states = file.resolve(entry);
      const forms = states instanceof PdfStream ? [entry] : states instanceof Dictionary ? states.values() : [];
      for (const form of forms) {
        const stream = file.stream(form);
        if (!stream) continue;
        const box = this.#sizeOf(
          stream.dictionary.get("BBox"),
          this.#matrixOf(stream.dictionary, "Matrix") ?? IDENTITY,
        );
        const [x, y] = [scale(rectangle?.width, box?.width), scale(rectangle?.height, box?.height)];
        this.#addForm(form, multiply([x, 0, 0, y], linear), resources);
      }
    }
  }

  #matrixOf(dictionary: Dictionary, key: string): Linear | undefined {
    const numbers = this.#numbers(dictionary.get(key));
    return numbers.length === 6 ? (numbers.slice(0, 4) as unknown as Linear) : undefined;
  }

  #sizeOf(value: Value | undefined, [a, b, c, d]: Linear): Extent | undefined {
    const numbers = this.#numbers(value);
    if (numbers.length !== 4) return undefined;
    const [width, height] = [Math.abs(numbers[2]! - numbers[0]!), Math.abs(numbers[3]! - numbers[1]!)];
    // The size of the bounding box of the transformed box.
    return {
      width: Math.abs(a) * width + Math.abs(c) * height,
      height: Math.abs(b) * width + Math.abs(d) * height,
    };
  }

  #numbers(value: Value | undefined): number[] {
    const numbers = (this.#file.array(value) ?? []).map((number) => this.#file.number(number));
    return numbers.every((number) => number !== undefined) ? numbers : [];
  }
}

const scale = (wanted: number | undefined, is: number | undefined) => (wanted && is ? wanted / is : 1);

const norm = (linear: Linear) => Math.hypot(...linear);

/** Reports whether two maps are equal within 1/10,000. */
function isLike(a: Linear, b: Linear): boolean {
  const tolerance = 1e-4 * norm(a);
  return a.every((number, index) => Math.abs(number - b[index]!) <= tolerance);
}
