// Decodes the rows of a PNG: removes filters and interlacing (3rd edition, clauses 8 and 9). Missing pixels are white
// or transparent.

import { EngineFailure } from "../../contract/failure.ts";
import type { Input } from "../../contract/operation.ts";
import { Inflater } from "../deflate/inflate.ts";
import { bytesOfRow, filling } from "../to-pdf/image-data.ts";
import { ADAM7, imageData, type PngFile, type PngHeader } from "./chunks.ts";

const BLOCK_BYTES = 65_536;

/** Yields all rows, including missing rows, packed as in the file. @throws EngineFailure `too-large` */
export async function* decodeRows(input: Input, file: PngFile, holdBytes: number): AsyncGenerator<Uint8Array> {
  const { header, isSound } = file;
  using inflater = new Inflater(isSound ? "tolerant" : "careful");
  if (header.isInterlaced) yield await interlaced(input, header, inflater, holdBytes);
  else yield* inOrder(input, header, inflater);
}

/** Returns the value of missing rows: white, palette entry 0, or transparent. */
const fillOf = ({ colorType }: PngHeader) => (colorType === 0 || colorType === 2 ? 255 : 0);

async function* inOrder(input: Input, header: PngHeader, inflater: Inflater): AsyncGenerator<Uint8Array> {
  const { width, height, bits, channels } = header;
  const rowBytes = bytesOfRow(width, bits * channels);
  const filter = new Unfilter(rowBytes, pixelBytesOf(header));
  const blockRows = Math.min(height, Math.max(1, Math.floor(BLOCK_BYTES / rowBytes)));
  const block = new Uint8Array(blockRows * rowBytes);
  let inBlock = 0;
  let done = 0;
  // Stops after the last row, without reading the data that follow it.
  reading: for await (const piece of imageData(input)) {
    for await (const bytes of inflater.push(piece)) {
      for (let at = 0; at < bytes.length; ) {
        const row = block.subarray(inBlock * rowBytes, (inBlock + 1) * rowBytes);
        at += filter.add(bytes, at, row);
        if (filter.isWrong) break reading;
        if (!filter.isWhole) continue;
        done++;
        inBlock++;
        if (inBlock === blockRows) {
          yield block;
          inBlock = 0;
        }
        if (done === height) break reading;
      }
    }
    if (!inflater.isOpen) break;
  }
  if (inBlock > 0) yield block.subarray(0, inBlock * rowBytes);
  yield* filling(rowBytes, height - done, fillOf(header));
}

async function interlaced(input: Input, header: PngHeader, inflater: Inflater, holdBytes: number): Promise<Uint8Array> {
  const { width, height, bits, channels } = header;
  const rowBytes = bytesOfRow(width, bits * channels);
  if (rowBytes * height > holdBytes) {
    throw new EngineFailure("too-large", `an interlaced PNG of ${width} x ${height} pixels`);
  }
  const picture = new Uint8Array(rowBytes * height).fill(fillOf(header));
  const passes = ADAM7.filter(({ x, y }) => x < width && y < height).values();
  let pass = passes.next().value;
  let row = new Uint8Array(0);
  let filter: Unfilter | undefined;
  let y = 0;
  reading: for await (const piece of imageData(input)) {
    for await (const bytes of inflater.push(piece)) {
      for (let at = 0; at < bytes.length; ) {
        if (!pass) break reading;
        if (!filter) {
          row = new Uint8Array(bytesOfRow(Math.ceil((width - pass.x) / pass.stepX), bits * channels));
          filter = new Unfilter(row.length, pixelBytesOf(header));
          y = pass.y;
        }
        at += filter.add(bytes, at, row);
        if (filter.isWrong) break reading;
        if (!filter.isWhole) continue;
        spread(row, picture, y * rowBytes, pass, header);
        y += pass.stepY;
        if (y < height) continue;
        pass = passes.next().value;
        filter = undefined;
      }
    }
    if (!inflater.isOpen) break;
  }
  return picture;
}

/** Writes the pixels of a pass row to their positions in the image. */
function spread(
  row: Uint8Array,
  picture: Uint8Array,
  start: number,
  { x: first, stepX }: (typeof ADAM7)[number],
  { width, bits, channels }: PngHeader,
): void {
  if (bits < 8) {
    const mask = 2 ** bits - 1;
    for (let x = first, from = 0; x < width; x += stepX, from += bits) {
      const value = (row[from >> 3]! >> (8 - bits - (from & 7))) & mask;
      const to = x * bits;
      const shift = 8 - bits - (to & 7);
      const at = start + (to >> 3);
      picture[at] = (picture[at]! & ~(mask << shift)) | (value << shift);
    }
    return;
  }
  const pixelBytes = (bits * channels) / 8;
  for (let x = first, from = 0; x < width; x += stepX) {
    const to = start + x * pixelBytes;
    for (let index = 0; index < pixelBytes; index++) picture[to + index] = row[from++]!;
  }
}

/**
 * Returns the distance, in bytes, of the bytes that a filter compares: the size of a pixel, at least 1 (clause 9.2).
 */
const pixelBytesOf = ({ bits, channels }: PngHeader) => Math.max(1, (bits * channels) / 8);

/** Collects bytes into rows, and removes the filters of the rows. */
class Unfilter {
  isWhole = true;
  /** True after an unknown filter type: the data after it cannot be decoded. */
  isWrong = false;
  readonly #pixelBytes: number;
  #above: Uint8Array;
  #type = 0;
  #filled = 0;

  constructor(rowBytes: number, pixelBytes: number) {
    this.#pixelBytes = pixelBytes;
    this.#above = new Uint8Array(rowBytes);
  }

  /** @returns the number of bytes of `bytes`, from `at` on, that were added to the row */
  add(bytes: Uint8Array, at: number, row: Uint8Array): number {
    let from = at;
    if (this.isWhole) {
      this.#type = bytes[from++]!;
      this.isWrong = this.#type > 4;
      this.isWhole = false;
      this.#filled = 0;
    }
    const part = bytes.subarray(from, from + row.length - this.#filled);
    row.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled === row.length) {
      this.isWhole = true;
      unfilter(this.#type, row, this.#above, this.#pixelBytes);
      this.#above.set(row);
    }
    return from + part.length - at;
  }
}

/** Removes a row's filter in place (clause 9.2). */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, pixel: number): void {
  const size = row.length;
  switch (type) {
    case 1:
      for (let at = pixel; at < size; at++) row[at] = row[at]! + row[at - pixel]!;
      return;
    case 2:
      for (let at = 0; at < size; at++) row[at] = row[at]! + above[at]!;
      return;
    case 3:
      for (let at = 0; at < pixel; at++) row[at] = row[at]! + (above[at]! >> 1);
      for (let at = pixel; at < size; at++) row[at] = row[at]! + ((row[at - pixel]! + above[at]!) >> 1);
      return;
    case 4:
      for (let at = 0; at < pixel; at++) row[at] = row[at]! + above[at]!;
      for (let at = pixel; at < size; at++) {
        row[at] = row[at]! + paeth(row[at - pixel]!, above[at]!, above[at - pixel]!);
      }
  }
}

/** Returns the Paeth predictor (clause 9.4). */
function paeth(left: number, top: number, corner: number): number {
  const byLeft = Math.abs(top - corner);
  const byTop = Math.abs(left - corner);
  const byCorner = Math.abs(left + top - 2 * corner);
  if (byLeft <= byTop && byLeft <= byCorner) return left;
  return byTop <= byCorner ? top : corner;
}
