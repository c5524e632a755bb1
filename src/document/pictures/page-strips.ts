// Draws tiles of scanned pages. MuPDF decodes and scales only the drawn part of an image, and fits that part to the
// pixel grid, so tiles drawn one by one would not match at their edges. Tiles are therefore cut out of strips. A strip
// is as wide as the page and as high as a band of the whole page, and decodes the image once for many tiles.

import { type Band, CHANNELS, type ColorModel, type Raster } from "../contract/raster.ts";
import type { MupdfPage, Size, View } from "../engines/mupdf/page.ts";

/** Height of a tile in rows of pixels. The height of a strip is a multiple of it. */
const TILE_ROWS = 512;
/** Size of a band, unless one row of tiles is larger. */
const BAND_BYTES = 4 * 2 ** 20;
/** Maximum size of a strip. A page whose strips would be larger at some scale is drawn without strips at that scale. */
const STRIP_BYTES = 8 * 2 ** 20;
const DRAWN_CHANNELS = 3;
/** Minimum number of image pixels of a scanned page: a letter page at 150 dpi. */
const SCANNED_PIXELS = 2 ** 21;
const IMAGE = "/Image";
/** Matches the Subtype of an image, but not longer names with the same start. */
const SUBTYPE = /\/Subtype\s*$/;
/** Number of bytes before and after the Subtype of an image to search for its width and height. */
const AROUND_BYTES = 600;

/** Returns the height of the bands of a raster with this width. */
export const bandRows = (width: number): number =>
  TILE_ROWS * Math.max(1, Math.floor(BAND_BYTES / (width * DRAWN_CHANNELS * TILE_ROWS)));

export interface Cut {
  readonly page: MupdfPage;
  /** Identifies the page. */
  readonly pageKey: string;
  /** Size of the whole page at the scale of the view. */
  readonly whole: Size;
  readonly view: View;
  readonly colorModel: ColorModel;
  readonly dpi: number;
}

/** Cache of drawn strips, the most recently used one last. */
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

  /**
   * Reports whether the view can be cut from strips: it must be an upright part of the page, aligned to the page's
   * pixel grid.
   */
  canCut({ whole, view, colorModel }: Pick<Cut, "whole" | "view" | "colorModel">): boolean {
    const [, b, c, , e, f] = view.matrix;
    const isOnGrid = b === 0 && c === 0 && e === 0 && f === 0;
    const isPart = view.width < whole.width || view.height < whole.height;
    const isDrawnInThree = colorModel === "rgb" || colorModel === "gray";
    return isOnGrid && isPart && isDrawnInThree && bandRows(whole.width) * rowBytes(whole) <= STRIP_BYTES;
  }

  /** Returns the view. Missing strips are drawn when its bands are read. */
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

  /** Drops the strips of a page. */
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
    const origin = { left: 0, top: index * rows };
    const size = { width: whole.width, height: Math.min(rows, whole.height - origin.top) };
    const drawn = drawStrip(page, { ...view, ...origin, ...size }, colorModel, dpi);
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
 * Reports whether the images of a PDF have as many pixels as a scan. A text search suffices, because stream
 * dictionaries are never compressed.
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
