// Makes a file of an image: a JPEG or JPEG 2000 file of its bytes as they are, a PNG of all other samples, or a TIFF of
// CMYK samples, which PNG cannot have.
import { EngineFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import type { Output } from "../contract/operation.ts";
import { PngEncoder } from "../formats/png/write.ts";
import { TiffEncoder } from "../formats/tiff/write.ts";
import { UnreadableImage } from "../images/image-samples.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { codedBytes, type ImageSource } from "./image-source.ts";
import { joined, maskedPixels, sizeOfBoth } from "./masked-pixels.ts";
import { colorKey, decodedMaskBytes, keyedOpacity, keyedPalette, maskOf, maskRows } from "./opacity.ts";
import { isStreamed, packedRowBytes, packedRows } from "./packed-rows.ts";
import { type Tones, tonesOf } from "./tones.ts";

/** Fraction of the memory for objects that the decoded data of one image can take. */
const DECODED_PART = 1 / 4;

export type ImageFile = Pick<Output, "extension" | "type" | "body" | "headerPatch">;

const isCoded = ({ image }: ImageSource) => ["DCTDecode", "JPXDecode"].includes(image.filters.at(-1) ?? "");

/** Reports whether the file of an image lacks its opacity, because its bytes stay as they are. */
export const losesOpacity = (pdf: OpenPdf, source: ImageSource): boolean =>
  isCoded(source) && (maskOf(pdf, source) !== undefined || colorKey(pdf, source) !== undefined);

/**
 * Checks that the memory of the job suffices for an image.
 * @throws EngineFailure `too-large`
 */
export function checkSize(pdf: OpenPdf, source: ImageSource): void {
  if (isCoded(source)) return;
  const { image } = source;
  const mask = maskOf(pdf, source);
  const { width, height } = sizeOfBoth(image, mask?.image);
  const decodedBytes =
    (isStreamed(image) ? 0 : packedRowBytes(image) * image.height) + (mask ? decodedMaskBytes(mask) : 0);
  const isWithin = width * height * (image.colors?.channels ?? 1) <= LIMITS.imageSamples;
  if (isWithin && decodedBytes <= pdf.memory.objectBytes * DECODED_PART) return;
  throw new EngineFailure("too-large", `an image of ${width} x ${height} pixels`);
}

/**
 * Makes the file. Its body is encoded while it is read.
 * @throws UnreadableImage
 */
export async function imageFile(pdf: OpenPdf, source: ImageSource): Promise<ImageFile> {
  if (isCoded(source)) return codedFile(source);
  const pixels = pixelsOf(pdf, source);
  // The first rows show whether the image can be read.
  const first = await pixels.rows.next();
  if (first.done) throw new UnreadableImage("it has no rows");
  return encoded(pixels, startingWith(first.value, pixels.rows));
}

const JP2_SIGNATURE = Buffer.from("0000000c6a502020", "hex");

/** @throws UnreadableImage if the bytes are not what the filter states */
function codedFile(source: ImageSource): ImageFile {
  const body = codedBytes(source);
  const start = Buffer.from(body.subarray(0, 1024));
  if (source.image.filters.at(-1) === "DCTDecode") {
    if (!start.includes("\xff\xd8", 0, "latin1")) throw new UnreadableImage("it is not a JPEG");
    return { extension: "jpg", type: "image/jpeg", body };
  }
  if (start.indexOf(JP2_SIGNATURE) === 0) return { extension: "jp2", type: "image/jp2", body };
  if (start.indexOf("\xff\x4f\xff\x51", 0, "latin1") !== 0) throw new UnreadableImage("it is not JPEG 2000");
  return { extension: "j2k", type: "image/j2c", body };
}

interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly tones: Tones;
  readonly hasOpacity: boolean;
  readonly paletteOpacity?: Uint8Array | undefined;
  readonly rows: AsyncGenerator<Uint8Array>;
}

/** @throws UnreadableImage also when rows are read */
function pixelsOf(pdf: OpenPdf, source: ImageSource): Pixels {
  const { image } = source;
  const mask = maskOf(pdf, source);
  const key = colorKey(pdf, source);
  const tones = tonesOf(pdf, source, mask !== undefined || (key !== undefined && !image.colors?.palette));
  const size = sizeOfBoth(image, mask?.image);
  const colors = {
    ...{ width: image.width, height: image.height, channels: tones.channels },
    sampleBytes: tones.bits === 16 ? (2 as const) : (1 as const),
    rows: converted(source, tones),
  };
  if (mask) {
    return { ...size, tones, hasOpacity: true, rows: maskedPixels(colors, maskRows(pdf, source, mask)) };
  }
  if (!key) return { ...size, tones, hasOpacity: false, rows: colors.rows };
  if (tones.palette) {
    return { ...size, tones, hasOpacity: false, paletteOpacity: keyedPalette(pdf, source), rows: colors.rows };
  }
  async function* keyed(): AsyncGenerator<Uint8Array> {
    for await (const rows of packedRows(image, source.body)) {
      const opacity = keyedOpacity(source, key!, rows);
      yield joined(colors, tones.convert(rows), opacity);
    }
  }
  return { ...size, tones, hasOpacity: true, rows: keyed() };
}

async function* converted({ image, body }: ImageSource, tones: Tones): AsyncGenerator<Uint8Array> {
  for await (const rows of packedRows(image, body)) yield tones.convert(rows);
}

function encoded(pixels: Pixels, rows: AsyncGenerator<Uint8Array>): ImageFile {
  const { width, height, hasOpacity, paletteOpacity, tones } = pixels;
  const { channels, bits, palette, iccProfile } = tones;
  if (channels === 4) {
    const encoder = new TiffEncoder({ width, height, colorModel: "cmyk", hasOpacity, iccProfile });
    return { extension: "tif", type: "image/tiff", body: body(encoder, rows), headerPatch: () => encoder.head() };
  }
  const gray = hasOpacity ? 4 : 0;
  const colorType = palette ? 3 : channels === 1 ? gray : hasOpacity ? 6 : 2;
  const more = { ...(palette ? { palette } : {}), ...(paletteOpacity ? { paletteOpacity } : {}), iccProfile };
  const encoder = new PngEncoder({ width, height, colorType, bits, ...more });
  return { extension: "png", type: "image/png", body: body(encoder, rows) };
}

async function* body(encoder: PngEncoder | TiffEncoder, rows: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* encoder.start();
    for await (const some of rows) yield* encoder.add(some);
    yield* encoder.end();
  } finally {
    encoder.release();
  }
}

async function* startingWith(first: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}
