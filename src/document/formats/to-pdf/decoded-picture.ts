// Makes a PDF image of decoded pixels: JPEG for a picture that was coded with losses, if the client allows losses again,
// otherwise Deflate. Transparency becomes a soft mask.
import type { Band } from "../../contract/raster.ts";
import { encodeJpeg, JPEG_MAX_SIDE } from "../jpeg/write.ts";
import { flateImage, softMask } from "./image-data.ts";
import { type ColorSpace, type ImageXObject, RGB } from "./image-page.ts";
import { alphaSamples, colorSamples } from "./opacity.ts";

const COLORS = 3;
const PIXEL_BYTES = 4;
/** Bytes of the pixels that are converted at once. */
const BLOCK_BYTES = 2 ** 18;
const JPEG_QUALITY = 88;

export interface DecodedPicture {
  readonly width: number;
  readonly height: number;
  /** Straight alpha. */
  readonly rgba: Uint8Array;
  /** @default sRGB */
  readonly colorSpace?: ColorSpace;
  /** True if the samples must not change. */
  readonly isExact: boolean;
}

export async function decodedImage(picture: DecodedPicture): Promise<ImageXObject> {
  const { width, height, rgba, colorSpace = RGB, isExact } = picture;
  const blocks = () => blocksOf(rgba, width);
  const mask = await softMask(width, height, 8, () => alphaSamples(blocks(), COLORS, 1));
  const image = { width, height, bitsPerComponent: 8, colorSpace, ...mask } as const;
  if (isExact || Math.max(width, height) > JPEG_MAX_SIDE) {
    return flateImage({ ...image, components: COLORS, rows: () => colorSamples(blocks(), COLORS, 1) });
  }
  const raster = { width, height, dpi: 72, colorModel: "rgb", bands: () => bandsOf(rgba, width) } as const;
  return { ...image, filter: "DCTDecode", data: () => encodeJpeg(raster, { quality: JPEG_QUALITY }) };
}

function* blocksOf(rgba: Uint8Array, width: number): Generator<Uint8Array> {
  const rowBytes = width * PIXEL_BYTES;
  const size = Math.max(1, Math.floor(BLOCK_BYTES / rowBytes)) * rowBytes;
  for (let at = 0; at < rgba.length; at += size) yield rgba.subarray(at, at + size);
}

function* bandsOf(rgba: Uint8Array, width: number): Generator<Band> {
  let top = 0;
  for (const block of blocksOf(rgba, width)) {
    const samples = new Uint8Array((block.length / PIXEL_BYTES) * COLORS);
    for (let from = 0, to = 0; from < block.length; from += PIXEL_BYTES) {
      samples[to++] = block[from]!;
      samples[to++] = block[from + 1]!;
      samples[to++] = block[from + 2]!;
    }
    const rows = block.length / (width * PIXEL_BYTES);
    yield { top, rows, samples };
    top += rows;
  }
}
