// Decodes the rows of a TIFF from its strips and tiles, one plane and one row at a time, from top to bottom.

import { EngineFailure } from "../../contract/failure.ts";
import { FaxDecoder, type FaxOptions } from "../ccitt/decode.ts";
import { inflated } from "../deflate/inflate.ts";
import { decodeLzw } from "../lzw/decode.ts";
import { unpackedWebp, unpackedZstandard } from "./modern.ts";
import { decodePackBits } from "./packbits.ts";
import { COMPRESSION, segmentBytes, type TiffPage } from "./page.ts";
import { undoDifferences } from "./predictor.ts";

/**
 * The layout of one plane in its strips or tiles. Planes contain one sample of each pixel, or all samples interleaved.
 */
export interface Plane {
  /** Index from 0; 0 if samples are interleaved. */
  readonly index: number;
  /** Samples per pixel in this plane. */
  readonly samples: number;
  /** Bytes per row of a segment, and of the image. */
  readonly segmentRowBytes: number;
  readonly rowBytes: number;
  /** Rows of a segment, and of the image. With subsampling, a stored row contains several pixel rows. */
  readonly segmentRows: number;
  readonly rows: number;
  /** Value of missing rows. */
  readonly fill: number;
}

/**
 * Yields every row of a plane. A row is valid until the next one is requested.
 * @param holdBytes maximum memory for a row of tiles
 * @throws EngineFailure `too-large`
 */
export async function* planeRows(page: TiffPage, plane: Plane, holdBytes: number): AsyncGenerator<Uint8Array> {
  if (page.across > 1) yield* tileRows(page, plane, holdBytes);
  else yield* stripRows(page, plane, holdBytes);
}

/** Yields rows of strips, and of tiles that are at least as wide as the image. */
async function* stripRows(page: TiffPage, plane: Plane, holdBytes: number): AsyncGenerator<Uint8Array> {
  const row = new Uint8Array(plane.segmentRowBytes);
  const visible = row.subarray(0, plane.rowBytes);
  for (let down = 0; down < page.down; down++) {
    await using segment = new Segment(page, plane, plane.index * page.down + down, holdBytes);
    const rows = Math.min(plane.segmentRows, plane.rows - down * plane.segmentRows);
    for (let index = 0; index < rows; index++) {
      await segment.read(row);
      yield visible;
    }
  }
}

/** Yields rows of tiles. Decodes a whole row of tiles together. */
async function* tileRows(page: TiffPage, plane: Plane, holdBytes: number): AsyncGenerator<Uint8Array> {
  const { across } = page;
  const bandRows = Math.min(plane.segmentRows, plane.rows);
  if (plane.rowBytes * bandRows > holdBytes) {
    throw new EngineFailure("too-large", `tiles of ${plane.segmentRows} rows of ${plane.rowBytes} bytes`);
  }
  const band = new Uint8Array(plane.rowBytes * bandRows);
  const row = new Uint8Array(plane.segmentRowBytes);
  for (let down = 0; down < page.down; down++) {
    const rows = Math.min(bandRows, plane.rows - down * plane.segmentRows);
    for (let x = 0; x < across; x++) {
      await using segment = new Segment(page, plane, (plane.index * page.down + down) * across + x, holdBytes);
      const start = x * plane.segmentRowBytes;
      const visible = row.subarray(0, Math.min(row.length, plane.rowBytes - start));
      for (let index = 0; index < rows; index++) {
        await segment.read(row);
        band.set(visible, index * plane.rowBytes + start);
      }
    }
    for (let index = 0; index < rows; index++)
      yield band.subarray(index * plane.rowBytes, (index + 1) * plane.rowBytes);
  }
}

/** A strip or tile being decoded. */
class Segment implements AsyncDisposable {
  readonly #pieces: Iterator<Uint8Array> | AsyncIterator<Uint8Array>;
  readonly #page: TiffPage;
  readonly #plane: Plane;
  #piece: Uint8Array = new Uint8Array(0);
  #isOver = false;

