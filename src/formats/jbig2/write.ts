// A bilevel picture as JBIG2 the way PDF embeds it (ITU-T T.88; ISO 32000-1, 7.4.7): one page of one generic region, lossless.
import { concatenate } from "../jpeg/scans.ts";
import type { Address, PictureKernel } from "../picture-kernel.ts";

const PAGE_INFORMATION = 48;
const IMMEDIATE_LOSSLESS_GENERIC_REGION = 39;
/** The page that all segments belong to: PDF has it so. */
const PAGE = 1;
/** T.88 7.4.8.5: the region fills the page, which is white. */
const PAGE_FLAGS = 0x01;
/** T.88 7.4.6.2: arithmetic coding, template 0, typical prediction. */
const REGION_FLAGS = 0x08;
/** T.88 6.2.5.4: where the four adaptive pixels nominally are. */
const ADAPTIVE = [3, -1, -3, -1, 2, -2, -2, -2];

/**
 * @param at rows of bits in the kernel, each on whole bytes; 1 is black
 * @returns what a stream with the filter JBIG2Decode holds, without globals
 */
export function encodeJbig2(kernel: PictureKernel, at: Address, width: number, height: number): Uint8Array {
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
 * A segment's header (T.88 7.2) and the beginning of its data.
 * @param moreBytes of data that follow
 */
function segment(number: number, type: number, data: readonly number[], moreBytes = 0): Uint8Array {
  return Uint8Array.of(...uint32(number), type, 0, PAGE, ...uint32(data.length + moreBytes), ...data);
}

const uint32 = (value: number) => [value >>> 24, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff];
