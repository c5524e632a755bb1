// The smallest an image becomes within what its settings allow. Knows where it is drawn only by the size that is wanted.
import { EngineFailure } from "../../operations/operation.ts";
import { type PdfImage, readImage } from "../images/image.ts";
import type { SampleLimits } from "../images/image-samples.ts";
import { isFlat, recodeImage } from "../images/recode-image.ts";
import type { PdfFile } from "../pdf-file.ts";
import { PdfStream, type StreamBody } from "../values.ts";
import { isBilevel, type PicturePlans, settingsOf } from "./picture-plans.ts";
import { bodyOf, recodeJpegStream, recodeStream, smaller } from "./recode-stream.ts";
import type { CompressionSettings } from "./settings.ts";

/** Smaller images are not worth another coding. */
const WORTHWHILE_BYTES = 1000;
/** Drawings keep their pixels up to so many times the resolution from which on others are brought down. */
const DRAWING_FACTOR = 2;
/** Samples that are read of a document's images, all together; an honest one has a hundredth of it. */
const MAX_SAMPLES = 2 ** 34;

export interface Memory extends SampleLimits {
  /** Whether there is a place with more: then nothing is left as it is for want of memory. */
  readonly moreElsewhere: boolean;
}

/** Codes the images of one file. */
export class PictureCoder {
  readonly #file: PdfFile;
  readonly #settings: CompressionSettings;
  readonly #plans: PicturePlans;
  readonly #limits: Memory;
  #samples = 0;

  constructor(file: PdfFile, settings: CompressionSettings, plans: PicturePlans, limits: Memory) {
    this.#file = file;
    this.#settings = settings;
    this.#plans = plans;
    this.#limits = limits;
  }

  /** @returns the stream itself where nothing is smaller */
  recode(stream: PdfStream, number: number): PdfStream {
    const image = readImage(this.#file, stream.dictionary);
    const raw = stream.body.raw();
    const lossless = () => this.#lossless(stream, image);
    if (!image || raw.length < WORTHWHILE_BYTES || !this.#mayRead(image))
      return recodeStream(this.#file, stream, this.#settings.streams);
    const { coding, quality, worthwhile = 1 } = settingsOf(this.#settings.images, image);
    const isMask = this.#plans.softMasks.has(number);
    const isMatted = this.#plans.isMatted(number);
    const wanted = this.#wanted(number, image, stream.body);
    const isSmaller = wanted !== undefined;
    if (coding === "same" && !isSmaller) return stream;
    if (!this.#isWorthATry(image, isSmaller, coding, isMatted)) return lossless();
    const size = wanted ?? { width: image.width, height: image.height };
    const isLossy =
      quality && !isMatted && (coding === "lossy" || (coding === "same" && image.filters.at(-1) === "DCTDecode"));
    const recoded = recodeImage(image, stream.body, {
      ...size,
      role: isMask ? "soft-mask" : "image",
      limits: this.#limits,
      ...(isLossy ? { jpeg: quality } : {}),
    });
    if (!recoded) {
      this.#mayBeElsewhere(image, size);
      return lossless();
    }
    const result = new PdfStream(recoded.dictionary, bodyOf(recoded.bytes));
    // What two images share has to have one size, whatever the bytes.
    if (isMatted && isSmaller) return result;
    if (isSmaller && !this.#settings.images.onlyIfSmaller) return result;
    const isTwiceLossy = image.filters.at(-1) === "DCTDecode" && isLossy;
    if (isTwiceLossy && recoded.bytes.length > raw.length * worthwhile) return lossless();
    if (isSmaller && recoded.bytes.length < raw.length * worthwhile) return result;
    return smaller(lossless(), result);
  }

  /** @throws EngineFailure `too-large` where an image could be coded with the memory there is in another place */
  #mayBeElsewhere(
    { width, height, colors }: PdfImage,
    size: { readonly width: number; readonly height: number },
  ): void {
    const { kernelBytes, decodedBytes, moreElsewhere } = this.#limits;
    const channels = colors?.channels ?? 1;
    const isLarge = size.width * size.height * channels * 4 > kernelBytes || width * height * channels > decodedBytes;
    if (moreElsewhere && isLarge) throw new EngineFailure("too-large", `an image of ${width} x ${height} pixels`);
  }

  /** Without loss, and with the pixels it has. */
  #lossless(stream: PdfStream, image: PdfImage | undefined): PdfStream {
    if (image?.filters.at(-1) === "DCTDecode") return recodeJpegStream(this.#file, stream, this.#limits.kernelBytes);
    return recodeStream(this.#file, stream, this.#settings.streams);
  }

  #wanted(number: number, image: PdfImage, body: StreamBody) {
    const size = this.#plans.sizeOf(number, image);
    if (!size || isBilevel(image) || image.filters.at(-1) === "DCTDecode" || this.#plans.isMatted(number)) return size;
    const { downsample } = settingsOf(this.#settings.images, image);
    const factor = image.width / size.width;
    const isClose = downsample && factor * downsample.targetDpi < downsample.triggerDpi * DRAWING_FACTOR;
    return isClose && isFlat(image, body, this.#limits) ? undefined : size;
  }

  #mayRead(image: PdfImage): boolean {
    this.#samples += image.width * image.height * (image.colors?.channels ?? 1);
    return this.#samples <= MAX_SAMPLES && image.filters.at(-1) !== "JPXDecode";
  }

  /** @param isSmaller whether pixels go */
  #isWorthATry(image: PdfImage, isSmaller: boolean, coding: string, isMatted: boolean): boolean {
    const last = image.filters.at(-1) ?? "";
    if (isSmaller) return true;
    if (image.hasColorKey || (image.bits === 16 && !this.#settings.images.sixteenBitsToEight)) return false;
    if (isBilevel(image)) return last !== "JBIG2Decode";
    return last !== "DCTDecode" || (coding === "lossy" && !isMatted);
  }
}
