// Encodes a raster as a baseline JPEG file (ITU-T T.81), band by band.

import { CHANNELS, type Raster } from "../../contract/raster.ts";
import { huffmanTablesOf } from "./entropy/huffman.ts";
import { type JpegKernel, startKernel } from "./kernel.ts";
import { quantizersOf } from "./tables.ts";
import { type JpegKind, jpegHeader } from "./write-header.ts";

export interface JpegOptions {
  /** 1 to 100, on the scale of the Independent JPEG Group; from 90 on, chrominance is not subsampled. */
  readonly quality: number;
}

/** Maximum side in pixels: the frame header has 16 bits (T.81 B.2.2). */
export const JPEG_MAX_SIDE = 65535;

/** Quality from which chrominance is not subsampled (4:4:4); below it, 4:2:0. */
const FULL_CHROMINANCE_QUALITY = 90;
/** Qualities for the fast transform. With coarser or finer quantizers, its 16-bit precision would be visible. */
const FAST_TRANSFORM_QUALITIES = { from: 25, to: 96 };

function kindOf({ colorModel }: Raster, quality: number): JpegKind {
  switch (colorModel) {
    case "gray":
    case "cmyk":
      return colorModel;
    case "rgb":
      return quality < FULL_CHROMINANCE_QUALITY ? "ycbcr-420" : "ycbcr-444";
    default:
      throw new RangeError(`JPEG has no color model ${colorModel}`);
  }
}

/** Copies bands of any height to the kernel's rows, and codes the rows each time they are full. */
function* encodeBands(raster: Raster, kernel: JpegKernel, rowBytes: number): Generator<Uint8Array> {
  const capacity = kernel.rows.length / rowBytes;
  let filled = 0;
  let top = 0;
  for (const { samples, rows } of raster.bands()) {
    for (let row = 0; row < rows; ) {
      const count = Math.min(rows - row, capacity - filled);
      kernel.rows.set(samples.subarray(row * rowBytes, (row + count) * rowBytes), filled * rowBytes);
      row += count;
      filled += count;
      if (filled === capacity) {
        while (kernel.encode(filled)) yield kernel.take();
        filled = 0;
      }
    }
    top += rows;
  }
  if (top !== raster.height) throw new Error(`The raster gave ${top} rows of ${raster.height}`);
  if (filled > 0) while (kernel.encode(filled)) yield kernel.take();
  kernel.finish();
  yield kernel.take();
}

/**
 * Encodes gray as one component, rgb as YCbCr, cmyk as Adobe's inverted CMYK, with resolution and profile. Chunks have
 * about 64 KiB; each is valid until the next one is requested.
 * @throws RangeError for other color models, a side beyond {@link JPEG_MAX_SIDE}, or a quality outside 1 to 100
 */
export function* encodeJpeg(raster: Raster, options: JpegOptions): Generator<Uint8Array> {
  const { width, height, dpi, iccProfile } = raster;
  const { quality } = options;
  if (!(quality >= 1 && quality <= 100)) throw new RangeError(`${quality} is not a JPEG quality`);
  for (const side of [width, height]) {
    if (!(side >= 1 && side <= JPEG_MAX_SIDE)) throw new RangeError(`A JPEG cannot have a side of ${side} pixels`);
  }
  const kind = kindOf(raster, quality);
  const quantizers = quantizersOf(quality);
  const huffmanTables = huffmanTablesOf(quality);
  yield jpegHeader({ kind, width, height, dpi, quantizers, huffmanTables, iccProfile });

  const rowBytes = width * CHANNELS[raster.colorModel];
  const mcuRows = kind === "ycbcr-420" ? 16 : 8;
  const exact = quality < FAST_TRANSFORM_QUALITIES.from || quality > FAST_TRANSFORM_QUALITIES.to;
  const kernel = startKernel(kind, width, mcuRows * rowBytes, quantizers, huffmanTables, exact);
  try {
    yield* encodeBands(raster, kernel, rowBytes);
  } finally {
    kernel.release();
  }
}
