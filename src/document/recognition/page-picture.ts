// Draws a page as a picture for text recognition: in gray, with upright and level lines, at the resolution of its
// images.
import { IDENTITY, inverse, type Matrix, multiply } from "../content/matrix.ts";
import { LIMITS } from "../contract/limits.ts";
import type { MupdfPage, Size } from "../engines/mupdf/page.ts";
import { areaOf } from "../images/drawn-resolution.ts";
import { type PlacedImage, placedImages } from "../images/placed-images.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { shownSpace } from "../pages/page-size.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { type GrayPicture, lookAtInk } from "./ink.ts";
import { onlyPictures, type UnreadPictures } from "./unread-pictures.ts";

/** The picture of a page, and how it was drawn. */
export interface PagePicture extends GrayPicture {
  readonly dpi: number;
  /** Maps points of the displayed page, from its upper left corner, to pixels. */
  readonly matrix: Matrix;
  readonly isBlank: boolean;
  /** True if the page seems to lie on its side, or to have vertical text. */
  readonly isSideways: boolean;
}

const POINTS_PER_INCH = 72;
/** Resolution for which the recognition is trained. */
const USUAL_DPI = 300;
/** Range of image resolutions at which the images are drawn pixel by pixel. */
const KEPT_DPI = { min: 200, max: 400 };
/** Minimum part of the page for an image whose resolution counts. */
const LARGE = 0.2;
/** Multiple of the usual fuel for a picture, because a page can be drawn four times: level, and on its side. */
const EFFORT = 0.4;

/**
 * Returns the images of a page, in points from its upper left corner.
 * @param size of the displayed page, in points
 */
export function imagesOn(file: PdfFile, source: SourcePage, { width, height }: Size): readonly PlacedImage[] {
  const page = pageDictionary(file, source);
  const matrix = multiply(inverse(shownSpace(file, page)) ?? IDENTITY, [1, 0, 0, -1, 0, height]);
  return placedImages(file, page, { matrix, bounds: [0, 0, width, height], annotations: false });
}

/**
 * Returns the resolution for a page: that of its largest image, if it is within the usual range of scanners.
 * @param images in points
 * @param size of the displayed page, in points
 */
export function dpiFor(images: readonly PlacedImage[], size: Size): number {
  const whole = size.width * size.height;
  const [largest] = images.toSorted((one, other) => areaOf(other.box) - areaOf(one.box));
  const native = largest && areaOf(largest.box) > LARGE * whole ? Math.max(...largest.density) * POINTS_PER_INCH : 0;
  const wanted = native >= KEPT_DPI.min && native <= KEPT_DPI.max ? native : USUAL_DPI;
  const longest = (Math.max(size.width, size.height) / POINTS_PER_INCH) * Math.SQRT2;
  const fitting = Math.sqrt((LIMITS.recognizedPagePixels * POINTS_PER_INCH ** 2) / whole);
  return Math.min(wanted, fitting, LIMITS.recognizedSidePixels / longest);
}

export interface DrawingOptions {
  readonly dpi: number;
  /** Clockwise turn of the page that makes it upright. */
  readonly turn: number;
  /** The parts of the page to draw; all of it if left out. */
  readonly unread?: UnreadPictures;
  readonly signal: AbortSignal;
}

export function drawForRecognition(page: MupdfPage, { dpi, turn, unread, signal }: DrawingOptions): PagePicture {
  const drawn = (degrees: number) => {
    const whole = draw(page, dpi, degrees, signal);
    return unread ? { ...whole, samples: onlyPictures(whole, whole.matrix, unread) } : whole;
  };
  const level = drawn(turn);
  const { skew, isBlank, isSideways } = lookAtInk(level);
  const picture = skew === 0 ? level : drawn(turn - skew);
  return { ...picture, isBlank, isSideways };
}

/** @param degrees clockwise turn */
function draw(page: MupdfPage, dpi: number, degrees: number, signal: AbortSignal) {
  const { matrix, width, height } = turnedView(page, dpi, degrees);
  const samples = new Uint8Array(width * height);
  const view = { width, height, left: 0, top: 0, matrix };
  for (const band of page.raster({ colorModel: "gray", dpi, view, signal, effort: EFFORT }).bands()) {
    samples.set(band.samples.subarray(0, band.rows * width), band.top * width);
  }
  return { width, height, samples, dpi, matrix };
}

/** Returns the view of a turned page that shows all of it. */
function turnedView({ width, height }: Size, dpi: number, degrees: number): Size & { readonly matrix: Matrix } {
  const [sin, cos] = [sine(degrees), sine(degrees + 90)];
  const extent = (x: number, y: number) => Math.abs(x) * width + Math.abs(y) * height;
  const pixels = (points: number) => Math.max(1, Math.round((points * dpi) / POINTS_PER_INCH));
  const size = { width: pixels(extent(cos, sin)), height: pixels(extent(sin, cos)) };
  // With the exact quotients, the pixels of an image that covers the page are those of the picture.
  const [x, y] = [size.width / extent(cos, sin), size.height / extent(sin, cos)];
  const [a, b, c, d] = [x * cos, y * sin, -x * sin, y * cos];
  const [middleX, middleY] = [(a * width + c * height) / 2, (b * width + d * height) / 2];
  return { ...size, matrix: [a, b, c, d, size.width / 2 - middleX, size.height / 2 - middleY] };
}

/** Returns exact values for quarter turns, whose pixels then match those of the page. */
const sine = (degrees: number): number =>
  degrees % 90 === 0 ? [0, 1, 0, -1][(((degrees / 90) % 4) + 4) % 4]! : Math.sin((degrees * Math.PI) / 180);
