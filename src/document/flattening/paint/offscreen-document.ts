// An off-screen copy of the document, used only for drawing. Its first page shows any page of the document, with any
// content.

import type { Box, Matrix } from "../../content/matrix.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { asDrawn, attempt } from "../../drawing/as-drawn.ts";
import { DrawnFile } from "../../drawing/drawn-file.ts";
import { DrawnResources } from "../../drawing/drawn-resources.ts";
import { MupdfDocument } from "../../engines/mupdf/document.ts";
import { type FuelBudget, Mupdf, MupdfError, type MupdfOptions } from "../../engines/mupdf/instance/mupdf.ts";
import type { Pointer } from "../../engines/mupdf/instance/raw.ts";
import { PdfObjects } from "../../engines/mupdf/objects.ts";
import { EngineValues } from "../../objects/engine/engine-values.ts";
import { resolveHybridReferences } from "../../objects/parsing/hybrid.ts";
import { Dictionary, Name, Reference, type Value } from "../../objects/values.ts";

export type ColorModel = "rgb" | "cmyk";
/** Pixels per point along x and y. */
export type Scale = readonly [x: number, y: number];

/** The pixels of a rectangle: interleaved, 8 bits per sample. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly samples: Uint8Array;
}

export interface OffscreenPage {
  readonly page: Dictionary;
  readonly resources: Dictionary | undefined;
  /** The XObject resources. */
  readonly objects: Dictionary | undefined;
  readonly states: Dictionary | undefined;
  /** True if the page might use tiling patterns. */
  readonly hasTilings: boolean;
  /** Number of samples in the page's transparent images. @default 0 */
  readonly imageSamples?: number;
}

const CROP_BOX = 1;
const BAND_BYTES = 40 * 1024 * 1024;
/** Margin, in pixels, by which the drawn area exceeds a band on each side. */
const MARGIN = 2;
const SHRINK = 8;
/** Factor for the fuel of a page, because the page is drawn many times. */
const EFFORT = 4;
/** Fuel per image sample. It suffices to decode each image a few times. */
const FUEL_PER_SAMPLE = 40;
/** Maximum fuel for images, enough for about two minutes. */
const MAX_IMAGE_FUEL = 50_000_000_000;
/** Heap size above which the next page gets a new engine, because a heap never shrinks. */
const RENEWED_BYTES = 160 * 1024 * 1024;
const BOXES = ["MediaBox", "CropBox", "Rotate", "UserUnit", "Group"];

export class OffscreenDocument {
  readonly #document: MupdfDocument;
  #values: EngineValues;
  #objects: PdfObjects;
  /** Repairs the resources of forms in variants. The resources of the page are repaired when it is loaded. */
  #resources: DrawnResources;
  /** Numbers of the objects that contain the forms of a variant. The next variant reuses them. */
  #pool: number[] = [];
  #used = 0;
  #hasTilings = false;
  /** The remaining fuel for drawing the page. */
  #tank: FuelBudget = { fuel: 0 };
  #content = 0;
  #names: Pointer = 0;
  #page: Pointer = 0;
  #bounds: Box = [0, 0, 0, 0];
  #transform: Matrix = [1, 0, 0, 1, 0, 0];

  private constructor(document: MupdfDocument) {
    this.#document = document;
    this.#objects = new PdfObjects(document.engine);
    this.#values = new EngineValues(document.engine, document.pointer);
    this.#resources = new DrawnResources(new DrawnFile(document));
  }

