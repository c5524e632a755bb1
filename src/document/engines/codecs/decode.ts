// Decodes WebP, AVIF and HEIC pictures to pixels. The readers of these formats check the dimensions first, because the
// decoders allocate what a file demands.
import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";
import { type Codec, instantiate } from "./codec.ts";

/** Memory of a decoder per pixel, with its copy of the result, and the result itself. */
const BYTES_PER_PIXEL = 16;

/** Pixels of 8-bit RGB and straight alpha. */
export interface DecodedPixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * @param memoryBytes memory for the decoder and the pixels
 * @throws EngineFailure `too-complex` for more pixels than any deployment decodes, `too-large` for more than the memory
 *   allows, `damaged` for none
 */
export function checkPixels({ width, height }: Size, memoryBytes: number): void {
  if (!(width >= 1 && height >= 1)) throw new EngineFailure("damaged", "a picture without pixels");
  if (width * height > LIMITS.decodedPicturePixels) {
    const why = `The picture has more than ${LIMITS.decodedPicturePixels.toLocaleString("en-US")} pixels.`;
    throw new EngineFailure("too-complex", `${width} x ${height} pixels`, { why });
  }
  if (width * height * BYTES_PER_PIXEL > memoryBytes) {
    throw new EngineFailure("too-large", `${width} x ${height} pixels`);
  }
}

const webpDecoder: Codec = async () => [
  await import("@jsquash/webp/codec/dec/webp_dec.js"),
  await import("#wasm/webp-decoder.wasm"),
];

/** The picture that a decoder returns. */
export interface Image extends Size {
  readonly data: Uint8ClampedArray;
}

/** @throws EngineFailure `damaged` */
export async function decodeWebp(file: Uint8Array): Promise<DecodedPixels> {
  const decoder = await instantiate<{ decode(file: Uint8Array): Image | null }>(webpDecoder);
  return pixelsOf("WebP", () => decoder.decode(file));
}

/** Runs a decoder. It returns null, or traps, for a damaged picture. */
export async function pixelsOf(
  format: string,
  decode: () => Image | null | Promise<Image | null>,
): Promise<DecodedPixels> {
  let image: Image | null;
  try {
    image = await decode();
  } catch (error) {
    throw new EngineFailure("damaged", `the ${format} decoder stopped`, { cause: error });
  }
  if (!image) throw new EngineFailure("damaged", `the ${format} decoder refused the picture`);
  const { width, height, data } = image;
  return { width, height, rgba: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) };
}
