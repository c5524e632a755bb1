// Plans the size in pixels of each image by its largest appearance on a page.

import type { PdfImage } from "../images/image.ts";
import { readImage } from "../images/image.ts";
import { type Extent, findImageUses, type InlineUse } from "../images/image-uses.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { Reference } from "../objects/values.ts";
import type { CompressionSettings, ImageSettings } from "./settings.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

const POINTS_PER_INCH = 72;

/** The plans by object number. Equal images share one number. */
export class ImagePlans {
  readonly softMasks: ReadonlySet<number>;
  /** The uses of inline images, by the object number of their content stream. */
  readonly inline: ReadonlyMap<number, readonly InlineUse[]>;
  readonly #extents = new Map<number, Extent>();
  /** The planned sizes of images whose mask has a Matte entry, and of these masks. */
  readonly #matted = new Map<number, Size | undefined>();
  readonly #scales = new Map<number, number>();
  readonly #file: PdfFile;
  readonly #settings: CompressionSettings["images"];

  /** @param canonical maps an object number to the number that represents all equal objects */
  constructor(file: PdfFile, settings: CompressionSettings["images"], canonical: (number: number) => number) {
    this.#file = file;
    this.#settings = settings;
    const { images, softMasks, inline, scales } = findImageUses(file);
    this.softMasks = new Set([...softMasks].map(canonical));
    const streams = new Map<number, Map<number, InlineUse>>();
    for (const use of inline) {
      const number = canonical(use.stream.number);
      const others = streams.get(number) ?? new Map<number, InlineUse>();
      others.set(use.index, { ...use, ...largest(use, others.get(use.index)) });
      streams.set(number, others);
    }
    this.inline = new Map([...streams].map(([number, uses]) => [number, [...uses.values()]]));
    for (const [raw, extent] of images) {
      const number = canonical(raw);
      this.#extents.set(number, largest(extent, this.#extents.get(number)));
    }
    for (const [raw, scale] of scales) {
      const number = canonical(raw);
      this.#scales.set(number, Math.max(scale, this.#scales.get(number) ?? 0));
    }
    this.#planMattes(images.keys(), canonical);
  }

  /** Returns the maximum length, in points, of one unit of a content stream's initial space; undefined if unknown. */
  scaleOf(number: number): number | undefined {
    return this.#scales.get(number);
  }

  /** @returns the size in pixels; undefined to keep all pixels */
  sizeOf(number: number, image: PdfImage): Size | undefined {
    if (this.#matted.has(number)) return this.#matted.get(number);
    const extent = this.#extents.get(number);
    return extent && this.sizeFor(image, extent);
  }

  /** Returns the size of the largest appearance, in points. */
  extentOf(number: number): Extent | undefined {
    return this.#extents.get(number);
  }

  /** Reports whether the image has a mask with a Matte entry, or is such a mask. */
  isMatted(number: number): boolean {
    return this.#matted.has(number);
  }

  sizeFor(image: PdfImage, extent: Extent): Size | undefined {
    const { downsample } = settingsOf(this.#settings, image);
    if (!downsample || extent.width <= 0 || extent.height <= 0) return undefined;
    const dpi = Math.max(image.width / extent.width, image.height / extent.height) * POINTS_PER_INCH;
    if (dpi <= downsample.triggerDpi) return undefined;
    const side = (pixels: number, points: number) =>
      Math.max(1, Math.min(pixels, Math.ceil((points * downsample.targetDpi) / POINTS_PER_INCH)));
    const size = { width: side(image.width, extent.width), height: side(image.height, extent.height) };
    return size.width < image.width || size.height < image.height ? size : undefined;
  }

  /**
   * Plans images whose colors are preblended with a Matte color. Such an image and its mask must have the same size
   * (ISO 32000-1, 11.6.5.3).
   */
  #planMattes(numbers: Iterable<number>, canonical: (number: number) => number): void {
    const imagesOf = new Map<number, number[]>();
    for (const raw of numbers) {
      const mask = this.#imageOf(raw)?.softMask;
      if (!mask || !this.#file.dictionary(mask)?.has("Matte")) continue;
      const number = canonical(mask.number);
      imagesOf.set(number, [...(imagesOf.get(number) ?? []), canonical(raw)]);
    }
    for (const [mask, images] of imagesOf) {
      const [first, ...others] = images.map((number) => this.#mattedSize(number, mask));
      const isOne = others.every((size) => size?.width === first?.width && size?.height === first?.height);
      for (const number of [mask, ...images]) this.#matted.set(number, isOne ? first : undefined);
    }
  }

  /** @returns undefined to keep all pixels, also if the image and its mask need different sizes */
  #mattedSize(number: number, maskNumber: number): Size | undefined {
    const [image, mask] = [this.#imageOf(number), this.#imageOf(maskNumber)];
    const extent = this.#extents.get(number);
    if (!image || !mask || !extent || image.colors?.palette) return undefined;
    if (image.width !== mask.width || image.height !== mask.height) return undefined;
    if ([image, mask].some(({ filters }) => filters.at(-1) === "JPXDecode")) return undefined;
    const [size, other] = [this.sizeFor(image, extent), this.sizeFor(mask, extent)];
    return size?.width === other?.width && size?.height === other?.height ? size : undefined;
  }

  #imageOf(number: number): PdfImage | undefined {
    const dictionary = this.#file.dictionary(new Reference(number));
    return dictionary && readImage(this.#file, dictionary);
  }
}

const largest = (one: Extent, other: Extent | undefined): Extent => ({
  width: Math.max(one.width, other?.width ?? 0),
  height: Math.max(one.height, other?.height ?? 0),
});

/** Reports whether an image is bilevel. Such an image stays bilevel, even if its colors are not black and white. */
export const isBilevel = ({ isStencil, bits, colors }: PdfImage): boolean =>
  isStencil || (bits === 1 && colors?.channels === 1 && !colors.palette);

type Downsampled = Pick<ImageSettings, "downsample" | "coding">;

export function settingsOf(
  { color, grayscale, monochrome }: CompressionSettings["images"],
  image: PdfImage,
): Downsampled & Partial<Omit<ImageSettings, keyof Downsampled>> & { readonly bilevel?: "jbig2" | "ccitt" } {
  if (isBilevel(image)) return monochrome;
  return image.colors?.channels === 1 && image.colors.kind === "gray" ? grayscale : color;
}
