// Converts the sample descriptions of PNG (3rd edition, clauses 11.2.2, 11.3.1.1 and 11.3.2) to PDF.

import { calibratedGray, calibratedRgb } from "../to-pdf/calibrated.ts";
import type { ColorSpace } from "../to-pdf/image-page.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import type { PngFile } from "./chunks.ts";

export function pngColor(file: PngFile): ColorSpace {
  const { bits, colorType } = file.header;
  if (colorType === 0 || colorType === 4) return plainColor(file, 1);
  const space = plainColor(file, 3);
  if (colorType !== 3) return space;
  // An index beyond the palette is an error. Such pixels are black, as in libpng.
  const palette = new Uint8Array(3 * 2 ** bits);
  palette.set(file.palette!.subarray(0, palette.length));
  return { kind: "indexed", base: space, palette };
}

/** Returns the color space, in the order of precedence of clause 4.3. */
function plainColor({ profile, isSrgb, gamma, primaries }: PngFile, components: 1 | 3): ColorSpace {
  if (profile || isSrgb) return profiledSpace(isSrgb && !profile ? undefined : profile, components);
  if (components === 1) return calibratedGray(gamma);
  return gamma || primaries ? calibratedRgb(gamma, primaries) : profiledSpace(undefined, 3);
}

/**
 * Returns PDF's color key for the transparent color of tRNS (clause 11.3.1.1); undefined for 16 bits, because viewers
 * compare only some of the bits.
 */
export function colorKey({ header, transparency }: PngFile): { colorKey?: number[] } {
  const { bits, colorType, channels } = header;
  if (!transparency || (colorType !== 0 && colorType !== 2) || bits === 16 || transparency.length < 2 * channels)
    return {};
  const samples = keySamples(transparency, channels);
  // A value beyond the bit depth matches no pixel.
  return samples.every((sample) => sample < 2 ** bits)
    ? { colorKey: samples.flatMap((sample) => [sample, sample]) }
    : {};
}

/** @returns one sample per channel */
export function keySamples(transparency: Uint8Array, channels: number): number[] {
  return Array.from({ length: channels }, (_, index) => transparency[2 * index]! * 256 + transparency[2 * index + 1]!);
}
