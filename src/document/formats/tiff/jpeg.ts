// Reads JPEGs in a TIFF (Adobe's technical note 2, and 6.0 section 22) as images whose coded data is unchanged.
import { EngineFailure } from "../../contract/failure.ts";
import { unsupportedJpeg } from "../jpeg/frame.ts";
import { MARKERS } from "../jpeg/markers.ts";
import {
  type CodedPicture,
  type CodingTables,
  codedOf,
  completeJpeg,
  frameComponents,
  frameHeight,
  frameWidth,
  joinJpegs,
  readCoded,
  readTables,
} from "../jpeg/stream.ts";
import type { ImagePart, ImageXObject } from "../to-pdf/image-page.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import { photometricName } from "./names.ts";
import { COMPRESSION, PHOTOMETRIC, segmentBytes, segmentCount, type TiffPage, unsupportedTiff } from "./page.ts";
import { referenceOf } from "./ycbcr.ts";

const ICC_PROFILE = 34_675;
const JPEG_TABLES = 347;
const [INTERCHANGE, INTERCHANGE_BYTES, RESTART_INTERVAL, Q_TABLES, DC_TABLES, AC_TABLES] = [
  513, 514, 515, 519, 520, 521,
];
/** Maximum number of strips or tiles of a page, each of which becomes an image. */
const MAX_PARTS = 20_000;
const [RGB_TRANSFORM, YCBCR_TRANSFORM] = [0, 1];

/** @throws EngineFailure `unsupported`, or `damaged` if no JPEG is valid */
export function jpegParts(page: TiffPage): ImagePart[] {
  if (page.isPlanar) throw unsupportedJpeg("TIFF of JPEGs of the old kind in planes");
  const coded = codedSegments(page);
  const sound = coded.filter(({ picture }) => picture !== undefined);
  if (sound.length === 0) throw new EngineFailure("damaged", "a TIFF without a valid JPEG");
  if (page.across === 1 && sound.length === page.down) {
    const pictures = sound.map(({ picture }) => picture!);
    const data = page.down === 1 ? undefined : joinJpegs(pictures, page.height, transformOf(page, pictures[0]!));
    if (data) return [{ x: 0, y: 0, image: imageOf(page, pictures[0]!, page.height, () => data) }];
  }
  if (sound.length > MAX_PARTS) throw new EngineFailure("too-complex", `a TIFF of ${sound.length} JPEGs`);
  return sound.map(({ picture, x, y }) => ({
    x,
    y,
    image: imageOf(page, picture!, frameHeight(picture!), () => completeJpeg(picture!, transformOf(page, picture!))),
  }));
}

interface Segment {
  readonly x: number;
  readonly y: number;
  readonly picture: CodedPicture | undefined;
}

function codedSegments(page: TiffPage): Segment[] {
  const { across, segmentWidth, segmentHeight } = page;
  const interchange = hasNewJpegs(page) ? undefined : interchangePicture(page);
  if (interchange) return [{ x: 0, y: 0, picture: interchange }];
  const tables = sharedTables(page);
  return Array.from({ length: segmentCount(page) }, (_, index) => ({
    x: (index % across) * segmentWidth,
    y: Math.floor(index / across) * segmentHeight,
    picture: codedSegment(page, tables, index),
  }));
}

/** Reports whether the page's JPEGs follow the technical note instead of section 22. */
export const hasNewJpegs = ({ compression }: TiffPage): boolean => compression === COMPRESSION.jpeg;

export function sharedTables(page: TiffPage): CodingTables {
  if (!hasNewJpegs(page)) return oldTables(page);
  const shared = page.directory.bytes(JPEG_TABLES);
  return shared ? readTables(shared) : {};
}

/** @returns undefined if there is no image */
export function codedSegment(page: TiffPage, tables: CodingTables, index: number): CodedPicture | undefined {
  const bytes = segmentBytes(page, index);
  const hasHead = bytes[0] === 0xff && bytes[1] === MARKERS.SOI;
  const picture = hasNewJpegs(page) || hasHead ? readCoded(bytes, tables) : codedOf(bytes, tables);
  return picture && frameWidth(picture) > 0 && frameHeight(picture) > 0 ? picture : undefined;
}

/** Reads the old form: a whole JPEG. The offsets of the strips only point into it. */
function interchangePicture(page: TiffPage): CodedPicture | undefined {
  const { directory, file, width, height } = page;
  const offset = directory.number(INTERCHANGE) ?? 0;
  if (offset < 8 || offset >= file.bytes.length) return undefined;
  const last = segmentBytes(page, segmentCount(page) - 1);
  // The last strip can extend beyond the stated length.
  const lastEnd = last.byteOffset - file.bytes.byteOffset + last.length;
  const end = Math.max(offset + (directory.number(INTERCHANGE_BYTES) ?? 0), segmentCount(page) === 1 ? lastEnd : 0);
  const picture = readCoded(file.bytes.subarray(offset, Math.min(end, file.bytes.length)), {});
  const isWhole = picture && frameWidth(picture) >= width && frameHeight(picture) >= height && picture.codes.length > 0;
  return isWhole ? picture : undefined;
}

