// Converts YCbCr samples of a TIFF (6.0 sections 20 and 21), except samples in JPEGs.
import type { TiffPage } from "./page.ts";

const COEFFICIENTS = 529;
const REFERENCE = 532;
const USUAL_COEFFICIENTS = [0.299, 0.587, 0.114];
const USUAL_REFERENCE = [0, 255, 128, 255, 128, 255];

/** Returns the codes of black and white luminance, and of zero and full chrominance. */
export function referenceOf({ directory }: TiffPage): number[] {
  const reference = directory.numbers(REFERENCE, 6);
  const isSound = reference.length === 6 && [0, 2, 4].every((index) => reference[index + 1]! > reference[index]!);
  return isSound ? reference : USUAL_REFERENCE;
}

/** Returns a function that converts an 8-bit pixel to RGB in place. */
export function toRgb(page: TiffPage): (pixel: Float64Array) => void {
  const coefficients = page.directory.numbers(COEFFICIENTS, 3);
  const [red, green, blue] =
    coefficients.length === 3 && coefficients.every((value) => value > 0 && value < 1)
      ? coefficients
      : USUAL_COEFFICIENTS;
  const [black, white, noBlue, mostBlue, noRed, mostRed] = referenceOf(page);
  const clamp = (value: number) => Math.max(0, Math.min(255, Math.round(value)));
  return (pixel) => {
    const y = ((pixel[0]! - black!) * 255) / (white! - black!);
    const cb = ((pixel[1]! - noBlue!) * 127) / (mostBlue! - noBlue!);
    const cr = ((pixel[2]! - noRed!) * 127) / (mostRed! - noRed!);
    const r = y + cr * (2 - 2 * red!);
    const b = y + cb * (2 - 2 * blue!);
    pixel[0] = clamp(r);
    pixel[1] = clamp((y - blue! * b - red! * r) / green!);
    pixel[2] = clamp(b);
  };
}

/** Expands data units to rows of pixels. A unit has several luminance samples, which share one Cb and one Cr sample. */
export async function* subsampledRows(
  { width, height, subsampling }: TiffPage,
  units: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const [h, v] = subsampling;
  const unitBytes = h * v + 2;
  const row = new Uint8Array(width * 3);
  let y = 0;
  for await (const unit of units) {
    for (let line = 0; line < v && y < height; line++, y++) {
      for (let x = 0; x < width; x++) {
        const at = Math.floor(x / h) * unitBytes;
        row[x * 3] = unit[at + line * h + (x % h)]!;
        row[x * 3 + 1] = unit[at + unitBytes - 2]!;
        row[x * 3 + 2] = unit[at + unitBytes - 1]!;
      }
      yield row;
    }
  }
}
