// Computes the page size of an image from its pixels and resolution, within the limits of PDF.
import { OutOfRange } from "../../contract/failure.ts";
import type { Density, ImagePage } from "./image-page.ts";

/** Resolution of an image that states none. */
const DEFAULT_DPI = 72;
/** Range of plausible resolutions. Other values are defaults of programs, or mistakes. */
const MIN_DPI = 10;
const MAX_DPI = 20_000;
const POINTS_PER_INCH = 72;
/** Range of page sides, in points (ISO 32000-1, annex C.2). */
const MIN_POINTS = 3;
export const MAX_POINTS = 14_400;

/**
 * Half a dot per meter, in dots per inch: the rounding error of 72 or 300 dpi in a file that stores whole dots per
 * meter.
 */
const METRIC_ERROR = 0.0127;
/** Precision of a page size, in points. */
const STEP = 0.000001;

const isSane = (dpi: number) => dpi >= MIN_DPI && dpi <= MAX_DPI;
const meant = (dpi: number) => (Math.abs(dpi - Math.round(dpi)) <= METRIC_ERROR ? Math.round(dpi) : dpi);

/**
 * Returns the stated resolution if it is plausible. An implausible value in one direction is replaced by the value of
 * the other direction.
 */
export function saneDensity(x: number, y: number): Density | undefined {
  const [across, down] = [isSane(x) ? meant(x) : undefined, isSane(y) ? meant(y) : undefined];
  return across || down ? { x: (across ?? down)!, y: (down ?? across)! } : undefined;
}

/**
 * Returns a density for non-square pixels without a stated resolution. The longer side of a pixel has the default
 * resolution.
 */
export function densityOfAspect(x: number, y: number): Density | undefined {
  if (!(x > 0 && y > 0) || x === y || x / y > 10 || y / x > 10) return undefined;
  const least = Math.min(x, y);
  return { x: (DEFAULT_DPI * x) / least, y: (DEFAULT_DPI * y) / least };
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the size of an image in points, with the orientation applied. */
export function imageSize({ width, height, orientation, density }: Omit<ImagePage, "parts">): Size {
  const { x, y } = density ?? { x: DEFAULT_DPI, y: DEFAULT_DPI };
  const [across, down] = [points(width, x), points(height, y)];
  return orientation >= 5 ? { width: down, height: across } : { width: across, height: down };
}

/**
 * Returns the page size of an image.
 * @throws OutOfRange if the page exceeds the limits of PDF
 */
export function pageSize(image: Omit<ImagePage, "parts">): Size {
  const { width, height } = imageSize(image);
  if (Math.max(width, height) > MAX_POINTS) {
    throw new OutOfRange("file", `A page of ${Math.ceil(width)} x ${Math.ceil(height)} points`);
  }
  return { width: Math.max(MIN_POINTS, width), height: Math.max(MIN_POINTS, height) };
}

/**
 * Returns slightly fewer points than the pixels occupy, because a viewer that rounds up would show an empty pixel at
 * the edge. An integer stays unchanged if it is not more than the pixels occupy.
 */
function points(pixels: number, dpi: number): number {
  const exact = Number(((pixels / dpi) * POINTS_PER_INCH).toFixed(6));
  return Number.isInteger(exact) && exact * (dpi / POINTS_PER_INCH) <= pixels ? exact : exact - STEP;
}
