// Stores pixels as an image XObject, with a mask of one bit if only some pixels are painted (ISO 32000-1, 8.9.6.3).
import { deflateSync } from "node:zlib";
import { ImageKernel } from "../../formats/image-kernel.ts";
import { encodePixels, newPixels } from "../../formats/jpeg/samples.ts";
import { JPEG_MAX_SIDE } from "../../formats/jpeg/write.ts";
import { encodeFlate, takeCensus } from "../../images/flate-image.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, PdfString, plainBody, type Reference, type Value } from "../../objects/values.ts";
import type { Pixels } from "./offscreen-document.ts";
import { countOf, dilate, type Mask } from "./pixels.ts";

/**
 * Masked-out pixels keep their colors up to this distance, in pixels, from painted pixels. Viewers resample an image
 * and its mask separately, so these pixels can become visible.
 */
const TRUE_PIXELS = 4;
/** Fraction of painted pixels above which the mask is omitted. */
const WHOLE = 0.995;
const JPEG_QUALITY = 90;
/** A drawing with many colors becomes a JPEG if the JPEG is smaller than this fraction of the lossless data. */
const WORTHWHILE = 0.6;
/**
 * An image is a drawing if more than this fraction of its pixels equal their left neighbor. JPEG would blur its edges.
 */
const DRAWING = 0.7;

export interface PictureOptions {
  /** The pixels to paint. @default all pixels */
  readonly mask?: Mask;
  /** The optional content group of the image. */
  readonly layer?: Value | undefined;
}

/** @returns the new image object */
export function addImage(file: PdfFile, pixels: Pixels, { mask, layer }: PictureOptions): Reference {
  const { width, height } = pixels;
  const counted = mask ? countOf(mask.bits) : width * height;
  const isMasked = mask !== undefined && counted < width * height * WHOLE;
  if (isMasked) plainBeyond(pixels, dilate(mask, TRUE_PIXELS));
  const { entries, bytes } = encode(pixels);
  const dictionary = Dictionary.of({
    Type: Name.of("XObject"),
    Subtype: Name.of("Image"),
    Width: width,
    Height: height,
    ...entries,
    ...(isMasked ? { Mask: addMask(file, mask) } : {}),
    ...(layer === undefined ? {} : { OC: layer }),
  });
  return file.add(imageStream(dictionary, bytes));
}

/** @returns a stencil mask with 0 for each painted pixel, because 1 masks out in explicit masks */
export function addMask(file: PdfFile, { width, height, bits }: Mask): Reference {
  const rowBytes = Math.ceil(width / 8);
  const packed = new Uint8Array(rowBytes * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) if (!bits[y * width + x]) packed[y * rowBytes + (x >> 3)]! |= 0x80 >> (x & 7);
  }
  const dictionary = Dictionary.of({
    Type: Name.of("XObject"),
    Subtype: Name.of("Image"),
    Width: width,
    Height: height,
    ImageMask: true,
    BitsPerComponent: 1,
    Filter: Name.of("FlateDecode"),
  });
  return file.add(imageStream(dictionary, deflateSync(packed, { level: 9 })));
}

export function imageStream(dictionary: Dictionary, bytes: Uint8Array): PdfStream {
  return new PdfStream(dictionary, plainBody(bytes));
}

/** Sets each masked-out pixel to the color of a neighbor, so that the image compresses well. */
function plainBeyond({ width, height, channels, samples }: Pixels, { bits }: Mask): void {
  for (let y = 0; y < height; y++) {
    const first = bits.indexOf(1, y * width);
    if (first < 0 || first >= (y + 1) * width) {
      const above = y === 0 ? undefined : samples.subarray((y - 1) * width * channels, y * width * channels);
      if (above) samples.set(above, y * width * channels);
      else samples.fill(255, 0, width * channels);
      continue;
    }
    for (let pixel = first; pixel > y * width; pixel--) {
      samples.copyWithin((pixel - 1) * channels, pixel * channels, (pixel + 1) * channels);
    }
    for (let pixel = first + 1; pixel < (y + 1) * width; pixel++) {
      if (bits[pixel]) continue;
      for (let at = pixel * channels; at < (pixel + 1) * channels; at++) samples[at] = samples[at - channels]!;
    }
  }
}

interface Encoded {
  readonly entries: Readonly<Record<string, Value | undefined>>;
  readonly bytes: Uint8Array;
}

function encode({ width, height, channels, samples }: Pixels): Encoded {
  using kernel = new ImageKernel();
  const colored = newPixels(kernel, width, height, channels);
  for (let y = 0; y < height; y++) {
    kernel
      .view(colored.at + y * colored.stride, width * channels)
      .set(samples.subarray(y * width * channels, (y + 1) * width * channels));
  }
  const inColor = takeCensus(kernel, colored);
  const pixels = inColor.isGray ? newPixels(kernel, width, height, 1) : colored;
  if (inColor.isGray) {
    for (let y = 0; y < height; y++) {
      const row = kernel.view(pixels.at + y * pixels.stride, width);
      for (let x = 0, at = y * width * channels; x < width; x++, at += channels) row[x] = samples[at]!;
    }
  }
  const census = inColor.isGray ? takeCensus(kernel, pixels) : inColor;
  const space = Name.of({ 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" }[pixels.channels]!);
  // JPEG encoding runs first, because the lossless encoder modifies the samples.
  const isPhoto = !census.colors && Math.max(width, height) <= JPEG_MAX_SIDE;
  const isDrawing = census.flat >= DRAWING;
  const options = { quality: JPEG_QUALITY, subsampled: !isDrawing };
  const jpeg = isPhoto ? encodePixels(kernel, pixels, options, pixels.channels === 3).slice() : undefined;
  const asJpeg = { BitsPerComponent: 8, ColorSpace: space, Filter: Name.of("DCTDecode") };
  if (jpeg && !isDrawing) return { entries: asJpeg, bytes: jpeg };
  const flate = encodeFlate(kernel, pixels, census, true);
  if (jpeg && jpeg.length < flate.bytes.length * WORTHWHILE) return { entries: asJpeg, bytes: jpeg };
  const palette = flate.palette && [
    Name.of("Indexed"),
    space,
    flate.palette.length / pixels.channels - 1,
    new PdfString(flate.palette),
  ];
  const parameters = { Predictor: 15, Colors: flate.channels, Columns: width, BitsPerComponent: flate.bits };
  return {
    entries: {
      BitsPerComponent: flate.bits,
      ColorSpace: palette ?? space,
      Filter: Name.of("FlateDecode"),
      DecodeParms: flate.predicted ? Dictionary.of(parameters) : undefined,
    },
    bytes: flate.bytes,
  };
}
