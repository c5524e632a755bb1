// Draws those regions of a page that an operation or a run changes, as images.

import { type Box, boundsOf, inverse, type Matrix, multiply } from "../content/matrix.ts";
import { LIMITS } from "../contract/limits.ts";
import { areaOf, finerPixels, type Piece, piecesOf, pixelsOf, smallPageFactor } from "../images/drawn-resolution.ts";
import type { PlacedImage } from "../images/placed-images.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Reference, Value } from "../objects/values.ts";
import { addImage } from "./paint/add-image.ts";
import type { ColorModel, PageVariant, Pixels, Scale } from "./paint/offscreen-document.ts";
import {
  boxesOf,
  countOf,
  differenceOf,
  dilate,
  fullMask,
  hardness,
  intersect,
  isEmpty,
  type Mask,
  sharpness,
  trim,
  uniformColor,
} from "./paint/pixels.ts";
import {
  COARSE_DPI,
  MAX_COARSE_PIXELS,
  MAX_PICTURE_PIXELS,
  MAX_SEEN_PIXELS,
  type Resolutions,
  SEEN_DPI,
} from "./settings.ts";

const POINTS_PER_INCH = 72;
/** Resolution at which pages of usual sizes have enough pixels. Small pages need a higher resolution. */
const SMALL_PAGE_DPI = 300;
/** Minimum area of a page or box, in square points. */
const MIN_AREA = 1e-6;
/** Margin around a difference, in coarse pixels. */
const COARSE_MARGIN = 2;
/** Fraction of edge pixels above which a region is drawn as line art. */
const SHARP = 0.005;
/** Fraction of hard borders above which a region is drawn as line art. */
const HARD_ENDS = 0.25;

/** An image, and the matrix from its unit square to default user space. */
export interface RegionImage {
  readonly image: Reference;
  readonly matrix: Matrix;
}

/** The areas of visible transparency, at a fine and a coarse resolution. */
export interface VisibleAreas {
  readonly fine: Mask;
  readonly coarse: Mask;
}

export interface PageSpace {
  readonly bounds: Box;
  /** The matrix from user space to the space of the bounds. */
  readonly transform: Matrix;
}

/** A drawn part of the page, and the position of its upper left corner in pixels. */
interface Drawn {
  readonly pixels: Pixels;
  readonly at: Box;
  readonly scale: Scale;
}

/** Settings of the image resolutions. */
export interface Fineness {
  readonly resolutions: Resolutions;
  /** The images of the page, in the space of its bounds. Each image sets the minimum resolution of its area. */
  readonly images: readonly PlacedImage[];
  /** Remaining number of pixels that the images of all pages can have in excess of the default resolutions. */
  readonly finer: { pixelsLeft: number };
}

export class Regions {
  readonly #file: PdfFile;
  readonly #space: PageSpace;
  readonly model: ColorModel;
  readonly #fineness: Fineness;
  readonly #resolutions: Resolutions;
  readonly #coarseScale: Scale;
  readonly #coarseBox: Box;
  readonly #seenScale: Scale;
  readonly #seenBox: Box;
  /** The pixels that images replace, at `SEEN_DPI`. */
  readonly #covered: Uint8Array;

  constructor(file: PdfFile, space: PageSpace, model: ColorModel, fineness: Fineness) {
    const area = Math.max(MIN_AREA, areaOf(space.bounds));
    const { gradientDpi, lineArtDpi } = fineness.resolutions;
    const factor = smallPageFactor(area, SMALL_PAGE_DPI);
    this.#file = file;
    this.#space = space;
    this.model = model;
    this.#fineness = fineness;
    this.#resolutions = { gradientDpi: gradientDpi * factor, lineArtDpi: lineArtDpi * factor };
    this.#coarseScale = evenly((COARSE_DPI * factor) / POINTS_PER_INCH, Math.sqrt(MAX_COARSE_PIXELS / area));
    this.#coarseBox = scaleBox(space.bounds, this.#coarseScale);
    this.#seenScale = evenly((SEEN_DPI * factor) / POINTS_PER_INCH, Math.sqrt(MAX_SEEN_PIXELS / area));
    this.#seenBox = scaleBox(space.bounds, this.#seenScale);
    const [x0, y0, x1, y1] = this.#seenBox;
    this.#covered = new Uint8Array((x1 - x0) * (y1 - y0));
  }

