// Converts an image file to a PDF with one page per image. If PDF supports the coding, the image data stays unchanged.

import * as z from "zod";
import { ByteReader } from "../../document/contract/byte-reader.ts";
import { EngineFailure } from "../../document/contract/failure.ts";
import { detectMediaType } from "../../document/contract/media-type.ts";
import { defineOperation, type Input, type Run } from "../../document/contract/operation.ts";
import { MupdfJpegDecoder } from "../../document/engines/mupdf/jpeg.ts";
import { readBmp } from "../../document/formats/bmp/read.ts";
import type { OpenJpegDecoder } from "../../document/formats/jpeg/frame.ts";
import { readJpeg } from "../../document/formats/jpeg/read.ts";
import { readPng } from "../../document/formats/png/read.ts";
import { readTiff } from "../../document/formats/tiff/read.ts";
import type { ImagePage } from "../../document/formats/to-pdf/image-page.ts";
import { imagePdf } from "../../document/formats/to-pdf/image-pdf.ts";

const paramsSchema = z.strictObject({});
export type ImageToPdfParams = z.infer<typeof paramsSchema>;

/** Buffer memory if the operation has no heap limit: it then streams concurrently with other jobs. */
const MIN_BUFFER_BYTES = 8 * 2 ** 20;
/** Fraction of an engine's memory for buffers. An engine exists only if a JPEG must be decoded. */
const HOLD_SHARE = 0.5;
/** Number of bytes needed to detect the format. */
const SIGNATURE_BYTES = 32;

/**
 * Yields one output, the PDF.
 * @throws EngineFailure `unsupported` for input other than a supported JPEG, PNG, TIFF or BMP, `damaged` if no pixel
 * can be decoded, `too-large` for data that must be buffered but do not fit, `too-complex` for sizes that no real image
 * has
 * @throws OutOfRange if a page would exceed the limits of PDF
 */
const run: Run<ImageToPdfParams> = async function* ([input], _params, { heapLimitBytes, signal }) {
  const holdBytes = Math.max(MIN_BUFFER_BYTES, heapLimitBytes * HOLD_SHARE);
  let decoder: MupdfJpegDecoder | undefined;
  const openDecoder = async () => {
    decoder ??= await MupdfJpegDecoder.open({ heapLimitBytes: heapLimitBytes * (1 - HOLD_SHARE) });
    return decoder;
  };
  try {
    const pictures = await readPictures(input!, holdBytes, openDecoder);
    yield { extension: "pdf", type: "application/pdf", body: imagePdf(pictures, signal) };
  } finally {
    decoder?.[Symbol.dispose]();
  }
};

export const imageToPdf = defineOperation({ name: "image-to-pdf", params: paramsSchema, run });

async function readPictures(
  input: Input,
  holdBytes: number,
  openDecoder: OpenJpegDecoder,
): Promise<Iterable<ImagePage> | AsyncIterable<ImagePage>> {
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
  return detectMediaType((await reader.read(Math.min(input.size, SIGNATURE_BYTES))) ?? new Uint8Array(0), "");
}
