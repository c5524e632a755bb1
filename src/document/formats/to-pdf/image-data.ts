// Converts rows of samples to the data of a PDF image.

import { EngineFailure } from "../../contract/failure.ts";
import { OUTPUT_BYTES, startDeflate } from "../deflate/deflate-kernel.ts";
import { GRAY, type ImageXObject } from "./image-page.ts";

/** Blocks of whole rows, from top to bottom. A block is valid until the next one is requested. */
export type Rows = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** The contents of an image before compression. */
export interface Samples extends Pick<ImageXObject, "width" | "height" | "bitsPerComponent" | "colorSpace" | "decode"> {
  /** Components per pixel; an index counts as one. */
  readonly components: number;
  readonly softMask?: ImageXObject;
  /** Returns rows packed as in PDF (ISO 32000-1, 8.9.3): high bit or byte first, each row padded to whole bytes. */
  rows(): Rows;
}

export const bytesOfRow = (width: number, bitsPerPixel: number): number => Math.ceil((width * bitsPerPixel) / 8);

/**
 * Maximum decoded bytes of a file, sufficient for every page image that this service produces. The limit is half as
 * large for data that must be compressed again.
 */
export const MAX_SAMPLE_BYTES = 2 ** 32;
const MAX_CODED_BYTES = 2 ** 31;
/** Maximum work, in bytes, between yields to the event loop: less than a tenth of a second. */
const STRETCH_BYTES = 2 ** 23;

/**
 * Counts work and yields to the event loop regularly. Code whose input and output are in memory would otherwise never
 * yield.
 */
export class YieldCounter {
  #worked = 0;

  async worked(bytes: number): Promise<void> {
    this.#worked += bytes;
    if (this.#worked < STRETCH_BYTES) return;
    this.#worked = 0;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
}

/** Number of copies of a row that are in memory during compression. */
const ROWS_HELD = 2;

/**
 * Checks that rows can be decoded and compressed again.
 * @param rowBytes bytes per row before or after the conversion, whichever are more
 * @param holdBytes maximum memory for rows
 * @throws EngineFailure `too-large` if a row is too large, `too-complex` if all rows together are too large
 */
export function checkWork(rowBytes: number, rows: number, holdBytes: number): void {
  if (rowBytes * rows > MAX_CODED_BYTES) throw new EngineFailure("too-complex", `${rows} rows of ${rowBytes} bytes`);
  if (rowBytes * ROWS_HELD > holdBytes) throw new EngineFailure("too-large", `rows of ${rowBytes} bytes`);
}

/** Compresses samples losslessly. */
export function flateImage({ components, rows, ...image }: Samples): ImageXObject {
  const { width, bitsPerComponent, colorSpace } = image;
  const rowBytes = bytesOfRow(width, components * bitsPerComponent);
  // Differences of indexes or of packed pixels do not compress better.
  const isSmooth = bitsPerComponent >= 8 && colorSpace.kind !== "indexed";
  const pixelBytes = isSmooth ? (components * bitsPerComponent) / 8 : 1;
  return {
    ...image,
    filter: "FlateDecode",
    ...(isSmooth ? { decodeParms: pngPredictor(width, components, bitsPerComponent) } : {}),
    data: () => deflated(rows(), isSmooth ? "filtered" : "samples", rowBytes, pixelBytes),
  };
}

/** Returns predictor parameters for rows that start with a filter type, as in PNG (ISO 32000-1, 7.4.4.4). */
export function pngPredictor(columns: number, colors: number, bits: number): string {
  return `<</Predictor 15/Colors ${colors}/BitsPerComponent ${bits}/Columns ${columns}>>`;
}

async function* deflated(
  blocks: Rows,
  form: "filtered" | "samples",
  rowBytes: number,
  pixelBytes: number,
): AsyncGenerator<Uint8Array> {
  const kernel = startDeflate(form, rowBytes, pixelBytes);
  const stretches = new YieldCounter();
  try {
    let waiting = 0;
    for await (const block of blocks) {
      await stretches.worked(block.length);
      const rows = block.length / rowBytes;
      for (let row = 0; row < rows; ) {
        const count = Math.min(rows - row, kernel.chunkRows - waiting);
        kernel.rows.set(block.subarray(row * rowBytes, (row + count) * rowBytes), waiting * rowBytes);
        row += count;
        waiting += count;
        if (waiting < kernel.chunkRows) continue;
        kernel.encode(waiting);
        waiting = 0;
        if (kernel.size >= OUTPUT_BYTES) yield kernel.take();
      }
    }
    if (waiting > 0) kernel.encode(waiting);
    kernel.finish();
    yield kernel.take();
  } finally {
    kernel.release();
  }
}

/** Yields missing rows, in blocks. */
export function* filling(rowBytes: number, count: number, value: number): Generator<Uint8Array> {
  const most = Math.max(1, Math.floor(65_536 / rowBytes));
  const block = new Uint8Array(Math.min(count, most) * rowBytes).fill(value);
  for (let left = count; left > 0; left -= most) yield block.subarray(0, Math.min(left, most) * rowBytes);
}

/**
 * Returns opacity as a soft mask; an empty object if all pixels are opaque.
 * @param rows 8 or 16 bits per pixel
 * @param mayBeUnset true to treat a fully transparent image as opaque, because programs without transparency support
 * write such files
 */
export async function softMask(
  width: number,
  height: number,
  bitsPerComponent: 8 | 16,
  rows: () => Rows,
  mayBeUnset = false,
): Promise<{ softMask?: ImageXObject }> {
  if (!(await isTransparentSomewhere(rows(), mayBeUnset))) return {};
  return { softMask: flateImage({ width, height, bitsPerComponent, colorSpace: GRAY, components: 1, rows }) };
}

async function isTransparentSomewhere(blocks: Rows, mayBeUnset: boolean): Promise<boolean> {
  let hasClear = false;
  let hasVisible = !mayBeUnset;
  const stretches = new YieldCounter();
  for await (const block of blocks) {
    await stretches.worked(block.length);
    hasClear ||= block.some((value) => value < 255);
    hasVisible ||= block.some((value) => value > 0);
    if (hasClear && hasVisible) return true;
  }
  return false;
}
