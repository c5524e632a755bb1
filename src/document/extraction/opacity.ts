// Reads the opacity of an image: a soft mask, a stencil mask or a color key (ISO 32000-1, 8.9.6 and 11.6.5.3).
import { UnreadableImage } from "../images/image-samples.ts";
import type { OpenPdf } from "../pages/open-pdf.ts";
import { type ImageSource, openImage } from "./image-source.ts";
import { isStreamed, packedRowBytes, packedRows, storedChannels } from "./packed-rows.ts";
import { table, unpacked } from "./tones.ts";

/** Rows of a mask, with one byte of opacity for each pixel. */
export interface MaskRows {
  readonly width: number;
  readonly height: number;
  /** Pieces of whole rows, each valid until the next one is requested. */
  readonly rows: AsyncGenerator<Uint8Array>;
  /** The color with which the image was preblended, in the color space of the image. @default none */
  readonly matte?: readonly number[];
}

/** Filters that MuPDF decodes to one byte per pixel. */
const DECODED_BY_ENGINE = ["DCTDecode", "JPXDecode"];

/** Returns the mask of an image, without reading its data. */
export function maskOf(pdf: OpenPdf, { image }: ImageSource): ImageSource | undefined {
  const reference = image.softMask ?? image.stencilMask;
  const mask = reference && openImage(pdf, reference);
  const isUsable = mask && (image.softMask ? storedChannels(mask.image) === 1 : mask.image.isStencil);
  return isUsable ? mask : undefined;
}

/** Returns the memory for the decoded mask; 0 if its rows are read one after the other. */
export const decodedMaskBytes = ({ image }: ImageSource): number =>
  isStreamed(image)
    ? 0
    : image.height * (DECODED_BY_ENGINE.includes(image.filters.at(-1)!) ? image.width : packedRowBytes(image));

/** @throws UnreadableImage when rows are read */
export function maskRows(pdf: OpenPdf, owner: ImageSource, mask: ImageSource): MaskRows {
  const { width, height } = mask.image;
  const matte = owner.image.softMask && pdf.file.array(mask.dictionary.get("Matte"));
  const numbers = matte?.map((one) => pdf.file.number(one) ?? 0);
  return { width, height, rows: rowsOf(pdf, owner, mask), ...(numbers ? { matte: numbers } : {}) };
}

async function* rowsOf(pdf: OpenPdf, owner: ImageSource, mask: ImageSource): AsyncGenerator<Uint8Array> {
  const { image, body } = mask;
  if (DECODED_BY_ENGINE.includes(image.filters.at(-1) ?? "")) {
    const decoded = pdf.source.decodeImage((owner.image.softMask ?? owner.image.stencilMask)!.number);
    const isAsStated = decoded?.components === 1 && decoded.width === image.width && decoded.height === image.height;
    if (!isAsStated) throw new UnreadableImage("its mask cannot be decoded");
    yield decoded.samples;
    return;
  }
  // A sample of 1 in a stencil mask means that the image is not painted there.
  const [low = 0, high = 1] = image.decode ?? [];
  const opacities = table(Math.min(image.bits, 8), image.isStencil ? [1 - low, 1 - high] : [low, high]);
  for await (const rows of packedRows(image, body)) yield unpacked(mask, rows).map((value) => opacities[value]!);
}

/**
 * Returns the opacity of the values of one sample, for images with a color key and a palette.
 * @returns undefined without a color key
 */
export function keyedPalette(pdf: OpenPdf, source: ImageSource): Uint8Array | undefined {
  const [[low, high] = []] = colorKey(pdf, source) ?? [];
  if (low === undefined || high === undefined) return undefined;
  return Uint8Array.from({ length: 2 ** source.image.bits }, (_, value) => (value >= low && value <= high ? 0 : 255));
}

/** Returns the range of each sample that is transparent. */
export function colorKey({ file }: OpenPdf, { image, dictionary }: ImageSource): [number, number][] | undefined {
  if (!image.hasColorKey || image.softMask) return undefined;
  const numbers = file.array(dictionary.get("Mask"))!.map((one) => file.number(one) ?? Number.NaN);
  const channels = storedChannels(image);
  if (numbers.length < 2 * channels || !numbers.every(Number.isFinite)) return undefined;
  return Array.from({ length: channels }, (_, at) => [numbers[2 * at]!, numbers[2 * at + 1]!]);
}

/** Returns one byte of opacity for each pixel of packed rows. */
export function keyedOpacity({ image }: ImageSource, key: readonly [number, number][], rows: Uint8Array): Uint8Array {
  const channels = key.length;
  const isWide = image.bits === 16;
  const values = isWide ? rows : unpacked({ image }, rows);
  const valueAt = (at: number) => (isWide ? (values[2 * at]! << 8) | values[2 * at + 1]! : values[at]!);
  const opacity = new Uint8Array(values.length / (channels * (isWide ? 2 : 1)));
  for (let pixel = 0, at = 0; pixel < opacity.length; pixel++, at += channels) {
    const isMasked = key.every(([low, high], channel) => valueAt(at + channel) >= low && valueAt(at + channel) <= high);
    opacity[pixel] = isMasked ? 0 : 255;
  }
  return opacity;
}