  /** Fraction of the page's area that images replace, from 0 to 1. */
  get coverage(): number {
    return countOf(this.#covered) / Math.max(1, this.#covered.length);
  }

  forget(): void {
    this.#covered.fill(0);
  }

  /** @param within a box in user space; pixels outside it are black */
  coarse(variant: PageVariant, within?: Box): Pixels {
    const whole = this.#coarseBox;
    const box = (within && this.#coarsely(within)) ?? whole;
    if (box.every((side, index) => side === whole[index])) return variant.draw(whole, this.#coarseScale, this.model);
    const part = variant.draw(box, this.#coarseScale, this.model);
    const [width, height, { channels }] = [whole[2] - whole[0], whole[3] - whole[1], part];
    const samples = new Uint8Array(width * height * channels);
    const rowBytes = part.width * channels;
    for (let y = 0; y < part.height; y++) {
      const to = ((box[1] - whole[1] + y) * width + box[0] - whole[0]) * channels;
      samples.set(part.samples.subarray(y * rowBytes, (y + 1) * rowBytes), to);
    }
    return { width, height, channels, samples };
  }

  /** @returns the box in pixels; undefined if it is outside the page */
  #coarsely(within: Box): Box | undefined {
    const [left, top, right, bottom] = boundsOf(this.#space.transform, within).map(
      (side, index) => side * this.#coarseScale[index % 2]!,
    );
    const [x0, y0, x1, y1] = this.#coarseBox;
    const box: Box = [
      Math.max(x0, Math.floor(left! - COARSE_MARGIN)),
      Math.max(y0, Math.floor(top! - COARSE_MARGIN)),
      Math.min(x1, Math.ceil(right! + COARSE_MARGIN)),
      Math.min(y1, Math.ceil(bottom! + COARSE_MARGIN)),
    ];
    return box[0] < box[2] && box[1] < box[3] ? box : undefined;
  }

  /**
   * Returns the color behind the changed pixels, with components from 0 to 1. Undefined if the color is not uniform.
   */
  backdrop(before: Pixels, changed: Mask): number[] | undefined {
    return uniformColor(before, changed)?.map((sample) => sample / 255);
  }

  isPaper(backdrop: readonly number[]): boolean {
    return backdrop.every((sample) => sample === (this.model === "cmyk" ? 0 : 1));
  }

  seen(one: PageVariant, other: PageVariant): VisibleAreas {
    const coarsely = differenceOf(this.coarse(one), this.coarse(other));
    const [left, top, right, bottom] = this.#seenBox;
    const fine = { width: right - left, height: bottom - top, bits: new Uint8Array(this.#covered.length) };
    for (const coarse of boxesOf(coarsely)) {
      const box = within(scaleBox(this.#pageBox(coarse), this.#seenScale), this.#seenBox);
      const draw = (variant: PageVariant) => variant.draw(box, this.#seenScale, this.model);
      const part = differenceOf(draw(one), draw(other));
      for (let y = 0; y < part.height; y++) {
        const row = part.bits.subarray(y * part.width, (y + 1) * part.width);
        fine.bits.set(row, (box[1] - top + y) * fine.width + box[0] - left);
      }
    }
    const [x0, y0, x1, y1] = this.#coarseBox;
    const coarse = { width: x1 - x0, height: y1 - y0, bits: new Uint8Array((x1 - x0) * (y1 - y0)) };
    this.#transfer(fine.bits, fine.width, coarse.bits, coarse.width);
    return { fine, coarse: dilate(coarse, 1) };
  }

  /** Sets every coarse pixel that contains a set fine pixel. */
  #transfer(fine: Uint8Array, fineWidth: number, coarse: Uint8Array, coarseWidth: number): void {
    const factor = this.#coarseScale[0] / this.#seenScale[0];
    const [[left, top], [x0, y0, x1, y1]] = [this.#seenBox, this.#coarseBox];
    for (let pixel = fine.indexOf(1); pixel >= 0; pixel = fine.indexOf(1, pixel + 1)) {
      const y = Math.floor(pixel / fineWidth);
      const row = clamp(Math.floor((top + y + 0.5) * factor) - y0, y1 - y0);
      coarse[row * coarseWidth + clamp(Math.floor((left + pixel - y * fineWidth + 0.5) * factor) - x0, x1 - x0)] = 1;
    }
  }

  /**
   * @param seen the visible areas; undefined for the whole page
   * @returns the coarse pixels that differ; undefined if none differ
   */
  changed(after: Pixels, before: Pixels, seen: VisibleAreas | undefined): Mask | undefined {
    const mask = differenceOf(after, before);
    if (seen) intersect(mask, seen.coarse);
    return isEmpty(mask) ? undefined : mask;
  }

  /**
   * Returns images of the areas where two variants differ.
   * @param changed the result of {@link changed}
   */
  pictures(
    after: PageVariant,
    before: PageVariant,
    changed: Mask,
    seen: VisibleAreas | undefined,
    layer?: Value,
  ): RegionImage[] {
    const placed: RegionImage[] = [];
    for (const coarse of boxesOf(changed)) {
      for (const piece of this.#pieces(this.#pageBox(coarse), this.#resolutions.gradientDpi)) {
        const { pixels, mask, at, scale } = this.#fine(after, before, piece, seen);
        const trimmed = trim(pixels, mask);
        if (!trimmed) continue;
        const corner = [at[0] + trimmed.left, at[1] + trimmed.top] as const;
        this.#cover(trimmed.mask, corner, scale);
        const image = addImage(this.#file, trimmed.pixels, { mask: trimmed.mask, layer });
        placed.push({ image, matrix: this.#matrix(trimmed.pixels, corner, scale) });
      }
    }
    return placed;
  }

  /**
   * Returns the replacement of a transparent fill.
   * @param filled the page with the fill extended over everything
   * @returns one color, or images to clip to the shape of the fill
   */
  fill(filled: PageVariant, changed: Mask, within?: Box): { readonly color: number[] } | RegionImage[] {
    const coarse = uniformColor(this.coarse(filled, within), changed);
    if (coarse) return { color: coarse.map((sample) => sample / 255) };
    const [left, top, right, bottom] = boxesOf(changed).reduce((a, b) => [
      Math.min(a[0], b[0]),
      Math.min(a[1], b[1]),
      Math.max(a[2], b[2]),
      Math.max(a[3], b[3]),
    ]);
    this.#cover(changed, this.#coarseBox, this.#coarseScale);
    const box = this.#pageBox([left, top, right, bottom]);
    return this.#pieces(box, this.#resolutions.gradientDpi).map((piece) => {
      const soft = this.#draw(filled, piece);
      const finer = this.#asLineArt(piece);
      const isFiner = finer && sharpness(soft.pixels, fullMask(soft.pixels)) > SHARP;
      return this.#placedImage(isFiner ? this.#draw(filled, finer) : soft);
    });
  }

  whole(variant: PageVariant): RegionImage[] {
    this.#covered.fill(1);
    const pieces = this.#pieces(this.#space.bounds, this.#resolutions.lineArtDpi);
    return pieces.map((piece) => this.#placedImage(this.#draw(variant, piece)));
  }

  #draw(variant: PageVariant, { box, density }: Piece): Drawn {
    const at = scaleBox(box, density);
    return { pixels: variant.draw(at, density, this.model), at, scale: density };
  }

  #placedImage({ pixels, at: [left, top], scale }: Drawn): RegionImage {
    return { image: addImage(this.#file, pixels, {}), matrix: this.#matrix(pixels, [left, top], scale) };
  }

  #fine(after: PageVariant, before: PageVariant, piece: Piece, seen: VisibleAreas | undefined) {
    const drawn = (one: Piece) => {
      const { pixels, at, scale } = this.#draw(after, one);
      const background = this.#draw(before, one).pixels;
      return { pixels, background, at, scale, mask: differenceOf(pixels, background) };
    };
    let fine = drawn(piece);
    const finer = this.#asLineArt(piece);
    const { pixels, background, mask } = fine;
    if (finer && (hardness(pixels, background, mask) > HARD_ENDS || sharpness(pixels, mask) > SHARP))
      fine = drawn(finer);
    if (seen) this.#limit(fine.mask, fine.at, fine.scale, seen.fine);
    return { ...fine, mask: dilate(fine.mask, 1) };
  }

  /** Returns a region at the resolution of line art; undefined if its resolution is already that high. */
  #asLineArt({ box, density }: Piece): Piece | undefined {
    const least = this.#usual(box, this.#resolutions.lineArtDpi);
    if (Math.min(...density) >= least) return undefined;
    return { box, density: [Math.max(density[0], least), Math.max(density[1], least)] };
  }

  /** Clears the mask outside the visible areas. @param seen the visible areas at `SEEN_DPI` */
  #limit(mask: Mask, box: Box, scale: Scale, seen: Mask): void {
    const [across, down] = [this.#seenScale[0] / scale[0], this.#seenScale[1] / scale[1]];
    const [left, top] = this.#seenBox;
    const columns = Array.from({ length: mask.width }, (_, x) =>
      clamp(Math.floor((box[0] + x + 0.5) * across) - left, seen.width),
    );
    for (let y = 0; y < mask.height; y++) {
      const row = clamp(Math.floor((box[1] + y + 0.5) * down) - top, seen.height) * seen.width;
      const start = y * mask.width;
      for (let x = 0; x < mask.width; x++) mask.bits[start + x]! &= seen.bits[row + columns[x]!]!;
    }
  }

  #cover(mask: Mask, [left, top]: readonly number[], scale: Scale): void {
    const [across, down] = [this.#seenScale[0] / scale[0], this.#seenScale[1] / scale[1]];
    const [x0, y0, x1, y1] = this.#seenBox;
    for (let y = 0; y < mask.height; y++) {
      const row = clamp(Math.floor((top! + y + 0.5) * down) - y0, y1 - y0) * (x1 - x0);
      for (let x = 0; x < mask.width; x++) {
        if (mask.bits[y * mask.width + x])
          this.#covered[row + clamp(Math.floor((left! + x + 0.5) * across) - x0, x1 - x0)] = 1;
      }
    }
  }

  /** Returns the pixels per point at a resolution; fewer if the box would have more than `MAX_PICTURE_PIXELS`. */
  #usual(box: Box, dpi: number): number {
    return Math.min(dpi / POINTS_PER_INCH, Math.sqrt(MAX_PICTURE_PIXELS / Math.max(MIN_AREA, areaOf(box))));
  }

  /** Divides a box into regions with one resolution each. Regions with finer images are painted last. */
  #pieces(box: Box, dpi: number): Piece[] {
    if (!(areaOf(box) > MIN_AREA)) return [{ box, density: evenly(dpi / POINTS_PER_INCH) }];
    const { images, finer } = this.#fineness;
    const whole: Piece = { box, density: evenly(this.#usual(box, dpi)) };
    const pixels = Math.min(LIMITS.picturedPagePixels, pixelsOf(whole) + Math.max(0, finer.pixelsLeft));
    const pieces = piecesOf(whole, images, { pixels });
    finer.pixelsLeft -= finerPixels(pieces, whole);
    return pieces.flatMap((piece) => strips(piece, Math.ceil(pixelsOf(piece) / MAX_PICTURE_PIXELS)));
  }

  /** Converts a box from coarse pixels, relative to the corner of the page, to the space of the page. */
  #pageBox([left, top, right, bottom]: Box): Box {
    const [x0, y0] = this.#coarseBox;
    const [minX, minY, maxX, maxY] = this.#space.bounds;
    const [scale] = this.#coarseScale;
    return [
      Math.max(minX, (left + x0 - COARSE_MARGIN) / scale),
      Math.max(minY, (top + y0 - COARSE_MARGIN) / scale),
      Math.min(maxX, (right + x0 + COARSE_MARGIN) / scale),
      Math.min(maxY, (bottom + y0 + COARSE_MARGIN) / scale),
    ];
  }

  #matrix({ width, height }: Pixels, [left, top]: readonly [number, number], [x, y]: Scale): Matrix {
    const toPage = multiply([width, 0, 0, -height, left, top + height], [1 / x, 0, 0, 1 / y, 0, 0]);
    return multiply(toPage, inverse(this.#space.transform) ?? [1, 0, 0, 1, 0, 0]);
  }
}

/** Returns the minimum of several scales, for both axes. */
function evenly(...scales: readonly number[]): Scale {
  const scale = Math.min(...scales);
  return [scale, scale];
}

/** Divides a region that has too many pixels for one image. */
function strips(piece: Piece, count: number): Piece[] {
  if (count <= 1) return [piece];
  const { box, density } = piece;
  const [left, top, right, bottom] = box;
  const height = (bottom - top) / count;
  return Array.from({ length: count }, (_, index) => {
    const start = top + index * height;
    // Strips overlap, because viewers show the background between images that only touch.
    return { box: [left, start, right, Math.min(bottom, start + height + 1 / density[1])], density };
  });
}

const clamp = (value: number, size: number) => Math.max(0, Math.min(size - 1, value));

function scaleBox([left, top, right, bottom]: Box, [x, y]: Scale): Box {
  const [x0, y0] = [Math.floor(left * x), Math.floor(top * y)];
  return [x0, y0, Math.max(x0 + 1, Math.ceil(right * x)), Math.max(y0 + 1, Math.ceil(bottom * y))];
}

const within = (box: Box, outer: Box): Box => [
  Math.max(box[0], outer[0]),
  Math.max(box[1], outer[1]),
  Math.min(box[2], outer[2]),
  Math.min(box[3], outer[3]),
];