/**
 * Reads tables by their offsets, or the tables of a JPEG without scans (section 22); the frame and the scan header are
 * derived from TIFF fields.
 */
function oldTables(page: TiffPage): CodingTables {
  const { directory, file } = page;
  const offset = directory.number(INTERCHANGE) ?? 0;
  const found = offset >= 8 && offset < file.bytes.length ? readTables(file.bytes.subarray(offset)) : {};
  const interval = directory.number(RESTART_INTERVAL) ?? found.restartInterval ?? 0;
  if (found.tables?.length)
    return { ...framed(page), ...found, ...segmentFrame(page, found), restartInterval: interval };
  const at = (tag: number, index: number, size: number) => {
    const start = directory.number(tag, index) ?? file.bytes.length;
    return file.bytes.subarray(start, start + size);
  };
  const tables: Uint8Array[] = [];
  for (let index = 0; index < Math.min(4, directory.count(Q_TABLES)); index++) {
    tables.push(Uint8Array.of(0xff, MARKERS.DQT, 0, 67, index, ...at(Q_TABLES, index, 64)));
  }
  for (const [kind, tag] of [DC_TABLES, AC_TABLES].entries()) {
    for (let index = 0; index < Math.min(4, directory.count(tag)); index++) {
      const counts = at(tag, index, 16);
      const table = at(tag, index, 16 + counts.reduce((sum, count) => sum + count, 0));
      const size = table.length + 3;
      tables.push(Uint8Array.of(0xff, MARKERS.DHT, size >> 8, size & 255, kind * 16 + index, ...table));
    }
  }
  return { ...framed(page), tables, restartInterval: interval };
}

/**
 * Returns the frame of a segment. A JPEG without scans can have the frame of the whole image, but each strip is coded
 * separately.
 */
function segmentFrame({ segmentWidth: width, segmentHeight: height }: TiffPage, { frame }: CodingTables): CodingTables {
  if (!frame) return {};
  const own = frame.slice();
  own.set([height >> 8, height & 255, width >> 8, width & 255], 5);
  return { frame: own };
}

function framed(page: TiffPage): Pick<CodingTables, "frame" | "scan"> {
  const { segmentWidth: width, segmentHeight: height, colors, subsampling, directory } = page;
  const [h, v] = subsampling;
  // If there are fewer tables than components, the last table applies to the remaining components.
  const table = (tag: number, index: number) => Math.min(index, Math.max(0, directory.count(tag) - 1), 3);
  const components = [...Array(colors).keys()];
  const described = components.flatMap((index) => [index + 1, index === 0 ? h * 16 + v : 0x11, table(Q_TABLES, index)]);
  const sides = [height >> 8, height & 255, width >> 8, width & 255];
  const chosen = components.flatMap((index) => [index + 1, table(DC_TABLES, index) * 16 + table(AC_TABLES, index)]);
  return {
    frame: Uint8Array.of(0xff, MARKERS.SOF0, 0, 8 + 3 * colors, 8, ...sides, colors, ...described),
    scan: Uint8Array.of(0xff, MARKERS.SOS, 0, 6 + 2 * colors, colors, ...chosen, 0, 63, 0),
  };
}

/** Returns the color transform to state in the JPEG, because decoders cannot see the TIFF field. */
export function transformOf({ photometric }: TiffPage, picture: CodedPicture): number | undefined {
  const isInk = photometric === PHOTOMETRIC.inks;
  if (frameComponents(picture) === 3) return photometric === PHOTOMETRIC.rgb ? RGB_TRANSFORM : YCBCR_TRANSFORM;
  if (frameComponents(picture) !== 4) return undefined;
  return isInk ? picture.transform : RGB_TRANSFORM;
}

function imageOf(page: TiffPage, picture: CodedPicture, height: number, data: ImageXObject["data"]): ImageXObject {
  const components = frameComponents(picture) as 1 | 3 | 4;
  const { photometric, directory } = page;
  const isRgb = photometric === PHOTOMETRIC.rgb || photometric === PHOTOMETRIC.ycbcr;
  const isKnown =
    components === page.colors &&
    (isRgb || photometric <= PHOTOMETRIC.blackIsZero || photometric === PHOTOMETRIC.inks) &&
    page.samples === page.colors;
  if (!isKnown) throw unsupportedTiff(`of JPEGs with ${photometricName(photometric)}`);
  const decode = decodeOf(page);
  return {
    width: frameWidth(picture),
    height,
    bitsPerComponent: 8,
    colorSpace: profiledSpace(directory.bytes(ICC_PROFILE), components),
    filter: "DCTDecode",
    ...(decode ? { decode } : {}),
    data,
  };
}

/**
 * Returns a Decode array that inverts white-is-zero samples, or applies a reference black and white other than 0 and
 * 255, which JPEG decoders ignore.
 */
function decodeOf(page: TiffPage): number[] | undefined {
  if (page.photometric === PHOTOMETRIC.whiteIsZero) return [1, 0];
  if (page.photometric !== PHOTOMETRIC.ycbcr) return undefined;
  const [black, white] = referenceOf(page);
  if (black === 0 && white === 255) return undefined;
  const range = [-black! / (white! - black!), (255 - black!) / (white! - black!)];
  return [...range, ...range, ...range];
}
