// Finds the smallest coding that the settings allow for an image, given its new size in pixels.

import type { Survey } from "../content/survey.ts";
import { EngineFailure } from "../contract/failure.ts";
import { type PdfImage, readImage } from "../images/image.ts";
import type { SampleLimits } from "../images/image-samples.ts";
import { DECODING_BYTES, decodeJpx, type ImageDecoder, type PlainImage, readJpxImage } from "../images/jpx-image.ts";
import { separatePrint } from "../images/mixed-raster.ts";
import { isFlat, recodeImage } from "../images/recode-image.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import { PdfStream, type StreamBody } from "../objects/values.ts";
import { type ImagePlans, isBilevel, settingsOf } from "./image-plans.ts";
import { formOf } from "./mixed-raster-form.ts";
import { memoryBody, recodeJpegStream, recodeStream, smaller } from "./recode-stream.ts";
import type { CompressionSettings } from "./settings.ts";

/** Minimum size of an image for recoding. */
const WORTHWHILE_BYTES = 1000;
/** Drawings are downsampled only above this multiple of the trigger resolution, because their edges would blur. */
const DRAWING_FACTOR = 2;
/**
 * Maximum number of samples decoded from all images of a document, about a hundred times the number in a usual
 * document.
 */
const MAX_SAMPLES = 2 ** 34;

export interface Memory extends SampleLimits {
  /**
   * True if another host has more memory: an image that is too large for this host then fails the job instead of
   * staying unchanged.
   */
  readonly moreElsewhere: boolean;
  /** Decoder for JPEG 2000. */
  readonly decoder: ImageDecoder;
}

/** Minimum side of a page scan, in points. */
const PAGE_POINTS = 216;
/** Minimum resolution, in dots per inch, of a scan that is split into layers. */
const MIN_PRINT_DPI = 140;
const POINTS_PER_INCH = 72;
/**
 * A scan is not resampled if its resolution is between this fraction of the print layer's resolution and the full
 * resolution.
 */
const NEARLY = 0.85;
/**
 * If the layers have fewer bits per pixel of the image than this, they are smaller than any other coding, so no
 * comparison is needed.
 */
const CERTAINLY_SMALLER = 0.25;
/** Heap of an engine before it decodes anything. */
const ENGINE_BYTES = 26 * 2 ** 20;
/** JPEG 2000 data with at most this many bits per pixel is as small as a JPEG of the same pixels. */
const DENSE_BITS = 0.5;
/** Color spaces in which dark samples are ink and light samples are paper. */
const PAPER_SPACES = ["DeviceGray", "DeviceRGB", "CalGray", "CalRGB", "ICCBased"];

function isOpaqueImage(file: PdfFile, image: PdfImage): boolean {
  const { bits, colors, decode, hasColorKey, softMask, stencilMask, matte } = image;
  if (!colors || bits !== 8 || decode || hasColorKey || softMask || stencilMask || matte) return false;
  const space = file.resolve(colors.space);
  const family = file.name(Array.isArray(space) ? space[0] : colors.space) ?? "";
  if (!PAPER_SPACES.includes(family) || !["gray", "rgb"].includes(colors.kind)) return false;
  return !colors.palette;
}

/** Recodes the images of one file. */
export class ImageCoder {
  readonly #file: PdfFile;
  readonly #settings: CompressionSettings;
  readonly #plans: ImagePlans;
  readonly #limits: Memory;
  readonly #survey: Survey;
  /** Object numbers of the layers that this coder created. */
  readonly #layers = new Set<number>();
  #samples = 0;

  constructor(file: PdfFile, settings: CompressionSettings, plans: ImagePlans, limits: Memory, survey: Survey) {
    this.#file = file;
    this.#settings = settings;
    this.#plans = plans;
    this.#limits = limits;
    this.#survey = survey;
  }

