// Encodes pictures as WebP and AVIF, in the container only: the encoders need about 30 bytes per pixel.
import { EngineFailure } from "../../contract/failure.ts";
import { type Codec, instantiate } from "./codec.ts";

/** Maximum side of a WebP. */
export const WEBP_MAX_SIDE = 16_383;
/** Maximum side of an AVIF that browsers show. */
export const AVIF_MAX_SIDE = 65_535;

/** Pixels of 8-bit RGB and straight alpha. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly rgba: Uint8Array;
}

interface Encoder {
  encode(rgba: Uint8Array, width: number, height: number, options: object): Uint8Array | null;
}

/** libwebp's `WebPConfig`, with its defaults, in the order of the binding. */
const WEBP = {
  ...{ quality: 75, target_size: 0, target_PSNR: 0, method: 4, sns_strength: 50, filter_strength: 60 },
  ...{ filter_sharpness: 0, filter_type: 1, partitions: 0, segments: 4, pass: 1, show_compressed: 0 },
  ...{ preprocessing: 0, autofilter: 0, partition_limit: 0, alpha_compression: 1, alpha_filtering: 1 },
  ...{ alpha_quality: 100, lossless: 0, exact: 0, image_hint: 0, emulate_jpeg_size: 0, thread_level: 0 },
  ...{ low_memory: 0, near_lossless: 100, use_delta_palette: 0, use_sharp_yuv: 0 },
};
/** Higher methods take two to six times as long, and make a page at most 5 % smaller. */
const LOSSLESS = { lossless: 1, method: 1, quality: 0 };

/** A slower speed takes two to four times as long, and makes a page up to a third smaller. */
const AVIF = {
  ...{ qualityAlpha: -1, denoiseLevel: 0, tileColsLog2: 0, tileRowsLog2: 0, speed: 9, subsample: 1 },
  ...{ chromaDeltaQ: false, sharpness: 0, tune: 0, enableSharpYUV: false, bitDepth: 8, lossless: false },
};

// The modules are compiled when they are first used: few instances of the container draw such pictures.
const webpEncoder: Codec = async () => [
  await import("@jsquash/webp/codec/enc/webp_enc_simd.js"),
  await import("#wasm/webp-encoder.wasm"),
];
const avifEncoder: Codec = async () => [
  await import("@jsquash/avif/codec/enc/avif_enc.js"),
  await import("#wasm/avif-encoder.wasm"),
];

/** @throws EngineFailure `too-large` if the encoder lacks memory */
export const encodeWebp = (pixels: Pixels, quality: number | "lossless"): Promise<Uint8Array> =>
  encode(webpEncoder, pixels, { ...WEBP, ...(quality === "lossless" ? LOSSLESS : { quality }) });

/** @throws EngineFailure `too-large` if the encoder lacks memory */
export const encodeAvif = (pixels: Pixels, quality: number): Promise<Uint8Array> =>
  encode(avifEncoder, pixels, { ...AVIF, quality });

async function encode(codec: Codec, { rgba, width, height }: Pixels, options: object): Promise<Uint8Array> {
  const encoder = await instantiate<Encoder>(codec);
  let file: Uint8Array | null;
  try {
    file = encoder.encode(rgba, width, height, options);
  } catch (error) {
    throw new EngineFailure("too-large", `an encoder stopped at ${width} x ${height} pixels`, { cause: error });
  }
  if (!file) throw new EngineFailure("too-large", `an encoder refused ${width} x ${height} pixels`);
  return file;
}