  static async open(bytes: Uint8Array, options: MupdfOptions): Promise<OffscreenDocument> {
    const engine = await Mupdf.create(options);
    return new OffscreenDocument(MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(options)));
  }

  /** The bounds of the page: its crop box in points, rotated. */
  get bounds(): Box {
    return this.#bounds;
  }

  /** The matrix from user space to the space of {@link bounds}. */
  get transform(): Matrix {
    return this.#transform;
  }

  close(): void {
    this.#document.close();
  }

  /** Replaces the current page. */
  async show({ page, resources, objects, states, hasTilings, imageSamples = 0 }: OffscreenPage): Promise<void> {
    this.#hasTilings = hasTilings;
    const imageFuel = Math.min(MAX_IMAGE_FUEL, imageSamples * FUEL_PER_SAMPLE);
    this.#tank = { fuel: this.#document.engine.tank().fuel * EFFORT + imageFuel };
    const { heapBytes, dead } = this.#document.engine;
    if (dead || heapBytes > RENEWED_BYTES) await this.#renew();
    const engine = this.#document.engine;
    this.#dropPage();
    engine.release((raw) => raw._wasm_empty_store());
    const extended = (resources ?? new Dictionary()).clone();
    extended.set("XObject", objects?.clone() ?? new Dictionary());
    extended.set("ExtGState", (states?.clone() ?? new Dictionary()).set(NEUTRAL_NAME, NEUTRAL));
    this.#run(() => {
      const { raw } = engine;
      const target = raw._wasm_pdf_lookup_page_obj(this.#document.pointer, 0);
      if (this.#content === 0) this.#content = raw._wasm_pdf_create_object(this.#document.pointer);
      this.#values.writeStream(this.#content, new Dictionary(), new Uint8Array(0));
      for (const key of BOXES) {
        const value = page.get(key);
        if (value === undefined) this.#objects.delete(target, key);
        else this.#objects.putNew(target, key, this.#values.make(value));
      }
      this.#objects.delete(target, "Annots");
      this.#objects.putNew(target, "Resources", this.#values.make(extended));
      this.#objects.putNew(target, "Contents", this.#values.make(new Reference(this.#content)));
      this.#names = this.#objects.get(this.#objects.get(target, "Resources"), "XObject");
    });
    this.#page = this.#run(() => this.#document.loadPage(0));
    this.#run((raw) => {
      const bounds = raw._wasm_bound_page(this.#page, CROP_BOX) >> 2;
      this.#bounds = Array.from(raw.HEAPF32.subarray(bounds, bounds + 4)) as unknown as Box;
      const matrix = raw._wasm_pdf_page_transform(this.#page) >> 2;
      this.#transform = Array.from(raw.HEAPF32.subarray(matrix, matrix + 6)) as unknown as Matrix;
    });
  }

  /** Starts a variant, which reuses the form objects of the previous variant. */
  begin(): void {
    this.#used = 0;
  }

  /** @returns a new form in this copy, valid until the next {@link begin} */
  form(dictionary: Dictionary, bytes: Uint8Array): Reference {
    const number = this.#run((raw) => {
      const number = this.#pool[this.#used] ?? raw._wasm_pdf_create_object(this.#document.pointer);
      this.#pool[this.#used++] = number;
      this.#values.writeStream(number, dictionary, bytes);
      return number;
    });
    attempt(this.#document, () => this.#resources.repairForm(number));
    return new Reference(number);
  }

  /** Calls `work` while the objects with these numbers are visible, even if their layers are off. */
  reveal<T>(numbers: readonly number[], work: () => T): T {
    const hidden = numbers.map((number) => {
      const object = this.#values.number(number);
      return { object, layer: this.#objects.get(object, "OC") };
    });
    const { raw } = this.#document.engine;
    for (const { layer } of hidden) raw._wasm_pdf_keep_obj(layer);
    for (const { object } of hidden) this.#objects.delete(object, "OC");
    try {
      return work();
    } finally {
      if (!this.#document.engine.dead) {
        for (const { object, layer } of hidden) {
          if (layer !== 0) this.#objects.putNew(object, "OC", layer);
          raw._wasm_pdf_drop_obj(object);
        }
      }
    }
  }

  /**
   * Returns the page with this content.
   * @param forms the added forms, by their resource names
   */
  variant(content: Uint8Array, forms: ReadonlyMap<string, Reference>): PageVariant {
    const { engine } = this.#document;
    this.#run(() => {
      for (const [name, reference] of forms)
        this.#objects.putNew(this.#names, name, this.#values.make(reference as Value));
      this.#values.writeStream(this.#content, new Dictionary(), content);
    });
    const list = engine.run((raw) => raw._wasm_new_display_list(engine.floats(...this.#bounds)));
    const device = engine.run((raw) => raw._wasm_new_display_list_device(list));
    const steps = [
      () => engine.raw._wasm_run_page_contents(this.#page, device, engine.identity()),
      () => engine.raw._wasm_close_device(device),
      () => engine.raw._wasm_drop_device(device),
    ];
    const tank = this.#tank;
    for (const step of steps) {
      try {
        engine.run(step, tank);
      } catch (error) {
        if (!(error instanceof MupdfError)) throw error;
        engine.complain();
      }
    }
    return new PageVariant(engine, list, tank, this.#hasTilings);
  }

  async #renew(): Promise<void> {
    this.#page = 0;
    await this.#document.reopen();
    this.#objects = new PdfObjects(this.#document.engine);
    this.#values = new EngineValues(this.#document.engine, this.#document.pointer);
    this.#resources = new DrawnResources(new DrawnFile(this.#document));
    this.#pool = [];
    this.#content = 0;
  }

  #dropPage(): void {
    const page = this.#page;
    this.#page = 0;
    if (page !== 0) this.#document.engine.release((raw) => raw._wasm_drop_page(page));
  }

  #run<T>(work: (raw: Mupdf["raw"]) => T): T {
    try {
      return this.#document.engine.run(work);
    } catch (error) {
      throw this.#document.failure(error, "damaged");
    }
  }
}