  /** @returns the stream itself if no coding is smaller */
  recode(stream: PdfStream, number: number): PdfStream {
    if (this.#layers.delete(number)) return stream;
    const source = this.#read(stream, number);
    if (!source) return recodeStream(this.#file, stream, this.#settings.streams);
    const { image } = source;
    const layered = this.#layered(source, number);
    if (!layered) return this.#recoded(stream, number, source);
    const { layers, size } = layered;
    const bytes = layers.stencils.reduce((sum, { jbig2 }) => sum + jbig2.length, layers.backdrop.jpeg.length);
    if (bytes * 8 > CERTAINLY_SMALLER * size.width * size.height || bytes > stream.body.raw().length) {
      const plain = this.#recoded(stream, number, source);
      if (plain.body.raw().length <= bytes) return plain;
    }
    return formOf(this.#file, image, layers, (layer) => {
      const reference = this.#file.add(layer);
      this.#layers.add(reference.number);
      return reference;
    });
  }

  /** @returns undefined if the image is too small to be worth recoding, or cannot be decoded */
  #read(stream: PdfStream, number: number): PlainImage | undefined {
    const image = readImage(this.#file, stream.dictionary);
    if (!image || stream.body.raw().length < WORTHWHILE_BYTES) return undefined;
    this.#samples += image.width * image.height * (image.colors?.channels ?? 1);
    if (this.#samples > MAX_SAMPLES) return undefined;
    return image.filters.at(-1) === "JPXDecode" ? this.#decoded(stream, number) : { image, body: stream.body };
  }

  /** Decodes JPEG 2000 data if a JPEG might be smaller. */
  #decoded(stream: PdfStream, number: number): PlainImage | undefined {
    const rawBytes = stream.body.raw().length;
    const found = readJpxImage(this.#file, stream, this.#survey.pdfaPart === 0);
    if (!found || this.#plans.isMatted(number)) return undefined;
    const { header, image } = found;
    const { width, height, components, bits } = header;
    const { images } = this.#settings;
    if (settingsOf(images, image).coding !== "lossy" || (bits > 8 && !images.sixteenBitsToEight)) return undefined;
    const isDense = rawBytes * 8 <= width * height * DENSE_BITS;
    if (isDense && !this.#plans.sizeOf(number, image)) return undefined;
    const { decoder, decodedBytes, moreElsewhere } = this.#limits;
    const samples = width * height * components;
    const isLarge = samples * DECODING_BYTES + rawBytes + ENGINE_BYTES > decoder.roomBytes || samples > decodedBytes;
    if (!isLarge) return decodeJpx(found, number, decoder);
    if (moreElsewhere) throw new EngineFailure("too-large", `an image of ${width} x ${height} pixels`);
    return undefined;
  }

  /** Returns the layers of a scan of a printed page; undefined for other images. */
  #layered({ image, body }: PlainImage, number: number) {
    const { layers, color } = this.#settings.images;
    const extent = this.#plans.extentOf(number);
    if (!layers || !extent || this.#survey.isBlended || Math.min(extent.width, extent.height) < PAGE_POINTS)
      return undefined;
    const size = this.#plans.sizeOf(number, image);
    if (!size || !isOpaqueImage(this.#file, image) || this.#plans.softMasks.has(number)) return undefined;
    const sizeAt = (dpi: number) => ({
      width: Math.ceil((extent.width * dpi) / POINTS_PER_INCH),
      height: Math.ceil((extent.height * dpi) / POINTS_PER_INCH),
    });
    const stored = (image.width / extent.width) * POINTS_PER_INCH;
    if (stored < MIN_PRINT_DPI) return undefined;
    const dpi = stored > layers.printDpi || stored < layers.printDpi * NEARLY ? layers.printDpi : stored;
    const print = dpi === stored ? { width: image.width, height: image.height } : sizeAt(dpi);
    const made = separatePrint(image, body, {
      print,
      dpi,
      paper: sizeAt(layers.paperDpi),
      picture: size,
      quality: color.quality.drawing,
      limits: this.#limits,
    });
    return made && { layers: made, size };
  }

  #recoded(stream: PdfStream, number: number, { image, body }: PlainImage): PdfStream {
    const raw = stream.body.raw();
    const before = readImage(this.#file, stream.dictionary)?.filters.at(-1) ?? "";
    const lossless = () => this.#lossless(stream, before);
    const { coding, quality, worthwhile = 1, worthwhileAgain = 1, bilevel } = settingsOf(this.#settings.images, image);
    const isMask = this.#plans.softMasks.has(number);
    const isMatted = this.#plans.isMatted(number);
    const wanted = this.#wanted(number, image, body);
    const isSmaller = wanted !== undefined;
    const isHalved = image.bits === 16 && this.#settings.images.sixteenBitsToEight && !image.hasColorKey;
    if (coding === "same" && !isSmaller && !isHalved) return stream;
    const isOtherFax = bilevel === "ccitt" && before === "JBIG2Decode" && coding !== "same";
    if (!isOtherFax && !this.#isWorthATry(image, isSmaller, coding, isMatted)) return lossless();
    const size = wanted ?? { width: image.width, height: image.height };
    const isLossy =
      quality && !isMatted && (coding === "lossy" || (coding === "same" && image.filters.at(-1) === "DCTDecode"));
    const recoded = recodeImage(image, body, {
      ...size,
      role: isMask ? "soft-mask" : "image",
      limits: this.#limits,
      ...(isLossy ? { jpeg: quality } : {}),
      ...(bilevel ? { bilevel } : {}),
    });
    if (!recoded) {
      this.#mayBeElsewhere(image, size);
      return lossless();
    }
    const result = new PdfStream(recoded.dictionary, memoryBody(recoded.bytes));
    // The downsampled image is used even if it saves no bytes, because it must have as many pixels as its Matte mask.
    if (isMatted && isSmaller) return result;
    if ((isSmaller || isOtherFax) && !this.#settings.images.onlyIfSmaller) return result;
    const isTwiceLossy = isLossy && ["DCTDecode", "JPXDecode"].includes(before);
    const part = isSmaller ? worthwhile : worthwhileAgain;
    if (isTwiceLossy && recoded.bytes.length > raw.length * part) return lossless();
    if (isSmaller && recoded.bytes.length < raw.length * worthwhile) return result;
    return smaller(lossless(), result);
  }

  /** @throws EngineFailure `too-large` if another host has enough memory for the image */
  #mayBeElsewhere(
    { width, height, colors }: PdfImage,
    size: { readonly width: number; readonly height: number },
  ): void {
    const { kernelBytes, decodedBytes, moreElsewhere } = this.#limits;
    const channels = colors?.channels ?? 1;
    const isLarge = size.width * size.height * channels * 4 > kernelBytes || width * height * channels > decodedBytes;
    if (moreElsewhere && isLarge) throw new EngineFailure("too-large", `an image of ${width} x ${height} pixels`);
  }

  /** Recodes the stream losslessly, without resampling. */
  #lossless(stream: PdfStream, filter: string): PdfStream {
    if (filter === "DCTDecode") return recodeJpegStream(this.#file, stream, this.#limits.kernelBytes);
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

  /** @param isSmaller true if the image is downsampled */
  #isWorthATry(image: PdfImage, isSmaller: boolean, coding: string, isMatted: boolean): boolean {
    const last = image.filters.at(-1) ?? "";
    if (isSmaller) return true;
    if (image.hasColorKey || (image.bits === 16 && !this.#settings.images.sixteenBitsToEight)) return false;
    if (isBilevel(image)) return last !== "JBIG2Decode";
    return last !== "DCTDecode" || (coding === "lossy" && !isMatted);
  }
}
