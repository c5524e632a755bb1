// A picture as a PDF, a page for each picture that is in the file; what is in it stays as it is wherever PDF has the same.
import { MupdfJpegDecoder } from "../engines/mupdf-jpeg.ts";
import { mediaTypeOf } from "../media-type.ts";
import { readBmp } from "../pictures/bmp.ts";
import { ByteReader } from "../pictures/byte-reader.ts";
import { readJpeg } from "../pictures/jpeg.ts";
import type { OpenJpegDecoder } from "../pictures/jpeg-frame.ts";
import type { Picture } from "../pictures/picture.ts";
import { picturePdf } from "../pictures/picture-pdf.ts";
import { readPng } from "../pictures/png.ts";
import { readTiff } from "../pictures/tiff.ts";
import { EngineFailure, type Input, type Operation } from "./operation.ts";

export type ImageToPdfParams = Record<string, never>;

/** Where an operation is told no limit it is one of several that stream, and holds little. */
const LEAST_HOLD_BYTES = 8 * 2 ** 20;
/** Of the memory of an engine, which is here only where a JPEG has to be decoded. */
const HOLD_SHARE = 0.5;

/**
 * One output, the PDF.
 * @throws EngineFailure `unsupported` for what is no JPEG, PNG, TIFF or BMP that PDF can show, `damaged` where nothing can be
 * seen, `too-large` for what has to be held and has no room, `too-complex` for what no picture is
 * @throws OutOfRange where a page would be larger than PDF allows
 */
export const imageToPdf: Operation<ImageToPdfParams> = async function* ([input], _params, { heapLimitBytes, signal }) {
  const holdBytes = Math.max(LEAST_HOLD_BYTES, heapLimitBytes * HOLD_SHARE);
  let decoder: MupdfJpegDecoder | undefined;
  const openDecoder = async () => {
    decoder ??= await MupdfJpegDecoder.open({ heapLimitBytes: heapLimitBytes * (1 - HOLD_SHARE) });
    return decoder;
  };
  try {
    const pictures = await readPictures(input!, holdBytes, openDecoder);
    yield { extension: "pdf", type: "application/pdf", body: picturePdf(pictures, signal) };
  } finally {
    decoder?.[Symbol.dispose]();
  }
};

async function readPictures(
  input: Input,
  holdBytes: number,
  openDecoder: OpenJpegDecoder,
): Promise<Iterable<Picture> | AsyncIterable<Picture>> {
  switch (await contentType(input)) {
    case "image/jpeg":
      return [await readJpeg(input, openDecoder)];
    case "image/png":
      return [await readPng(input, holdBytes)];
    case "image/bmp":
      return [await readBmp(input, holdBytes, openDecoder)];
    case "image/tiff":
      return readTiff(await input.bytes(), holdBytes, openDecoder);
    default:
      throw new EngineFailure("unsupported", "no picture of a kind that is read here");
  }
}

async function contentType(input: Input): Promise<string> {
  await using reader = new ByteReader(input.stream());
  return mediaTypeOf((await reader.read(Math.min(input.size, 16))) ?? new Uint8Array(0), "");
}
