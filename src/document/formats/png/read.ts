// Reads PNG (Portable Network Graphics, 3rd edition) as a PDF image. Embeds the image data unchanged if PDF supports
// it; otherwise compresses the samples again.
import type { Input } from "../../contract/operation.ts";
import { bytesOfRow, checkWork, flateImage, pngPredictor, type Rows, softMask } from "../to-pdf/image-data.ts";
import type { ImagePage, ImageXObject } from "../to-pdf/image-page.ts";
import { alphaOfIndices, alphaOfKey, alphaSamples, colorSamples } from "../to-pdf/opacity.ts";
import { pageSize } from "../to-pdf/page-size.ts";
import { imageData, type PngFile, scanPng } from "./chunks.ts";
import { colorKey, keySamples, pngColor } from "./color.ts";
import { decodeRows } from "./rows.ts";

/**
 * @param holdBytes maximum memory for an interlaced image
 * @throws EngineFailure `damaged` if there is no complete row, `too-large` for an interlaced image, `too-complex` if
 * the image exceeds the work limit
 */
export async function readPng(input: Input, holdBytes: number): Promise<ImagePage> {
  const file = await scanPng(input);
  const { header, density, furtherFrames } = file;
  const { width, height } = header;
  const orientation = file.seen?.orientation ?? 1;
  const seen = { width, height, orientation, ...(density ? { density } : {}) };
  pageSize(seen);
  const image = await pngImage(input, file, holdBytes);
  return { ...seen, parts: [{ x: 0, y: 0, image }], ...(furtherFrames > 0 && { furtherFrames }) };
}

async function pngImage(input: Input, file: PngFile, holdBytes: number): Promise<ImageXObject> {
  const { width, height, bits, colorType, channels, isInterlaced } = file.header;
  const isPassed = file.isSound && !isInterlaced && colorType !== 4 && colorType !== 6;
  // A mask has one byte per pixel.
  if (!isPassed || file.transparency) checkWork(bytesOfRow(width, Math.max(8, bits * channels)), height, holdBytes);
  const rows = () => decodeRows(input, file, holdBytes);
  const image = {
    width,
    height,
    bitsPerComponent: bits,
    colorSpace: pngColor(file),
    ...(await transparencyMask(file, rows)),
  };
  if (colorType === 4 || colorType === 6) {
    const components = channels - 1;
    return flateImage({ ...image, components, rows: () => colorSamples(rows(), components, bits / 8) });
  }
  const key = colorKey(file);
  if (!isPassed) return { ...flateImage({ ...image, components: channels, rows }), ...key };
  return {
    ...image,
    ...key,
    filter: "FlateDecode",
    decodeParms: pngPredictor(width, channels, bits),
    size: file.imageBytes,
    data: () => imageData(input),
  };
}

/** Returns the mask of an alpha channel or of tRNS (clause 11.3.1.1), if a color key is not sufficient. */
async function transparencyMask(
  { header, transparency }: PngFile,
  rows: () => Rows,
): Promise<{ softMask?: ImageXObject }> {
  const { width, height, bits, colorType, channels } = header;
  if (colorType === 4 || colorType === 6) {
    return softMask(width, height, bits as 8 | 16, () => alphaSamples(rows(), channels - 1, bits / 8));
  }
  if (!transparency) return {};
  if (colorType === 3) return softMask(width, height, 8, () => alphaOfIndices(rows(), width, bits, transparency));
  if (bits !== 16 || transparency.length < 2 * channels) return {};
  return softMask(width, height, 8, () => alphaOfKey(rows(), keySamples(transparency, channels)));
}
