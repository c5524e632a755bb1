// The pixmap on which MuPDF draws: some rows of a page, in one of the color models.
import { CHANNELS, type ColorModel } from "../../contract/raster.ts";
import type { FuelBudget, Mupdf } from "./instance/mupdf.ts";
import type { Pointer } from "./instance/raw.ts";
import { repeatPixels, type Smoothing, setLevels } from "./smoothing.ts";

/**
 * Objects up to this many pixels outside a band are also drawn, because an object's bounds exclude its anti-aliased
 * edge.
 */
const MARGIN = 2;

/**
 * Bytes per pixel during drawing. Gray is drawn in RGB and converted afterwards, so that a gray page has the luminance
 * of the color page, even with CMYK or transparency.
 */
export const DRAWN_BYTES: Readonly<Record<ColorModel, number>> = { ...CHANNELS, gray: CHANNELS.rgb };

/** Position of a pixel in the whole raster. */
export interface Place {
  readonly left: number;
  readonly top: number;
}

/** Pixmaps for the bands of a raster, one at a time. */
export class Canvas {
  readonly #engine: Mupdf;
  readonly #colorModel: ColorModel;
  readonly #width: number;
  readonly #smoothing: Smoothing | undefined;
  #pixmap: Pointer = 0;
  #converted: Pointer = 0;

  /** @param smoothing what the engine smooths. @default what it smoothed before, at first everything */
  constructor(engine: Mupdf, colorModel: ColorModel, width: number, smoothing?: Smoothing) {
    this.#engine = engine;
    this.#colorModel = colorModel;
    this.#width = width;
    this.#smoothing = smoothing;
  }

  /**
   * Draws a band with the coordinates of the whole raster, so that several bands can use a cached pattern tile, and
   * coordinates are rounded as in a raster of one band.
   * @param place position of the band's first pixel
   * @param matrix maps the display list to the pixels of the whole raster
   * @returns the rows from `place.top` on: a view of the heap, valid until the next call
   */
  draw(list: Pointer, place: Place, rows: number, matrix: readonly number[], tank: FuelBudget): Uint8Array {
    const engine = this.#engine;
    const { left, top } = place;
    const right = left + this.#width;
    this.close();
    const start = engine.run((raw) => {
      const colorspace = this.#colorModel === "cmyk" ? raw._wasm_device_cmyk() : raw._wasm_device_rgb();
      const box = engine.floats(left, top, right, top + rows);
      this.#pixmap = raw._wasm_new_pixmap_with_bbox(colorspace, box, Number(this.#colorModel === "rgba"));
      if (this.#colorModel === "rgba") raw._wasm_clear_pixmap(this.#pixmap);
      else raw._wasm_clear_pixmap_with_value(this.#pixmap, 255);
      const smoothing = this.#smoothing;
      if (smoothing) setLevels(engine, smoothing);
      const device = raw._wasm_new_draw_device(engine.identity(), this.#pixmap);
      if (smoothing && !smoothing.images) repeatPixels(engine, device);
      try {
        engine.clipTo(left - MARGIN, top - MARGIN, right + MARGIN, top + rows + MARGIN);
        raw._wasm_run_display_list(list, device, engine.floats(...matrix));
        raw._wasm_close_device(device);
      } finally {
        raw._wasm_drop_device(device);
      }
      if (this.#colorModel !== "lab") return raw._wasm_pixmap_get_samples(this.#pixmap);
      this.#converted = raw._wasm_convert_pixmap(this.#pixmap, raw._wasm_device_lab(), 0);
      return raw._wasm_pixmap_get_samples(this.#converted);
    }, tank);
    const samples = engine.raw.HEAPU8.subarray(start, start + rows * this.#width * DRAWN_BYTES[this.#colorModel]);
    if (this.#colorModel === "rgba") straighten(samples);
    return this.#colorModel === "gray" ? weigh(samples) : samples;
  }

  close(): void {
    const pixmaps = [this.#converted, this.#pixmap];
    this.#converted = 0;
    this.#pixmap = 0;
    for (const pixmap of pixmaps) if (pixmap !== 0) this.#engine.release((raw) => raw._wasm_drop_pixmap(pixmap));
  }
}

/**
 * Converts RGB to gray in place, with the weights of ISO 32000-1, 10.3.3. Pixels with equal components keep their
 * value. Four white pixels, which most of a page consists of, are three white words.
 */
function weigh(samples: Uint8Array): Uint8Array {
  const gray = samples.subarray(0, samples.length / 3);
  const words = new Int32Array(samples.buffer, samples.byteOffset, samples.length >> 2);
  for (let index = 0, word = 0; index < gray.length; index += 4, word += 3) {
    if ((words[word]! & words[word + 1]! & words[word + 2]!) === -1) {
      words[index >> 2] = -1;
      continue;
    }
    const end = Math.min(index + 4, gray.length);
    for (let pixel = index, at = 3 * index; pixel < end; pixel++, at += 3) {
      gray[pixel] = (77 * samples[at]! + 151 * samples[at + 1]! + 28 * samples[at + 2]! + 128) >> 8;
    }
  }
  return gray;
}

/** Converts premultiplied to straight alpha. Skips opaque and empty pixels, which are nearly all pixels of a page. */
function straighten(samples: Uint8Array): void {
  const pixels = new Uint32Array(samples.buffer, samples.byteOffset, samples.byteLength >> 2);
  for (let index = 0; index < pixels.length; index++) {
    const alpha = pixels[index]! >>> 24;
    if (alpha === 0 || alpha === 255) continue;
    const at = index << 2;
    const half = alpha >> 1;
    samples[at] = Math.min(255, ((samples[at]! * 255 + half) / alpha) | 0);
    samples[at + 1] = Math.min(255, ((samples[at + 1]! * 255 + half) / alpha) | 0);
    samples[at + 2] = Math.min(255, ((samples[at + 2]! * 255 + half) / alpha) | 0);
  }
}
