// Encodes samples in the kernel as the smallest possible JPEG: with a dead zone, optimal Huffman tables, and
// progressive scans if they are smaller. The image is in memory; write.ts encodes images band by band.

import type { Address, ImageKernel } from "../image-kernel.ts";
import { gridOf, type McuGrid, placeGrid } from "./entropy/coefficients.ts";
import { concatenate, JpegScans } from "./entropy/scans.ts";
import { END_OF_IMAGE } from "./markers.ts";
import { quantizersOf, ZIGZAG } from "./tables.ts";
import { headOf } from "./transcode.ts";

/** Sides are padded to a multiple of this, and so to whole MCUs with any sampling. */
const PADDING = 16;

/** Interleaved 8-bit samples in the kernel, with rows padded to whole MCUs. */
export interface Pixels {
  readonly at: Address;
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** Bytes between the starts of two rows. */
  readonly stride: number;
}

export interface SmallJpegOptions {
  /** 1 to 100, on the scale of the Independent JPEG Group. */
  readonly quality: number;
  /** True to subsample chrominance (4:2:0). */
  readonly subsampled: boolean;
}

const padded = (pixels: number) => Math.ceil(pixels / PADDING) * PADDING;

/** Allocates memory for pixels. */
export function newPixels({ exports }: ImageKernel, width: number, height: number, channels: number): Pixels {
  const stride = padded(width) * channels;
  // Vector loads read a few bytes beyond the end.
  return { at: exports.allocate(stride * padded(height) + 64), width, height, channels, stride };
}

/**
 * Encodes gray unchanged and RGB as YCbCr; other pixels keep their components.
 * Callers must limit the sides to 65,535 pixels, and the components to four.
 */
export function encodePixels(
  kernel: ImageKernel,
  pixels: Pixels,
  options: SmallJpegOptions,
  isRgb: boolean,
): Uint8Array {
  const { exports } = kernel;
  const { at, width, height, channels, stride } = pixels;
  exports.pad(at, width, height, stride, padded(height), channels);
  if (!isRgb)
    return encodePlanes(kernel, width, height, planesOf(kernel, pixels), options, channels > 1 ? 0 : undefined);
  const factor = options.subsampled ? 2 : 1;
  const grid = gridOf(
    width,
    height,
    [1, 2, 3].map((id) => (id === 1 ? { across: factor, down: factor } : ONE)),
  );
  start(kernel, grid, options.quality);
  // One row of whole MCUs, without gaps.
  const rowBytes = grid.columns * 8 * factor * 3;
  const row = exports.allocate(rowBytes * 8 * factor + 64);
  for (let mcuRow = 0; mcuRow < grid.rows; mcuRow++) {
    let from = at + mcuRow * 8 * factor * stride;
    for (let line = 0; line < 8 * factor; line++, from += stride) {
      kernel.view(row + line * rowBytes, rowBytes).set(kernel.view(from, rowBytes));
    }
    exports.takePixels(factor === 2 ? 2 : 1, mcuRow, row);
  }
  return finish(kernel, grid, width, height, options.quality, undefined);
}

const ONE = { across: 1, down: 1 };

function planesOf(kernel: ImageKernel, { at, width, height, channels, stride }: Pixels): Plane[] {
  if (channels === 1) return [{ at, stride, ...ONE }];
  const size = padded(width) * padded(height);
  return Array.from({ length: channels }, (_, channel) => {
    const plane = kernel.exports.allocate(size);
    kernel.exports.planeOf(at + channel, plane, size, channels);
    return { at: plane, stride: stride / channels, ...ONE };
  });
}

/** Samples of one component, in rows padded to whole blocks. */
export interface Plane {
  readonly at: Address;
  readonly stride: number;
  /** Sampling factors. */
  readonly across: number;
  readonly down: number;
}

/**
 * Encodes components without converting them.
 * @param adobeTransform color transform for APP14; without it, one component is gray and three are YCbCr
 */
export function encodePlanes(
  kernel: ImageKernel,
  width: number,
  height: number,
  planes: readonly Plane[],
  { quality }: SmallJpegOptions,
  adobeTransform: number | undefined,
): Uint8Array {
  const grid = gridOf(width, height, planes);
  start(kernel, grid, quality);
  const isYcc = isYCbCr(planes.length, adobeTransform);
  grid.components.forEach(({ rows }, index) => {
    const { at, stride } = planes[index]!;
    for (let row = 0; row < rows; row++) {
      kernel.exports.takeSamples(index, row, at + row * 8 * stride, stride, isYcc && index > 0 ? 1 : 0);
    }
  });
  return finish(kernel, grid, width, height, quality, adobeTransform);
}

const isYCbCr = (components: number, adobeTransform: number | undefined) => components === 3 && adobeTransform !== 0;

function start(kernel: ImageKernel, grid: McuGrid, quality: number): void {
  const { exports } = kernel;
  placeGrid(kernel, grid, true);
  const [luminance, chrominance] = quantizersOf(quality);
  const steps = kernel.view(exports.quantizers.value, 128);
  steps.set(luminance);
  steps.set(chrominance, 64);
  exports.startQuantizing();
}

function finish(
  kernel: ImageKernel,
  grid: McuGrid,
  width: number,
  height: number,
  quality: number,
  adobeTransform: number | undefined,
): Uint8Array {
  const isYcc = isYCbCr(grid.components.length, adobeTransform);
  const components = grid.components.map(({ across, down }, index) => {
    const table = isYcc && index > 0 ? 1 : 0;
    return { id: index + 1, across, down, table, quantizer: table };
  });
  const scans = new JpegScans(kernel, components);
  const sequential = scans.sequential();
  const progressive = sequential && scans.progressive();
  // Coefficients computed here always fit the codes.
  if (!sequential || !progressive) throw new RangeError("coefficients beyond what JPEG codes");
  const isProgressive = progressive.length < sequential.length;
  const quantizers = quantizersOf(quality).map((steps) => Uint16Array.from(ZIGZAG, (position) => steps[position]!));
  const head = headOf({ quantizers, hasJfif: false, adobeTransform }, { width, height, components }, isProgressive);
  return concatenate([...head, isProgressive ? progressive : sequential, END_OF_IMAGE]);
}
