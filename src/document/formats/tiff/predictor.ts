// Reverses TIFF's predictors in a row: horizontal differencing (6.0 section 14) and floating point (Adobe's technical
// note 3).
import type { TiffPage } from "./page.ts";

/** @param samples samples per pixel in this row */
export function undoDifferences(row: Uint8Array, { predictor, bits, file }: TiffPage, samples: number): void {
  if (predictor === 1) return;
  if (predictor === 3) undoFloats(row, bits / 8, samples, file.isLittleEndian);
  else if (bits === 8) undoBytes(row, samples);
  else if (bits === 16 || bits === 32) undoWords(row, bits / 8, samples, file.isLittleEndian);
  else if (bits < 8) undoBits(row, bits, samples);
}

function undoBytes(row: Uint8Array, samples: number): void {
  for (let at = samples; at < row.length; at++) row[at] = row[at]! + row[at - samples]!;
}

function undoWords(row: Uint8Array, bytes: number, samples: number, isLittleEndian: boolean): void {
  const view = new DataView(row.buffer, row.byteOffset, row.length);
  const distance = samples * bytes;
  for (let at = distance; at + bytes <= row.length; at += bytes) {
    if (bytes === 2) {
      view.setUint16(
        at,
        view.getUint16(at, isLittleEndian) + view.getUint16(at - distance, isLittleEndian),
        isLittleEndian,
      );
    } else {
      view.setUint32(
        at,
        view.getUint32(at, isLittleEndian) + view.getUint32(at - distance, isLittleEndian),
        isLittleEndian,
      );
    }
  }
}

function undoBits(row: Uint8Array, bits: number, samples: number): void {
  if (8 % bits !== 0) return;
  const mask = (1 << bits) - 1;
  const before = new Uint8Array(samples);
  for (let bit = 0, sample = 0; bit < row.length * 8; bit += bits) {
    const shift = 8 - bits - (bit & 7);
    const value = (((row[bit >> 3]! >> shift) & mask) + before[sample]!) & mask;
    row[bit >> 3] = (row[bit >> 3]! & ~(mask << shift)) | (value << shift);
    before[sample] = value;
    sample = (sample + 1) % samples;
  }
}

/**
 * Reverses the floating-point predictor. It stores byte planes, high bytes first, as differences from the sample to the
 * left.
 */
function undoFloats(row: Uint8Array, bytes: number, samples: number, isLittleEndian: boolean): void {
  undoBytes(row, samples);
  const apart = row.slice();
  const count = row.length / bytes;
  for (let index = 0; index < count; index++) {
    for (let byte = 0; byte < bytes; byte++) {
      row[index * bytes + (isLittleEndian ? bytes - 1 - byte : byte)] = apart[byte * count + index]!;
    }
  }
}
