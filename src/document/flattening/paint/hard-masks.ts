// Replaces soft masks that contain only the values 0 and 1 (ISO 32000-1, 11.6.5.3) by equivalent masks of one bit
// (8.9.6.3).

import { EngineFailure } from "../../contract/failure.ts";
import { ImageKernel } from "../../formats/image-kernel.ts";
import { readImage } from "../../images/image.ts";
import { readSamples, UnreadableImage } from "../../images/image-samples.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { PdfStream, Reference, type Value } from "../../objects/values.ts";
import { addMask } from "./add-image.ts";

const LIMITS = { decodedBytes: 128 * 2 ** 20, kernelBytes: 256 * 2 ** 20 };
const OPAQUE = 255;

export class HardMasks {
  readonly #file: PdfFile;
  /** The replacement of each image, by object number. */
  readonly #found = new Map<number, Reference | undefined>();

  constructor(file: PdfFile) {
    this.#file = file;
  }

  /**
   * @returns the image with a mask of one bit, or without a mask if all of it is opaque; undefined if its mask has
   * intermediate values or cannot be decoded
   */
  find(value: Value | undefined): Reference | undefined {
    if (!(value instanceof Reference)) return undefined;
    if (!this.#found.has(value.number)) this.#found.set(value.number, this.#make(value));
    return this.#found.get(value.number);
  }

  #make(value: Reference): Reference | undefined {
    const file = this.#file;
    const image = file.stream(value);
    if (!image || (file.number(image.dictionary.get("SMaskInData")) ?? 0) > 0) return undefined;
    const soft = file.stream(image.dictionary.get("SMask"));
    const dictionary = image.dictionary.clone();
    dictionary.delete("SMask");
    if (soft) {
      // SMask overrides Mask (table 89). Matte needs no correction: where the mask is opaque, preblended colors equal
      // the original colors.
      dictionary.delete("Mask");
      const stencil = this.#stencilOf(soft);
      const levels = stencil ? undefined : this.#levelsOf(soft);
      if (!stencil && !levels) return undefined;
      if (stencil) dictionary.set("Mask", stencil);
      else if (levels?.bits.includes(0)) dictionary.set("Mask", addMask(file, levels));
    }
    return file.add(new PdfStream(dictionary, image.body));
  }

  /** Converts a soft mask of one bit to a stencil mask. Keeps the data, and inverts Decode, because 1 masks out. */
  #stencilOf(soft: PdfStream): Reference | undefined {
    const image = readImage(this.#file, soft.dictionary);
    if (image?.bits !== 1 || image.isStencil || image.colors?.kind !== "gray" || image.colors.palette) return undefined;
    const isInverted = image.decode?.[0] === 1;
    const dictionary = soft.dictionary
      .clone()
      .set("ImageMask", true)
      .set("Decode", isInverted ? [0, 1] : [1, 0]);
    for (const key of ["ColorSpace", "Matte", "Intent", "SMask", "Mask"]) dictionary.delete(key);
    return this.#file.add(new PdfStream(dictionary, soft.body));
  }

  /** @returns undefined if the mask has intermediate values or cannot be decoded */
  #levelsOf(soft: PdfStream) {
    const image = readImage(this.#file, soft.dictionary);
    if (image?.colors?.channels !== 1) return undefined;
    const { width, height } = image;
    try {
      using kernel = new ImageKernel();
      const pixels = readSamples(kernel, image, soft.body, { width, height, nearest: false }, LIMITS);
      const bits = new Uint8Array(width * height);
      const [low = 0, high = 1] = image.decode ?? [];
      for (let y = 0; y < height; y++) {
        const row = kernel.view(pixels.at + y * pixels.stride, width);
        for (let x = 0; x < width; x++) {
          const alpha = low + ((high - low) * row[x]!) / OPAQUE;
          if (alpha > 0 && alpha < 1) return undefined;
          bits[y * width + x] = alpha >= 1 ? 1 : 0;
        }
      }
      return { width, height, bits };
    } catch (error) {
      const isUnreadable = error instanceof UnreadableImage;
      if (isUnreadable || (error instanceof EngineFailure && error.reason !== "crashed")) return undefined;
      throw error;
    }
  }
}
