// Encodes a bilevel picture as JBIG2 for PDF (ITU-T T.88; ISO 32000-1, 7.4.7): one page with one generic region,
// lossless.

import type { Address, ImageKernel } from "../image-kernel.ts";
import { concatenate } from "../jpeg/entropy/scans.ts";

const PAGE_INFORMATION = 48;
const IMMEDIATE_LOSSLESS_GENERIC_REGION = 39;
/** Page number of all segments, as PDF requires. */
const PAGE = 1;
/** The region fills the page; default pixel white (T.88 7.4.8.5). */
const PAGE_FLAGS = 0x01;
/** Arithmetic coding, template 0, typical prediction (T.88 7.4.6.2). */
const REGION_FLAGS = 0x08;
/** Nominal positions of the four adaptive pixels (T.88 6.2.5.4). */
const ADAPTIVE = [3, -1, -3, -1, 2, -2, -2, -2];

/**
 * @param at kernel address of rows of bits, each padded to whole bytes; 1 is black
 * @returns the data of a stream with the filter JBIG2Decode, without globals
 */
export function encodeJbig2(kernel: ImageKernel, at: Address, width: number, height: number): Uint8Array {
  const { exports } = kernel;
  const coded = exports.encodeBilevel(at, width, height);
  const size = exports.bilevelBytes.value;
  const place = [...uint32(width), ...uint32(height), ...uint32(0), ...uint32(0)];
  const adaptive = ADAPTIVE.map((offset) => offset & 0xff);
  const page = segment(0, PAGE_INFORMATION, [...place, PAGE_FLAGS, 0, 0]);
  const region = segment(1, IMMEDIATE_LOSSLESS_GENERIC_REGION, [...place, 0, REGION_FLAGS, ...adaptive], size);
  return concatenate([page, region, kernel.view(coded, size)]);
}

/**
 * Returns a segment header (T.88 7.2) and the start of its data.
 * @param moreBytes number of data bytes that follow
 */
function segment(number: number, type: number, data: readonly number[], moreBytes = 0): Uint8Array {
  return Uint8Array.of(...uint32(number), type, 0, PAGE, ...uint32(data.length + moreBytes), ...data);
}

const uint32 = (value: number) => [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
