// How large a picture is on paper: its pixels and its resolution, within what PDF allows.
import { OutOfRange } from "../../core/failure.ts";
import type { Density, Picture } from "./picture.ts";

/** What a picture has that tells nothing. */
const DEFAULT_DPI = 72;
/** Files say anything: what lies beyond this is a default of some program or a mistake. */
const LEAST_DPI = 10;
const MOST_DPI = 20_000;
const POINTS_PER_INCH = 72;
/** ISO 32000-1, annex C.2: a page is 3 to 14,400 units on a side. */
const LEAST_POINTS = 3;
const MOST_POINTS = 14_400;

/** Half a dot per metre: what 72 or 300 dpi lose where a file counts whole dots per metre. */
const METRIC_ERROR = 0.0127;
/** What a page's size is written with. */
const STEP = 0.000001;

const isSane = (dpi: number) => dpi >= LEAST_DPI && dpi <= MOST_DPI;
const meant = (dpi: number) => (Math.abs(dpi - Math.round(dpi)) <= METRIC_ERROR ? Math.round(dpi) : dpi);

/** What a file says, where it makes sense. A direction of which nothing sensible is said has the resolution of the other. */
export function saneDensity(x: number, y: number): Density | undefined {
  const [across, down] = [isSane(x) ? meant(x) : undefined, isSane(y) ? meant(y) : undefined];
  return across || down ? { x: (across ?? down)!, y: (down ?? across)! } : undefined;
}

/** Pixels that are not square, and no resolution: the longer side of a pixel has that of a picture which tells nothing. */
export function densityOfAspect(x: number, y: number): Density | undefined {
  if (!(x > 0 && y > 0) || x === y || x / y > 10 || y / x > 10) return undefined;
  const least = Math.min(x, y);
  return { x: (DEFAULT_DPI * x) / least, y: (DEFAULT_DPI * y) / least };
}

/**
 * Points, as the picture is seen.
 * @throws OutOfRange where PDF has no page so large
 */
export function pageSize({ width, height, orientation, density }: Omit<Picture, "parts">): {
  width: number;
  height: number;
} {
  const { x, y } = density ?? { x: DEFAULT_DPI, y: DEFAULT_DPI };
  const across = points(width, x);
  const down = points(height, y);
  if (Math.max(across, down) > MOST_POINTS) {
    throw new OutOfRange("file", `A page of ${Math.ceil(across)} x ${Math.ceil(down)} points`);
  }
  const [seenWidth, seenHeight] = orientation >= 5 ? [down, across] : [across, down];
  return { width: Math.max(LEAST_POINTS, seenWidth), height: Math.max(LEAST_POINTS, seenHeight) };
}

/**
 * A hair less than the pixels take: a viewer that rounds up, in its own arithmetic, would show a pixel of nothing beside them.
 * Whole numbers need it seldom.
 */
function points(pixels: number, dpi: number): number {
  const exact = Number(((pixels / dpi) * POINTS_PER_INCH).toFixed(6));
  return Number.isInteger(exact) && exact * (dpi / POINTS_PER_INCH) <= pixels ? exact : exact - STEP;
}
