// Reads the images of a file in any supported image format.

import { ByteReader } from "../contract/byte-reader.ts";
import { EngineFailure } from "../contract/failure.ts";
import { detectMediaType } from "../contract/media-type.ts";
import type { Input } from "../contract/operation.ts";
import { MupdfJpegDecoder } from "../engines/mupdf/jpeg.ts";
import { readBmp } from "./bmp/read.ts";
import { readGif } from "./gif/read.ts";
import type { OpenJpegDecoder } from "./jpeg/frame.ts";
import { readJpeg } from "./jpeg/read.ts";
import { readPng } from "./png/read.ts";
import { readTiff } from "./tiff/read.ts";
import type { ImagePage } from "./to-pdf/image-page.ts";
import { readWebp } from "./webp/read.ts";

/** Buffer memory if the operation has no memory for an engine, because it streams concurrently with other jobs. */
const MIN_BUFFER_BYTES = 8 * 2 ** 20;
/**
 * Fraction of the operation's memory for buffers. The other part is for an engine, which exists only if a JPEG must be
 * decoded.
 */
const HOLD_SHARE = 0.5;
/** Number of bytes needed to detect the format. */
const SIGNATURE_BYTES = 32;

/** An open image file, whose pictures can be read until it is disposed of. */
export interface ImageFile extends Disposable {
  readonly pictures: Iterable<ImagePage> | AsyncIterable<ImagePage>;
}

/**
 * @param isExact true if the samples of a picture that must be decoded stay as they are
 * @throws EngineFailure `unsupported` for input other than a supported JPEG, PNG, TIFF, BMP, GIF or WebP, `damaged` if no
 * pixel can be decoded, `too-large` for data that must be buffered but do not fit, `too-complex` for sizes that no real
 * image has
 * @throws OutOfRange if a page would exceed the limits of PDF
 */
export async function openImage(input: Input, heapLimitBytes: number, isExact = true): Promise<ImageFile> {
  const holdBytes = Math.max(MIN_BUFFER_BYTES, heapLimitBytes * HOLD_SHARE);
  let decoder: MupdfJpegDecoder | undefined;
  const openDecoder = async () => {
    decoder ??= await MupdfJpegDecoder.open({ heapLimitBytes: heapLimitBytes * (1 - HOLD_SHARE) });
    return decoder;
  };
  const dispose = () => decoder?.[Symbol.dispose]();
  const memory = { holdBytes, heapLimitBytes };
  try {
    return { pictures: await readPictures(input, memory, openDecoder, isExact), [Symbol.dispose]: dispose };
  } catch (error) {
    dispose();
    throw error;
  }
}

async function readPictures(
  input: Input,
  { holdBytes, heapLimitBytes }: { readonly holdBytes: number; readonly heapLimitBytes: number },
  openDecoder: OpenJpegDecoder,
  isExact: boolean,
): Promise<ImageFile["pictures"]> {
  switch (await contentType(input)) {
    case "image/jpeg":
      return [await readJpeg(input, openDecoder)];
    case "image/png":
      return [await readPng(input, holdBytes)];
    case "image/bmp":
      return [await readBmp(input, holdBytes, openDecoder)];
    case "image/gif":
      return [await readGif(input, holdBytes)];
    case "image/webp":
      return [await readWebp(input, heapLimitBytes, isExact)];
    case "image/tiff":
      return readTiff(await input.bytes(), holdBytes, openDecoder);
    default:
      throw new EngineFailure("unsupported", "no picture of a kind that is read here");
  }
}

async function contentType(input: Input): Promise<string> {
  await using reader = new ByteReader(input.stream());
  return detectMediaType((await reader.read(Math.min(input.size, SIGNATURE_BYTES))) ?? new Uint8Array(0), "");
}
