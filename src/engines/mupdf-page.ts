// One page of a PDF as a Raster: a display list, drawn band by band into one pixmap. Knows no file format.
import { type Band, CHANNELS, type ColorModel, type Raster } from "../codecs/raster.ts";
import { EngineFailure } from "../operations/operation.ts";
import { type Mupdf, MupdfError, PAGE_FUEL, type Tank } from "./mupdf.ts";
import type { MupdfDocument } from "./mupdf-document.ts";
import type { Pointer } from "./mupdf-raw.ts";

const CROP_BOX = 1;
const POINTS_PER_INCH = 72;
/** Bytes of one band: fewer bands are quicker, but each level of transparency needs as much again. */
export const BAND_BYTES = 4 * 1024 * 1024;
/** What a pixel may cost beyond {@link PAGE_FUEL}: a scanned page at 2400 dpi takes a tenth of it. */
const FUEL_PER_PIXEL = 2;
/** Pixels around a band in which objects still count: the bounds of an object take no account of anti-aliasing. */
const MARGIN = 2;

export interface RasterOptions {
  readonly colorModel: ColorModel;
  readonly dpi: number;
  /** @default {@link BAND_BYTES} */
  readonly bandBytes?: number;
  /** Looked at before each band. */
  readonly signal?: AbortSignal;
}

/** One page. Its pictures are readable until {@link close}. */
export class MupdfPage {
  /** Of the crop box, rotated and in user units: points. */
  readonly width: number;
  readonly height: number;
  readonly #document: MupdfDocument;
  readonly #index: number;
  #page: Pointer = 0;
  #list: Pointer = 0;
  #bounds: readonly number[] = [];
  #closed = false;

  /**
   * @param index from 0
   * @throws EngineFailure `damaged` where the page cannot be loaded, or as {@link Mupdf.run}
   */
  constructor(document: MupdfDocument, index: number) {
    this.#document = document;
    this.#index = index;
    this.#load();
    const [left, top, right, bottom] = this.#bounds;
    this.width = right - left;
    this.height = bottom - top;
  }

  /** @returns the size in pixels that a resolution gives, each side at least 1 */
  pixels(dpi: number): { width: number; height: number } {
    const side = (points: number) => Math.max(1, Math.round((points * dpi) / POINTS_PER_INCH));
    return { width: side(this.width), height: side(this.height) };
  }

  raster(options: RasterOptions): Raster {
    const { colorModel, dpi } = options;
    const size = this.pixels(dpi);
    return { ...size, dpi, colorModel, bands: (order) => this.#bands(size, options, order === "bottom-up") };
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#unload();
  }

  #load(): void {
    const { engine, pointer } = this.#document;
    try {
      engine.run((raw) => {
        this.#page = raw._wasm_load_page(pointer, this.#index);
        const bounds = raw._wasm_bound_page(this.#page, CROP_BOX) >> 2;
        this.#bounds = Array.from(raw.HEAPF32.subarray(bounds, bounds + 4));
      });
    } catch (error) {
      throw this.#document.failure(error, "damaged");
    }
  }

  #unload(): void {
    this.#document.engine.release((raw) => {
      raw._wasm_drop_display_list(this.#list);
      raw._wasm_drop_page(this.#page);
      raw._wasm_empty_store();
    });
    this.#list = 0;
    this.#page = 0;
  }