/** Resource name of {@link NEUTRAL}, a graphics state without transparency (ISO 32000-1, table 58). */
export const NEUTRAL_NAME = "FlattenNone";
export const NEUTRAL: Dictionary = Dictionary.of({ ca: 1, CA: 1, BM: Name.of("Normal"), SMask: Name.of("None") });

/** The page with one variant of its content. Any region of it can be drawn. */
export class PageVariant implements Disposable {
  readonly #engine: Mupdf;
  readonly #list: Pointer;

  readonly #tank: FuelBudget;
  readonly #hasTilings: boolean;

  constructor(engine: Mupdf, list: Pointer, tank: FuelBudget, hasTilings: boolean) {
    this.#tank = tank;
    this.#hasTilings = hasTilings;
    this.#engine = engine;
    this.#list = list;
  }

  /** @param box in pixels; `scale` is pixels per point along x and y */
  draw([left, top, right, bottom]: Box, scale: Scale, model: ColorModel): Pixels {
    const [width, height] = [right - left, bottom - top];
    const channels = model === "cmyk" ? 4 : 3;
    const samples = new Uint8Array(width * height * channels);
    let rows = Math.max(1, Math.min(height, Math.floor(BAND_BYTES / (width * channels))));
    for (let y = 0; y < height; ) {
      const count = Math.min(rows, height - y);
      // The engine's cache of pattern tiles can contain objects that this variant omits.
      if (this.#hasTilings) this.#engine.release((raw) => raw._wasm_empty_store());
      const refusals = this.#engine.refusals;
      try {
        const band = this.#band([scale[0], 0, 0, scale[1], -left, -top - y], width, count, model);
        samples.set(band, y * width * channels);
        y += count;
      } catch (error) {
        if (!(error instanceof MupdfError)) throw error;
        if (this.#engine.refusals === refusals) throw new EngineFailure("damaged", error.message, { cause: error });
        if (rows === 1) throw new EngineFailure("too-large", "the heap limit was reached while drawing");
        this.#engine.release((raw) => raw._wasm_empty_store());
        rows = Math.ceil(rows / SHRINK);
      }
    }
    return { width, height, channels, samples };
  }

  [Symbol.dispose](): void {
    this.#engine.release((raw) => raw._wasm_drop_display_list(this.#list));
  }

  #band(matrix: Matrix, width: number, rows: number, model: ColorModel): Uint8Array {
    const engine = this.#engine;
    return engine.run((raw) => {
      const space = model === "cmyk" ? raw._wasm_device_cmyk() : raw._wasm_device_rgb();
      const pixmap = raw._wasm_new_pixmap_with_bbox(space, engine.floats(0, 0, width, rows), 0);
      try {
        // In CMYK too, the engine's value for white is 255. The engine converts it to no ink.
        raw._wasm_clear_pixmap_with_value(pixmap, 255);
        const device = raw._wasm_new_draw_device(engine.identity(), pixmap);
        try {
          engine.clipTo(-MARGIN, -MARGIN, width + MARGIN, rows + MARGIN);
          raw._wasm_run_display_list(this.#list, device, engine.floats(...matrix));
          closeLeniently(engine, () => raw._wasm_close_device(device));
        } finally {
          raw._wasm_drop_device(device);
        }
        const start = raw._wasm_pixmap_get_samples(pixmap);
        return raw.HEAPU8.slice(start, start + width * rows * (model === "cmyk" ? 4 : 3));
      } finally {
        raw._wasm_drop_pixmap(pixmap);
      }
    }, this.#tank);
  }
}

/** Ignores the error for groups that an incomplete page does not close. All content before the error is drawn. */
function closeLeniently(engine: Mupdf, close: () => void): void {
  try {
    close();
  } catch (error) {
    if (!(error instanceof MupdfError)) throw error;
    engine.complain();
  }
}
