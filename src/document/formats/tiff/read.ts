// Reads TIFF as pages of a PDF: one page per image that is neither a thumbnail nor a mask.

import { toUint8Array } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";
import { Inflater } from "../deflate/inflate.ts";
import { readInfo } from "../exif/exif.ts";
import type { OpenJpegDecoder } from "../jpeg/frame.ts";
import { bytesOfRow, checkWork, flateImage, MAX_SAMPLE_BYTES, softMask } from "../to-pdf/image-data.ts";
import type { ImagePage, ImagePart, ImageXObject } from "../to-pdf/image-page.ts";
import { pageSize } from "../to-pdf/page-size.ts";
import { faxImage, isFax } from "./fax.ts";
import { Directory, openTiff, type TiffBytes } from "./fields.ts";
import { jpegParts } from "./jpeg.ts";
import { decodedPage, isDecodedHere } from "./jpeg-samples.ts";
import { COMPRESSION, readPage, segmentBytes, segmentCount, type TiffPage } from "./page.ts";
import { isPdfsOwn, isUnpackedHere, samplesOf, storedRowBytes } from "./samples.ts";

/** Maximum number of pages. A directory takes 20 bytes, so a hostile file could have millions. */
const MAX_PAGES = LIMITS.tiffPages;
/** Maximum number of strips and tiles of all pages. */
const MAX_SEGMENTS = 2 ** 22;
/** Maximum bytes to read for all pages, relative to the file size, because pages can share data. */
const MAX_READS_PER_BYTE = 2;

/**
 * @param holdBytes maximum memory in addition to the file
 * @throws EngineFailure `damaged` if there is no image, `unsupported` if an image cannot be shown, `too-large`,
 * `too-complex`
 */
export async function* readTiff(
  bytes: Uint8Array,
  holdBytes: number,
  openDecoder: OpenJpegDecoder,
): AsyncGenerator<ImagePage> {
  const file = openTiff(toUint8Array(bytes));
  const pages = file ? pagesOf(file) : [];
  if (pages.length === 0) throw new EngineFailure("damaged", "a TIFF without a picture");
  checkClaims(pages, bytes.length);
  for (const page of pages) {
    const { width, height, directory } = page;
    const seen = { width, height, ...readInfo(directory) };
    pageSize(seen);
    yield { ...seen, parts: await partsOf(page, holdBytes, openDecoder) };
  }
}

function pagesOf(file: TiffBytes): TiffPage[] {
  const visited = new Set<number>();
  const directories: Directory[] = [];
  for (let offset = file.firstDirectory; offset !== 0 && !visited.has(offset); ) {
    visited.add(offset);
    if (visited.size > MAX_PAGES) throw new EngineFailure("too-complex", `a TIFF of more than ${MAX_PAGES} pages`);
    const directory = Directory.read(file, offset);
    if (!directory) break;
    directories.push(directory);
    offset = directory.next;
  }
  const whole = directories.filter((directory) => !isSecondary(directory));
  const chosen = whole.length > 0 ? whole : directories.slice(0, 1);
  return chosen.map((directory) => readPage(file, directory)).filter((page) => page !== undefined);
}

/**
 * Reports whether an image is a thumbnail or a mask: bit 0 or bit 2 of NewSubfileType, or SubfileType 2 for a thumbnail
 * (section 8).
 */
function isSecondary(directory: Directory): boolean {
  return ((directory.number(254) ?? 0) & 5) !== 0 || directory.number(255) === 2;
}

/** @throws EngineFailure `too-complex` for a file that refers to far more data than it contains */
function checkClaims(pages: readonly TiffPage[], fileBytes: number): void {
  let segments = 0;
  let sampleBytes = 0;
  let readBytes = 0;
  for (const page of pages) {
    const count = segmentCount(page);
    segments += count;
    sampleBytes += storedRowBytes(page) * page.height;
    if (segments > MAX_SEGMENTS || sampleBytes > MAX_SAMPLE_BYTES) {
      throw new EngineFailure("too-complex", `a TIFF of ${segments} strips or tiles, ${sampleBytes} bytes of samples`);
    }
    for (let index = 0; index < count; index++) readBytes += segmentBytes(page, index).length;
  }
  if (readBytes > MAX_READS_PER_BYTE * fileBytes) {
    throw new EngineFailure("too-complex", `a TIFF of ${fileBytes} bytes, of which ${readBytes} must be read`);
  }
}

async function partsOf(page: TiffPage, holdBytes: number, openDecoder: OpenJpegDecoder): Promise<ImagePart[]> {
  const isDecoded = isDecodedHere(page);
  if (!isUnpackedHere(page) && !isDecoded) return jpegParts(page);
  checkWork(storedRowBytes(page), page.height, holdBytes);
  const plainPage = isDecoded ? decodedPage(page, await openDecoder()) : page;
  const image = isFax(plainPage) ? faxImage(plainPage) : await sampledImage(plainPage, holdBytes);
  return [{ x: 0, y: 0, image }];
}

async function sampledImage(page: TiffPage, holdBytes: number): Promise<ImageXObject> {
  const { color, opacity } = await samplesOf(page, holdBytes);
  if (opacity) {
    const mask = await softMask(page.width, page.height, color.bitsPerComponent as 8 | 16, opacity);
    return flateImage({ ...color, ...mask });
  }
  const stream = await flateStream(page);
  if (!stream) return flateImage(color);
  const { rows: _, components, ...image } = color;
  // PDF has the same predictor (ISO 32000-1, 7.4.4.4).
  const parms = `<</Predictor 2/Colors ${components}/BitsPerComponent ${page.bits}/Columns ${page.width}>>`;
  return {
    ...image,
    filter: "FlateDecode",
    ...(page.predictor === 2 ? { decodeParms: parms } : {}),
    size: stream.length,
    data: () => [stream],
  };
}

/** Returns the unchanged data, if it is one valid stream that PDF decodes as TIFF does. */
async function flateStream(page: TiffPage): Promise<Uint8Array | undefined> {
  const { compression, predictor, bits, width, height, segmentWidth, segmentHeight, file } = page;
  const isDeflated = compression === COMPRESSION.deflate || compression === COMPRESSION.oldDeflate;
  const isAlone = page.across === 1 && page.down === 1 && segmentWidth === width && segmentHeight === height;
  const isOrdered = !page.isReversed && !(bits === 16 && file.isLittleEndian);
  const isPredicted = predictor === 1 || (predictor === 2 && bits === 8);
  if (!isDeflated || !isAlone || !isOrdered || !isPredicted || !isPdfsOwn(page)) return undefined;
  const stream = segmentBytes(page, 0);
  const wanted = bytesOfRow(width, bits * page.samples) * height;
  let size = 0;
  using inflater = new Inflater("strict");
  for await (const piece of inflater.push(stream)) {
    size += piece.length;
    if (size > wanted) return undefined;
  }
  return size === wanted && (await inflater.end()) ? stream : undefined;
}