  /** Interprets the page; what is wrong in one object MuPDF reports and leaves out. */
  #interpret(): void {
    const { engine } = this.#document;
    const bounds = this.#bounds;
    this.#list = engine.run((raw) => raw._wasm_new_display_list(engine.floats(...bounds)));
    const device = engine.run((raw) => raw._wasm_new_display_list_device(this.#list));
    const page = this.#page;
    const steps = [
      () => engine.raw._wasm_run_page_contents(page, device, identity(engine)),
      () => engine.raw._wasm_run_page_annots(page, device, identity(engine)),
      () => engine.raw._wasm_run_page_widgets(page, device, identity(engine)),
      () => engine.raw._wasm_close_device(device),
      () => engine.raw._wasm_drop_device(device),
    ];
    for (const step of steps) {
      try {
        engine.run(step);
      } catch (error) {
        if (!(error instanceof MupdfError)) throw error;
        engine.complain(error.message);
      }
    }
  }

  *#bands(size: { width: number; height: number }, options: RasterOptions, bottomUp: boolean): Generator<Band> {
    const { width, height } = size;
    const { colorModel, signal, bandBytes = BAND_BYTES } = options;
    const { engine } = this.#document;
    const rows = Math.min(height, Math.max(1, Math.floor(bandBytes / (width * CHANNELS[colorModel]))));
    const scale = { x: width / this.width, y: height / this.height };
    const shortage = engine.shortage();
    const tank = { fuel: PAGE_FUEL + width * height * FUEL_PER_PIXEL };
    if (this.#list === 0) this.#interpret();
    const canvas = new Canvas(engine, colorModel, width, rows);
    try {
      for (let done = 0; done < height; done += rows) {
        signal?.throwIfAborted();
        if (this.#closed) throw new Error("the page has been closed");
        const count = Math.min(rows, height - done);
        const top = bottomUp ? height - done - count : done;
        const [left, upper] = this.#bounds;
        const samples = canvas.draw(this.#list, count, [scale.x, 0, 0, scale.y, -left * scale.x, -upper * scale.y - top], tank);
        if (shortage()) throw new EngineFailure("too-large", "the heap's limit was met while drawing");
        yield { top, rows: count, samples };
      }
    } catch (error) {
      throw this.#document.failure(error, "damaged");
    } finally {
      globalThis.__tank?.(PAGE_FUEL + width * height * FUEL_PER_PIXEL - tank.fuel, width * height);
      canvas.close();
    }
  }
}

/** A pixmap of some rows, used for one band after another. */
class Canvas {
  readonly #engine: Mupdf;
  readonly #colorModel: ColorModel;
  readonly #width: number;
  readonly #rowBytes: number;
  readonly #pixmap: Pointer;
  #converted: Pointer = 0;

  constructor(engine: Mupdf, colorModel: ColorModel, width: number, rows: number) {
    this.#engine = engine;
    this.#colorModel = colorModel;
    this.#width = width;
    this.#rowBytes = width * CHANNELS[colorModel];
    this.#pixmap = engine.run((raw) => {
      const colorspace = { gray: raw._wasm_device_gray, cmyk: raw._wasm_device_cmyk, rgb: raw._wasm_device_rgb };
      const of = colorModel === "gray" || colorModel === "cmyk" ? colorModel : "rgb";
      return raw._wasm_new_pixmap_with_bbox(colorspace[of](), engine.floats(0, 0, width, rows), Number(colorModel === "rgba"));
    });
  }

  /** @returns the first `rows` rows: a view of the heap, valid until the next call */
  draw(list: Pointer, rows: number, matrix: readonly number[], tank: Tank): Uint8Array {
    const engine = this.#engine;
    this.#dropConverted();
    const start = engine.run((raw) => {
      if (this.#colorModel === "rgba") raw._wasm_clear_pixmap(this.#pixmap);
      else raw._wasm_clear_pixmap_with_value(this.#pixmap, 255);
      const device = raw._wasm_new_draw_device(identity(engine), this.#pixmap);
      try {
        engine.clipTo(-MARGIN, -MARGIN, this.#width + MARGIN, rows + MARGIN);
        raw._wasm_run_display_list(list, device, engine.floats(...matrix));
        raw._wasm_close_device(device);
      } finally {
        raw._wasm_drop_device(device);
      }
      if (this.#colorModel !== "lab") return raw._wasm_pixmap_get_samples(this.#pixmap);
      this.#converted = raw._wasm_convert_pixmap(this.#pixmap, raw._wasm_device_lab(), 0);
      return raw._wasm_pixmap_get_samples(this.#converted);
    }, tank);
    const samples = engine.raw.HEAPU8.subarray(start, start + rows * this.#rowBytes);
    if (this.#colorModel === "rgba") straighten(samples);
    return samples;
  }

  close(): void {
    this.#dropConverted();
    this.#engine.release((raw) => raw._wasm_drop_pixmap(this.#pixmap));
  }

  #dropConverted(): void {
    const converted = this.#converted;
    this.#converted = 0;
    if (converted !== 0) this.#engine.release((raw) => raw._wasm_drop_pixmap(converted));
  }
}

function identity(engine: Mupdf): Pointer {
  return engine.floats(1, 0, 0, 1, 0, 0);
}

/** Premultiplied to straight alpha. Nearly all pixels of a page are opaque or empty. */
function straighten(samples: Uint8Array): void {
  const pixels = new Uint32Array(samples.buffer, samples.byteOffset, samples.byteLength >> 2);
  for (let index = 0; index < pixels.length; index++) {
    const alpha = pixels[index] >>> 24;
    if (alpha === 0 || alpha === 255) continue;
    const at = index << 2;
    const half = alpha >> 1;
    samples[at] = Math.min(255, ((samples[at] * 255 + half) / alpha) | 0);
    samples[at + 1] = Math.min(255, ((samples[at + 1] * 255 + half) / alpha) | 0);
    samples[at + 2] = Math.min(255, ((samples[at + 2] * 255 + half) / alpha) | 0);
  }
}
