// Draws tiles of scanned pages. Where an image is larger than its part in a picture, the engine decodes and scales that
// part alone, and fits it to the grid of pixels. Tiles are therefore cut out of strips, which are as wide as the page
// and as high as the bands in which the whole page is drawn. A strip also decodes the image once for many tiles.

import { type Band, CHANNELS, type ColorModel, type Raster } from "../contract/raster.ts";
import type { MupdfPage, Size, View } from "../engines/mupdf/page.ts";

/** Rows of tiles: strips have a multiple of this height. */
const TILE_ROWS = 512;
/** Size of a band, unless one row of tiles is larger. */
const BAND_BYTES = 4 * 2 ** 20;
/** Wider pages have no strips at this scale. */
const STRIP_BYTES = 8 * 2 ** 20;
const DRAWN_CHANNELS = 3;
/** Images of a page from which on it counts as scanned, in pixels: a letter page at 150 dpi. */
const SCANNED_PIXELS = 2 ** 21;
const IMAGE = "/Image";
/** Precedes the type of an image, but not other names that begin like it. */
const SUBTYPE = /\/Subtype\s*$/;
/** Bytes before and after the type of an image in which its size is found. */
const AROUND_BYTES = 600;

/** Returns the height of the bands in which a picture of this width is drawn. */
export const bandRows = (width: number): number =>
  TILE_ROWS * Math.max(1, Math.floor(BAND_BYTES / (width * DRAWN_CHANNELS * TILE_ROWS)));

export interface Cut {
  readonly page: MupdfPage;
  /** Distinguishes the page from others. */
  readonly pageKey: string;
  /** Size of the whole page at the scale of the view. */
  readonly whole: Size;
  readonly view: View;
  readonly colorModel: ColorModel;
  readonly dpi: number;
}

/** Strips that were drawn, the latest last. */
export class PageStrips {
  readonly #strips = new Map<string, Uint8Array>();
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Reports whether the view can be cut: it is a part of the page that is drawn upright on the grid of the page. */
  canCut({ whole, view, colorModel }: Pick<Cut, "whole" | "view" | "colorModel">): boolean {
    const [, b, c, , e, f] = view.matrix;
    const isOnGrid = b === 0 && c === 0 && e === 0 && f === 0;
    const isPart = view.width < whole.width || view.height < whole.height;
    const isDrawnInThree = colorModel === "rgb" || colorModel === "gray";
    return isOnGrid && isPart && isDrawnInThree && bandRows(whole.width) * rowBytes(whole) <= STRIP_BYTES;
  }

  /** Returns the picture, for which strips are drawn that are not there. */
  cut(cut: Cut): Raster {
    const { view, colorModel, dpi } = cut;
    const bands = () => this.#bands(cut);
    return { width: view.width, height: view.height, dpi, colorModel, bands };
  }

  *#bands(cut: Cut): Generator<Band> {
    const { whole, view, colorModel } = cut;
    const channels = CHANNELS[colorModel];
    const rows = bandRows(whole.width);
    for (let done = 0; done < view.height; ) {
      const top = view.top + done;
      const index = Math.floor(top / rows);
      const count = Math.min(view.height - done, (index + 1) * rows - top);
      const strip = this.#strip(cut, index);
      const samples = new Uint8Array(count * view.width * channels);
      for (let row = 0; row < count; row++) {
        const at = ((top + row - index * rows) * whole.width + view.left) * channels;
        samples.set(strip.subarray(at, at + view.width * channels), row * view.width * channels);
      }
      yield { top: done, rows: count, samples };
      done += count;
    }
  }

  /** Forgets the strips of a page. */
  forget(pageKey: string): void {
    for (const [key, { length }] of this.#strips) {
      if (!key.startsWith(`${pageKey} `)) continue;
      this.#strips.delete(key);
      this.#bytes -= length;
    }
  }

  #strip({ page, pageKey, whole, view, colorModel, dpi }: Cut, index: number): Uint8Array {
    const key = `${pageKey} ${whole.width} ${whole.height} ${colorModel} ${index}`;
    const known = this.#strips.get(key);
    if (known) {
      this.#strips.delete(key);
      this.#strips.set(key, known);
      return known;
    }
    const rows = bandRows(whole.width);
    const place = { left: 0, top: index * rows };
    const size = { width: whole.width, height: Math.min(rows, whole.height - place.top) };
    const drawn = drawStrip(page, { ...view, ...place, ...size }, colorModel, dpi);
    this.#strips.set(key, drawn);
    this.#bytes += drawn.length;
    for (const [oldest, { length }] of this.#strips) {
      if (this.#bytes <= this.#limitBytes || oldest === key) break;
      this.#strips.delete(oldest);
      this.#bytes -= length;
    }
    return drawn;
  }
}

function drawStrip(page: MupdfPage, view: View, colorModel: ColorModel, dpi: number): Uint8Array {
  const channels = CHANNELS[colorModel];
  const strip = new Uint8Array(view.width * view.height * channels);
  for (const { top, samples } of page.raster({ colorModel, dpi, view, bandBytes: STRIP_BYTES }).bands()) {
    strip.set(samples, top * view.width * channels);
  }
  return strip;
}

const rowBytes = ({ width }: Size) => width * DRAWN_CHANNELS;

/**
 * Reports whether the images of a PDF have so many pixels that they are a scan. Dictionaries of streams are plain text
 * in every PDF.
 */
export function isScanned(pdf: Uint8Array): boolean {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.length);
  let pixels = 0;
  for (let at = bytes.indexOf(IMAGE); at >= 0; at = bytes.indexOf(IMAGE, at + IMAGE.length)) {
    const before = bytes.toString("latin1", Math.max(0, at - AROUND_BYTES), at);
    if (!SUBTYPE.test(before)) continue;
    const after = bytes.toString("latin1", at, at + AROUND_BYTES);
    const dictionary = before.slice(before.lastIndexOf(" obj") + 1) + after.split("stream")[0]!;
    const side = (name: string) => Number(new RegExp(`/${name} (\\d{1,6})\\b`).exec(dictionary)?.[1] ?? 0);
    pixels += side("Width") * side("Height");
    if (pixels >= SCANNED_PIXELS) return true;
  }
  return false;
}
