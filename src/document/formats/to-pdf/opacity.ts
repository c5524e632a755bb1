// Separates opacity from color: splits rows that contain both.
import { bytesOfRow, type Rows } from "./image-data.ts";

/** Yields the colors of pixels whose last sample is opacity. @param sampleBytes 1 or 2 */
export async function* colorSamples(blocks: Rows, components: number, sampleBytes: number): AsyncGenerator<Uint8Array> {
  const colorBytes = components * sampleBytes;
  const pixelBytes = colorBytes + sampleBytes;
  for await (const block of blocks) {
    const color = new Uint8Array((block.length / pixelBytes) * colorBytes);
    for (let from = 0, to = 0; from < block.length; from += pixelBytes) {
      for (let index = 0; index < colorBytes; index++) color[to++] = block[from + index]!;
    }
    yield color;
  }
}

/** Yields the opacity of pixels whose last sample is opacity. */
export async function* alphaSamples(blocks: Rows, components: number, sampleBytes: number): AsyncGenerator<Uint8Array> {
  const colorBytes = components * sampleBytes;
  const pixelBytes = colorBytes + sampleBytes;
  for await (const block of blocks) {
    const alpha = new Uint8Array((block.length / pixelBytes) * sampleBytes);
    for (let from = colorBytes, to = 0; from < block.length; from += pixelBytes) {
      alpha[to++] = block[from]!;
      if (sampleBytes === 2) alpha[to++] = block[from + 1]!;
    }
    yield alpha;
  }
}

/** Yields the opacity of palette indexes from a table. Indexes beyond the table are opaque. */
export async function* alphaOfIndices(
  blocks: Rows,
  width: number,
  bits: number,
  opacities: Uint8Array,
): AsyncGenerator<Uint8Array> {
  const table = new Uint8Array(256).fill(255);
  table.set(opacities.subarray(0, 256));
  const rowBytes = bytesOfRow(width, bits);
  const mask = 2 ** bits - 1;
  for await (const block of blocks) {
    const rows = block.length / rowBytes;
    const alpha = new Uint8Array(rows * width);
    for (let row = 0, to = 0; row < rows; row++) {
      for (let x = 0, bit = row * rowBytes * 8; x < width; x++, bit += bits) {
        alpha[to++] = table[(block[bit >> 3]! >> (8 - bits - (bit & 7))) & mask]!;
      }
    }
    yield alpha;
  }
}

/**
 * Yields the opacity of 16-bit pixels with one transparent color.
 * @param key one sample per channel
 */
export async function* alphaOfKey(blocks: Rows, key: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = key.flatMap((sample) => [sample >> 8, sample & 255]);
  for await (const block of blocks) {
    const alpha = new Uint8Array(block.length / bytes.length).fill(255);
    for (let pixel = 0, from = 0; pixel < alpha.length; pixel++, from += bytes.length) {
      let isKey = true;
      for (let index = 0; index < bytes.length; index++) if (block[from + index] !== bytes[index]) isKey = false;
      if (isKey) alpha[pixel] = 0;
    }
    yield alpha;
  }
}
