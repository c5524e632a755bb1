// Combines the colors of an image with its opacity. The result is as large as the larger of image and mask; the pixels
// of the smaller one are repeated.
import type { MaskRows } from "./opacity.ts";

const PIECE_BYTES = 2 ** 18;

/** Rows of an image with samples of 8 or 16 bits, without opacity. */
export interface ColorRows {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  readonly sampleBytes: 1 | 2;
  readonly rows: AsyncGenerator<Uint8Array>;
}

/** Gives access to rows one after the other. */
class RowCursor {
  readonly #pieces: AsyncGenerator<Uint8Array>;
  readonly #rowBytes: number;
  #piece = new Uint8Array(0) as Uint8Array;
  /** Index of the first row of the piece. */
  #first = 0;

  constructor(pieces: AsyncGenerator<Uint8Array>, rowBytes: number) {
    this.#pieces = pieces;
    this.#rowBytes = rowBytes;
  }

  /** @param index not less than in the last call */
  async row(index: number): Promise<Uint8Array> {
    while (index >= this.#first + this.#piece.length / this.#rowBytes) {
      this.#first += this.#piece.length / this.#rowBytes;
      const { done, value } = await this.#pieces.next();
      if (done) throw new RangeError("there are no more rows");
      this.#piece = value;
    }
    const start = (index - this.#first) * this.#rowBytes;
    return this.#piece.subarray(start, start + this.#rowBytes);
  }

  async close(): Promise<void> {
    await this.#pieces.return(undefined);
  }
}

export const sizeOfBoth = (
  image: Pick<MaskRows, "width" | "height">,
  mask: Pick<MaskRows, "width" | "height"> | undefined,
) => ({
  width: Math.max(image.width, mask?.width ?? 0),
  height: Math.max(image.height, mask?.height ?? 0),
});

/** Yields pieces of whole rows, in which opacity follows the colors of each pixel. */
export async function* maskedPixels(colors: ColorRows, mask: MaskRows): AsyncGenerator<Uint8Array> {
  const { width, height } = sizeOfBoth(colors, mask);
  const { channels, sampleBytes } = colors;
  const columns = [colors, mask].map((one) => nearest(width, one.width)) as [Uint32Array, Uint32Array];
  const lines = [colors, mask].map((one) => nearest(height, one.height)) as [Uint32Array, Uint32Array];
  const cursor = new RowCursor(colors.rows, colors.width * channels * sampleBytes);
  const opacities = new RowCursor(mask.rows, mask.width);
  const rowBytes = width * (channels + 1) * sampleBytes;
  const piece = new Uint8Array(rowBytes * Math.min(height, Math.max(1, Math.floor(PIECE_BYTES / rowBytes))));
  const matte = matteOf(colors, mask);
  let filled = 0;
  try {
    for (let y = 0; y < height; y++) {
      const row = piece.subarray(filled, filled + rowBytes);
      const [color, opacity] = [await cursor.row(lines[0][y]!), await opacities.row(lines[1][y]!)];
      joinRow(row, { color, opacity, columns, channels, sampleBytes });
      if (matte) removeMatte(row, channels, matte);
      filled += rowBytes;
      if (filled < piece.length && y < height - 1) continue;
      yield piece.subarray(0, filled);
      filled = 0;
    }
  } finally {
    await cursor.close();
    await opacities.close();
  }
}

/** Returns the nearest source index of each target index. */
const nearest = (target: number, source: number): Uint32Array =>
  Uint32Array.from({ length: target }, (_, index) => Math.floor(((index + 0.5) * source) / target));

interface RowParts {
  readonly color: Uint8Array;
  readonly opacity: Uint8Array;
  readonly columns: readonly [color: Uint32Array, opacity: Uint32Array];
  readonly channels: number;
  readonly sampleBytes: number;
}

function joinRow(row: Uint8Array, { color, opacity, columns, channels, sampleBytes }: RowParts): void {
  const pixelBytes = channels * sampleBytes;
  const [ofColor, ofOpacity] = columns;
  for (let x = 0, to = 0; x < ofColor.length; x++) {
    const from = ofColor[x]! * pixelBytes;
    for (let at = 0; at < pixelBytes; at++) row[to++] = color[from + at]!;
    for (let at = 0; at < sampleBytes; at++) row[to++] = opacity[ofOpacity[x]!]!;
  }
}

/** Adds opacity to whole rows of the same size, in which one byte belongs to each pixel. */
export function joined({ channels, sampleBytes }: ColorRows, color: Uint8Array, opacity: Uint8Array): Uint8Array {
  const all = Uint32Array.from(opacity.keys());
  const rows = new Uint8Array(opacity.length * (channels + 1) * sampleBytes);
  joinRow(rows, { color, opacity, columns: [all, all], channels, sampleBytes });
  return rows;
}

/** Returns the matte color in samples of 8 bits. It only exists if image and mask have the same size (11.6.5.3). */
function matteOf({ width, height, channels, sampleBytes }: ColorRows, mask: MaskRows): Uint8Array | undefined {
  const isUsable = sampleBytes === 1 && mask.width === width && mask.height === height;
  if (!isUsable || mask.matte?.length !== channels) return undefined;
  return Uint8Array.from(mask.matte, (one) => Math.round(255 * Math.min(1, Math.max(0, one))));
}

/** Recovers colors that were blended with the matte color. */
function removeMatte(row: Uint8Array, channels: number, matte: Uint8Array): void {
  for (let at = 0; at < row.length; at += channels + 1) {
    const opacity = row[at + channels]!;
    if (opacity === 0 || opacity === 255) continue;
    for (let channel = 0; channel < channels; channel++) {
      const color = matte[channel]! + ((row[at + channel]! - matte[channel]!) * 255) / opacity;
      row[at + channel] = Math.min(255, Math.max(0, Math.round(color)));
    }
  }
}
