// Reads the rows of an image as its data packs them, in pieces of bounded size.
import { EngineFailure } from "../contract/failure.ts";
import { inflated } from "../formats/deflate/inflate.ts";
import type { PdfImage } from "../images/image.ts";
import { UnreadableImage } from "../images/image-samples.ts";
import type { StreamBody } from "../objects/values.ts";

/** Size of a piece, unless one row is larger. */
const PIECE_BYTES = 2 ** 18;
/** Maximum number of bytes behind the last row. */
const SURPLUS_BYTES = 2 ** 20;

/** Returns the number of samples that the data has for each pixel. */
export const storedChannels = ({ colors }: PdfImage): number => (colors?.palette ? 1 : (colors?.channels ?? 1));

export const packedRowBytes = (image: PdfImage): number =>
  Math.ceil((image.width * storedChannels(image) * image.bits) / 8);

/** Reports whether the rows can be read without decoding the whole image first. */
export function isStreamed(image: PdfImage): boolean {
  if (image.filters.length !== 1 || image.filters[0] !== "FlateDecode") return false;
  const { predictor, columns, colors, bits } = prediction(image);
  if (predictor === 1) return true;
  const isLikeImage = Math.ceil((columns * colors * bits) / 8) === packedRowBytes(image);
  return isLikeImage && (predictor >= 10 || (predictor === 2 && bits === 8));
}

/** Returns the parameters of predictors (ISO 32000-1, table 8). */
const prediction = ({ parameters }: PdfImage) => ({
  predictor: parameters.get("Predictor") ?? 1,
  columns: parameters.get("Columns") ?? 1,
  colors: parameters.get("Colors") ?? 1,
  bits: parameters.get("BitsPerComponent") ?? 8,
});

/**
 * Yields pieces of whole rows, each valid until the next one is requested. Rows that the data lacks are zero.
 * @throws UnreadableImage if the data has no rows
 */
export async function* packedRows(image: PdfImage, body: StreamBody): AsyncGenerator<Uint8Array> {
  const rowBytes = packedRowBytes(image);
  if (!isStreamed(image)) {
    yield* rowsOf(once(wholeOf(body, rowBytes * image.height)), rowBytes, image.height);
    return;
  }
  const { predictor, colors, bits } = prediction(image);
  const lead = predictor >= 10 ? 1 : 0;
  const data = inflated(body.raw(), (rowBytes + lead) * image.height);
  const pieces = rowsOf(data, rowBytes + lead, image.height);
  if (lead === 1) yield* unfiltered(pieces, rowBytes, Math.max(1, (colors * bits) >> 3));
  else if (predictor === 2) yield* withoutDifferences(pieces, rowBytes, colors);
  else yield* pieces;
}

function wholeOf(body: StreamBody, bytes: number): Uint8Array {
  try {
    return body.decoded(bytes + SURPLUS_BYTES);
  } catch (error) {
    if (error instanceof EngineFailure && error.reason !== "damaged") throw error;
    throw new UnreadableImage("it cannot be decoded", { cause: error });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Divides data into pieces of whole rows. */
async function* rowsOf(data: AsyncIterable<Uint8Array>, rowBytes: number, height: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(rowBytes * Math.min(height, Math.max(1, Math.floor(PIECE_BYTES / rowBytes))));
  let remaining = rowBytes * height;
  let filled = 0;
  for await (const bytes of data) {
    for (let at = 0; at < bytes.length && remaining > 0; ) {
      const part = bytes.subarray(at, at + Math.min(piece.length - filled, remaining));
      piece.set(part, filled);
      at += part.length;
      filled += part.length;
      remaining -= part.length;
      if (filled < piece.length && remaining > 0) continue;
      yield piece.subarray(0, filled);
      filled = 0;
    }
    if (remaining === 0) return;
  }
  if (remaining === rowBytes * height) throw new UnreadableImage("it has no data");
  piece.fill(0, filled);
  for (; remaining > 0; filled = 0) {
    const size = Math.min(piece.length, filled + remaining);
    remaining -= size - filled;
    yield piece.subarray(0, size);
    piece.fill(0);
  }
}

/** Undoes the filters of PNG (7.4.4.4). */
async function* unfiltered(
  pieces: AsyncIterable<Uint8Array>,
  rowBytes: number,
  pixelBytes: number,
): AsyncGenerator<Uint8Array> {
  let above = new Uint8Array(rowBytes);
  let rows = new Uint8Array(0);
  for await (const piece of pieces) {
    const count = piece.length / (rowBytes + 1);
    if (rows.length !== count * rowBytes) rows = new Uint8Array(count * rowBytes);
    for (let row = 0; row < count; row++) {
      const start = row * (rowBytes + 1);
      const current = rows.subarray(row * rowBytes, (row + 1) * rowBytes);
      current.set(piece.subarray(start + 1, start + 1 + rowBytes));
      unfilter(piece[start]!, current, above, pixelBytes);
      above = current;
    }
    // The next piece overwrites these rows.
    above = above.slice();
    yield rows;
  }
}

function unfilter(filter: number, row: Uint8Array, above: Uint8Array, pixelBytes: number): void {
  const { length } = row;
  if (filter === 1) {
    for (let at = pixelBytes; at < length; at++) row[at] = row[at]! + row[at - pixelBytes]!;
  } else if (filter === 2) {
    for (let at = 0; at < length; at++) row[at] = row[at]! + above[at]!;
  } else if (filter === 3) {
    for (let at = 0; at < length; at++) {
      row[at] = row[at]! + (((at < pixelBytes ? 0 : row[at - pixelBytes]!) + above[at]!) >> 1);
    }
  } else if (filter === 4) {
    for (let at = 0; at < pixelBytes && at < length; at++) row[at] = row[at]! + above[at]!;
    for (let at = pixelBytes; at < length; at++) {
      row[at] = row[at]! + nearest(row[at - pixelBytes]!, above[at]!, above[at - pixelBytes]!);
    }
  }
}

/** The Paeth predictor (PNG 3rd edition, clause 9.4). */
function nearest(left: number, up: number, corner: number): number {
  const byLeft = Math.abs(up - corner);
  const byUp = Math.abs(left - corner);
  const byCorner = Math.abs(left + up - 2 * corner);
  return byLeft <= byUp && byLeft <= byCorner ? left : byUp <= byCorner ? up : corner;
}

/** Undoes the differences of TIFF (7.4.4.4) between samples of 8 bits. */
async function* withoutDifferences(
  pieces: AsyncIterable<Uint8Array>,
  rowBytes: number,
  colors: number,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    for (let start = 0; start < piece.length; start += rowBytes) {
      const row = piece.subarray(start, start + rowBytes);
      for (let at = colors; at < rowBytes; at++) row[at] = row[at]! + row[at - colors]!;
    }
    yield piece;
  }
}
