// Classifies JPEGs by their frame (T.81, table B.1): supported by PDF, to be decoded here, or unsupported.

import { EngineFailure } from "../../contract/failure.ts";
import type { MupdfJpegDecoder } from "../../engines/mupdf/jpeg.ts";
import { MARKERS } from "./markers.ts";

const { SOF2, SOF3, SOF9, SOF10, SOF11 } = MARKERS;

/** @returns the failure for the client */
export const unsupportedJpeg = (feature: string): EngineFailure =>
  new EngineFailure("unsupported", feature, { feature });

/**
 * @param bits bits per sample
 * @throws EngineFailure `unsupported` with the name of the feature
 */
export function checkFrame(marker: number, bits: number): void {
  if (marker === SOF3 || marker === SOF11) throw unsupportedJpeg("lossless JPEG");
  if (marker > SOF2 && !isArithmetic(marker)) throw unsupportedJpeg("hierarchical JPEG");
  if (bits !== 8) throw unsupportedJpeg(`JPEG with ${bits} bits per sample`);
}

/** Reports whether the coding is arithmetic, which DCTDecode does not support (ISO 32000-1, 7.4.8). */
export const isArithmetic = (marker: number): boolean => marker === SOF9 || marker === SOF10;

/** Decodes JPEGs that PDF cannot embed unchanged. */
export type JpegDecoder = Pick<MupdfJpegDecoder, "decode">;

/** @throws EngineFailure `too-large` if there is no memory for a decoder */
export type OpenJpegDecoder = () => Promise<JpegDecoder>;
