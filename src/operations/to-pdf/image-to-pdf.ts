// Converts a picture file to a PDF with one page for each picture in the file. Data stay unchanged wherever PDF has the
// same encoding.

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

/** Memory for held data if the operation has no heap limit: then it streams next to others, and may hold little. */
const LEAST_HOLD_BYTES = 8 * 2 ** 20;
/** Share of an engine's memory. An engine exists only if a JPEG has to be decoded. */
const HOLD_SHARE = 0.5;
/** Number of bytes that tell the kind of a picture. */
const SIGNATURE_BYTES = 32;

/**
 * Yields one output, the PDF.
 * @throws EngineFailure `unsupported` for input that is not a JPEG, PNG, TIFF or BMP that PDF can show, `damaged` if no
 * pixel can be recovered, `too-large` for data that must be held but do not fit, `too-complex` for claims that no
 * genuine picture makes
 * @throws OutOfRange if a page would be larger than PDF allows
 */
const run: Run<ImageToPdfParams> = async function* ([input], _params, { heapLimitBytes, signal }) {
  const holdBytes = Math.max(LEAST_HOLD_BYTES, heapLimitBytes * HOLD_SHARE);
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
