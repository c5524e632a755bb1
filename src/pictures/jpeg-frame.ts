// Kinds of JPEG by their frames (T.81, table B.1): those that PDF knows, those that have to be decoded first, and those that
// nothing here decodes.
import type { MupdfJpegDecoder } from "../engines/mupdf-jpeg.ts";
import { EngineFailure } from "../operations/operation.ts";

const [LAST_HUFFMAN, ARITHMETIC, PROGRESSIVE_ARITHMETIC] = [0xc2, 0xc9, 0xca];
const LOSSLESS: ReadonlySet<number> = new Set([0xc3, 0xcb]);

/** @returns what the client is told */
export const unsupportedJpeg = (feature: string): EngineFailure =>
  new EngineFailure("unsupported", feature, { feature });

/**
 * @param bits of a sample
 * @throws EngineFailure `unsupported` with the name of the feature
 */
export function checkFrame(marker: number, bits: number): void {
  if (LOSSLESS.has(marker)) throw unsupportedJpeg("lossless JPEG");
  if (marker > LAST_HUFFMAN && !isArithmetic(marker)) throw unsupportedJpeg("hierarchical JPEG");
  if (bits !== 8) throw unsupportedJpeg(`JPEG with ${bits} bits per sample`);
}

/** Whether the codes are arithmetic, which DCTDecode does not know (ISO 32000-1, 7.4.8). */
export const isArithmetic = (marker: number): boolean => marker === ARITHMETIC || marker === PROGRESSIVE_ARITHMETIC;

/** Makes samples of JPEGs that PDF cannot have as they are. */
export type JpegDecoder = Pick<MupdfJpegDecoder, "decode">;

/** @throws EngineFailure `too-large` where there is no room for one */
export type OpenJpegDecoder = () => Promise<JpegDecoder>;
