// Encodes a bilevel image losslessly as Group 4 fax data for PDF (ITU-T T.6; ISO 32000-1, 7.4.6).

import type { Address, ImageKernel } from "../image-kernel.ts";
import { concatenate } from "../jpeg/entropy/scans.ts";
import { FaxEncoder } from "./encode.ts";

/**
 * @param at kernel address of rows of bits, each padded to whole bytes; 1 is black
 * @returns the data of a stream with the filter CCITTFaxDecode and K -1
 */
export function encodeCcitt(kernel: ImageKernel, at: Address, width: number, height: number): Uint8Array {
  const rowBytes = Math.ceil(width / 8);
  const bits = kernel.view(at, rowBytes * height);
  const encoder = new FaxEncoder(width);
  const parts: Uint8Array[] = [];
  const changes = new Uint32Array(width + 1);
  for (let y = 0; y < height; y++) {
    encoder.add(changes.subarray(0, changesOf(bits.subarray(y * rowBytes, (y + 1) * rowBytes), width, changes)));
    if (encoder.isFull) parts.push(encoder.take().slice());
  }
  encoder.end();
  parts.push(encoder.take().slice());
  return concatenate(parts);
}

/**
 * @param changes receives the columns where the color changes, starting with white
 * @returns the number of changes
 */
function changesOf(row: Uint8Array, width: number, changes: Uint32Array): number {
  let count = 0;
  let color = 0;
  for (let at = 0; at < row.length; at++) {
    const byte = row[at]!;
    // All pixels of the byte have the current color.
    if (byte === (color === 0 ? 0 : 0xff)) continue;
    for (let bit = 0, x = at * 8; bit < 8 && x < width; bit++, x++) {
      const value = (byte >> (7 - bit)) & 1;
      if (value === color) continue;
      color = value;
      changes[count++] = x;
    }
  }
  return count;
}
