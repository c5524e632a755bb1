// Decodes AVIF and HEIC pictures to pixels, in the container only.
import { EngineFailure } from "../../contract/failure.ts";
import { type Codec, instantiate } from "./codec.ts";
import { type DecodedPixels, type Image, pixelsOf } from "./decode.ts";

const avifDecoder: Codec = async () => [
  await import("@jsquash/avif/codec/dec/avif_dec.js"),
  await import("#wasm/avif-decoder.wasm"),
];
const heifDecoder: Codec = async () => [
  await import("libheif-js/libheif-wasm/libheif.js"),
  await import("#wasm/heif-decoder.wasm"),
];

/** Returns the pixels before `irot` and `imir`. @throws EngineFailure `damaged`, `unsupported` */
export async function decodeAvif(file: Uint8Array): Promise<DecodedPixels> {
  const decoder = await instantiate<{ decode(file: Uint8Array, bits: 8): Image | null }>(avifDecoder);
  const pixels = await pixelsOf("AVIF", () => decoder.decode(file, 8));
  // The decoder does not write the pixels if it cannot convert the colors.
  if (!mayBeTransparent(file) && pixels.rgba.some((sample, at) => at % 4 === 3 && sample !== 255)) {
    const feature = "AVIF with an unknown color matrix";
    throw new EngineFailure("unsupported", feature, { feature });
  }
  return pixels;
}

/** Reports whether a file has a picture or a track of opacity (ISO/IEC 23008-12, 6.6.2.1.1 and 7.5.3.1). */
function mayBeTransparent(file: Uint8Array): boolean {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  return bytes.includes("auxiliary:alpha") || bytes.includes("auxv");
}

/** The functions of libheif's binding. A pointer is a number; a failed function returns an object with a `code`. */
interface Libheif {
  readonly heif_error_code: { readonly heif_error_Ok: unknown };
  readonly heif_colorspace: { readonly heif_colorspace_RGB: unknown };
  readonly heif_chroma: { readonly heif_chroma_interleaved_RGBA: unknown };
  heif_context_alloc(): number;
  heif_context_read_from_memory(
    context: number,
    file: Uint8Array,
  ): { readonly code: unknown; readonly message: string };
  heif_js_context_get_primary_image_handle(context: number): number | { readonly code: unknown };
  heif_js_decode_image2(handle: unknown, space: unknown, chroma: unknown): Promise<DecodedHeif> | DecodedHeif;
}

interface DecodedHeif {
  readonly code?: unknown;
  readonly channels: readonly {
    readonly width: number;
    readonly height: number;
    readonly stride: number;
    readonly data: Uint8Array;
  }[];
}

/** Returns the pixels of the primary picture, upright. @throws EngineFailure `damaged` */
export async function decodeHeic(file: Uint8Array): Promise<DecodedPixels> {
  const libheif = await instantiate<Libheif>(heifDecoder);
  return pixelsOf("HEIC", async () => {
    const context = libheif.heif_context_alloc();
    const { code, message } = libheif.heif_context_read_from_memory(context, file);
    if (code !== libheif.heif_error_code.heif_error_Ok) throw new EngineFailure("damaged", message);
    const handle = libheif.heif_js_context_get_primary_image_handle(context);
    const { heif_colorspace_RGB: rgb } = libheif.heif_colorspace;
    const { heif_chroma_interleaved_RGBA: rgba } = libheif.heif_chroma;
    const decoded = await libheif.heif_js_decode_image2(handle, rgb, rgba);
    const [channel] = decoded.code === undefined ? decoded.channels : [];
    if (!channel) return null;
    const { width, height, stride, data } = channel;
    const rows = new Uint8ClampedArray(width * height * 4);
    for (let y = 0; y < height; y++) rows.set(data.subarray(y * stride, y * stride + width * 4), y * width * 4);
    return { width, height, data: rows };
  });
}
