// Converts numeric color descriptions to PDF's CalGray and CalRGB (ISO 32000-1, 8.6.5).
import { type ColorSpace, GRAY, RGB } from "./image-page.ts";

/** Chromaticities x and y. */
export interface Primaries {
  readonly white: readonly [number, number];
  readonly red: readonly [number, number];
  readonly green: readonly [number, number];
  readonly blue: readonly [number, number];
}

/** The color space that viewers assume for device colors: sRGB (IEC 61966-2-1). */
export const SRGB: Primaries = { white: [0.3127, 0.329], red: [0.64, 0.33], green: [0.3, 0.6], blue: [0.15, 0.06] };
const USUAL_GAMMA = 2.2;
/** Differences of gamma and of chromaticity below which colors look equal. */
const SAME_GAMMA = 0.05;
const SAME_CHROMATICITY = 0.003;

export type Vector = readonly [number, number, number];

/** @param gamma display gamma, such as 2.2 */
export function calibratedGray(gamma: number | undefined): ColorSpace {
  if (gamma === undefined || !(gamma > 0.1 && gamma < 10) || Math.abs(gamma - USUAL_GAMMA) < SAME_GAMMA) return GRAY;
  return {
    kind: "calibrated",
    array: `[/CalGray<</WhitePoint[${list(whitePoint(SRGB.white))}]/Gamma ${text(gamma)}>>]`,
  };
}

export function calibratedRgb(gamma: number = USUAL_GAMMA, primaries: Primaries = SRGB): ColorSpace {
  if (!(gamma > 0.1 && gamma < 10) || !isSound(primaries)) return RGB;
  if (Math.abs(gamma - USUAL_GAMMA) < SAME_GAMMA && isSrgb(primaries)) return RGB;
  const white = whitePoint(primaries.white);
  const columns = columnsOf(primaries);
  const matrix = columns.flat();
  if (!matrix.every(Number.isFinite) || !columns.every(([, luminance]) => luminance > 0)) return RGB;
  const gammas = list([gamma, gamma, gamma]);
  return {
    kind: "calibrated",
    array: `[/CalRGB<</WhitePoint[${list(white)}]/Gamma[${gammas}]/Matrix[${list(matrix)}]>>]`,
  };
}

/** Returns X, Y, Z of full red, green and blue, whose sum is white with Y = 1. */
export function columnsOf(primaries: Primaries): readonly Vector[] {
  const white = whitePoint(primaries.white);
  const columns = [primaries.red, primaries.green, primaries.blue].map(whitePoint) as [Vector, Vector, Vector];
  // The proportions of the primaries in white solve three linear equations (Cramer's rule).
  const whole = determinant(columns);
  const shares = columns.map((_, index) => determinant(columns.with(index, white) as typeof columns) / whole);
  return columns.map(([x, y, z], index) => [x * shares[index]!, y * shares[index]!, z * shares[index]!]);
}

/** Returns X, Y, Z for Y = 1. */
export const whitePoint = ([x, y]: readonly [number, number]): Vector => [x / y, 1, (1 - x - y) / y];

function determinant([[a, b, c], [d, e, f], [g, h, i]]: readonly [Vector, Vector, Vector]): number {
  return a * (e * i - f * h) - d * (b * i - c * h) + g * (b * f - c * e);
}

function isSound(primaries: Primaries): boolean {
  return Object.values(primaries).every(([x, y]) => x >= 0 && x <= 1 && y > 0.001 && y <= 1);
}

function isSrgb(primaries: Primaries): boolean {
  return (Object.keys(SRGB) as (keyof Primaries)[]).every((key) =>
    SRGB[key].every((value, index) => Math.abs(value - primaries[key][index]!) < SAME_CHROMATICITY),
  );
}

const text = (value: number) => String(Number(value.toFixed(6)));
const list = (values: readonly number[]) => values.map(text).join(" ");