  constructor(page: TiffPage, plane: Plane, index: number, holdBytes: number) {
    this.#page = page;
    this.#plane = plane;
    const bytes = page.segment?.(index) ?? segmentBytes(page, index);
    this.#pieces = unpacked(page, plane, page.isReversed ? reversed(bytes) : bytes, holdBytes);
  }

  /** Writes the next row. After the end of the data, writes the fill value. */
  async read(row: Uint8Array): Promise<void> {
    let filled = 0;
    while (filled < row.length && !this.#isOver) {
      if (this.#piece.length === 0) {
        const { done, value } = await this.#pieces.next();
        if (done) this.#isOver = true;
        else this.#piece = value;
      }
      const part = this.#piece.subarray(0, row.length - filled);
      row.set(part, filled);
      filled += part.length;
      this.#piece = this.#piece.subarray(part.length);
    }
    if (filled < row.length) row.fill(this.#plane.fill);
    else undoDifferences(row, this.#page, this.#plane.samples);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pieces.return?.();
  }
}

function unpacked(
  page: TiffPage,
  plane: Plane,
  bytes: Uint8Array,
  holdBytes: number,
): Iterator<Uint8Array> | AsyncIterator<Uint8Array> {
  const { segmentRowBytes, segmentRows, samples } = plane;
  const size = { width: page.segmentWidth, rows: segmentRows, samples, bytes: segmentRowBytes * segmentRows };
  switch (page.compression) {
    case COMPRESSION.none:
      return [bytes].values();
    case COMPRESSION.lzw:
      return decodeLzw(bytes);
    case COMPRESSION.packBits:
      return decodePackBits(bytes);
    case COMPRESSION.deflate:
    case COMPRESSION.oldDeflate:
      return inflated(bytes, plane.segmentRowBytes * plane.segmentRows);
    case COMPRESSION.zstandard:
      return unpackedZstandard(bytes, size, holdBytes);
    case COMPRESSION.webp:
      return unpackedWebp(bytes, size, holdBytes);
    default:
      return faxRows(new FaxDecoder(bytes, faxOptions(page, page.segmentWidth)), plane.segmentRowBytes);
  }
}

/** Returns the fax coding of a page (sections 10 and 11). Bit 0 of T4Options means two-dimensional coding. */
export function faxOptions({ compression, directory }: TiffPage, columns: number): FaxOptions {
  switch (compression) {
    case COMPRESSION.t6:
      return { kind: "t6", columns };
    case COMPRESSION.t4:
      return { kind: "t4", columns, isTwoDimensional: ((directory.number(292) ?? 0) & 1) === 1 };
    default:
      return { kind: "rows", columns, alignment: compression === COMPRESSION.faxWords ? 16 : 8 };
  }
}

/** Converts color changes to bits, with 1 for black. */
function* faxRows(decoder: FaxDecoder, rowBytes: number): Generator<Uint8Array> {
  const row = new Uint8Array(rowBytes);
  for (let changes = decoder.next(); changes; changes = decoder.next()) {
    row.fill(0);
    for (let index = 0; index < changes.length; index += 2) {
      setBits(row, changes[index]!, index + 1 < changes.length ? changes[index + 1]! : rowBytes * 8);
    }
    yield row;
  }
}

function setBits(row: Uint8Array, from: number, to: number): void {
  const [first, last] = [from >> 3, to >> 3];
  const head = 0xff >> (from & 7);
  const tail = 0xff & ~(0xff >> (to & 7));
  if (first === last) {
    row[first] = row[first]! | (head & tail);
    return;
  }
  row[first] = row[first]! | head;
  row.fill(0xff, first + 1, last);
  if (tail !== 0) row[last] = row[last]! | tail;
}

const REVERSED = Uint8Array.from({ length: 256 }, (_, byte) => {
  let bits = 0;
  for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) bits |= 0x80 >> bit;
  return bits;
});

/** Reverses the bits of each byte, for FillOrder 2 (section 8), which stores the low bit first. */
export const reversed = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => REVERSED[byte]!);
