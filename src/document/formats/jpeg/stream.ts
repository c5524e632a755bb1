// Splits a JPEG and reassembles it without decoding (T.81, annex B), for TIFF, which stores tables separately and codes
// each strip separately.
import { EngineFailure } from "../../contract/failure.ts";
import { checkFrame, unsupportedJpeg } from "./frame.ts";
import {
  adobeTransform,
  END_OF_IMAGE,
  endOfCodes,
  isFrame,
  isRestart,
  MARKERS,
  readSegment,
  START_OF_IMAGE,
} from "./markers.ts";

const { SOF1, DHT, DAC, RST0, EOI, SOS, DQT, DRI, APP14 } = MARKERS;
const MAX_INTERVAL = 65_535;

export interface CodedPicture {
  /** The frame segment with its marker, at least its first 10 bytes. */
  readonly frame: Uint8Array;
  /** Table segments with their markers. */
  readonly tables: readonly Uint8Array[];
  /** Restart interval in MCUs; 0 for none. */
  readonly restartInterval: number;
  /** Color transform in Adobe's marker. */
  readonly transform?: number;
  /** Header of the first scan. */
  readonly scan: Uint8Array;
  /** Data of the first scan, up to the next marker other than a restart marker. */
  readonly codes: Uint8Array;
  /** The bytes after `codes`: further scans, or empty. */
  readonly rest: Uint8Array;
}

export const frameWidth = ({ frame }: CodedPicture): number => frame[7]! * 256 + frame[8]!;
export const frameHeight = ({ frame }: CodedPicture): number => frame[5]! * 256 + frame[6]!;
export const frameComponents = ({ frame }: CodedPicture): number => frame[9]!;

/** Coding parameters stored once for all images. */
export type CodingTables = Partial<Pick<CodedPicture, "tables" | "restartInterval" | "frame" | "scan">>;

/** @returns the parameters that are present before the first scan */
export function readTables(bytes: Uint8Array): CodingTables {
  const { tables, restartInterval, frame, scan } = walk(bytes);
  return { tables, restartInterval, ...(frame ? { frame } : {}), ...(scan ? { scan } : {}) };
}

/**
 * @param before tables that a decoder has already read
 * @returns undefined if there is no image
 */
export function readCoded(bytes: Uint8Array, before: CodingTables): CodedPicture | undefined {
  const { tables, restartInterval, frame, scan, transform, codesStart } = walk(bytes);
  if (!frame || !scan) return undefined;
  const end = endOfCodes(bytes, codesStart);
  const rest = bytes.subarray(end);
  return {
    frame,
    scan,
    tables: [...(before.tables ?? []), ...tables],
    restartInterval: restartInterval || (before.restartInterval ?? 0),
    ...(transform === undefined ? {} : { transform }),
    codes: bytes.subarray(codesStart, end),
    rest: rest[1] === EOI ? rest.subarray(0, 0) : rest,
  };
}

/** Returns an image from bare entropy-coded data, whose parameters are stored elsewhere. */
export function codedOf(bytes: Uint8Array, tables: CodingTables): CodedPicture | undefined {
  const { frame, scan } = tables;
  if (!frame || !scan || bytes.length === 0) return undefined;
  const codes = bytes.subarray(0, endOfCodes(bytes, 0));
  return {
    frame,
    scan,
    tables: tables.tables ?? [],
    restartInterval: tables.restartInterval ?? 0,
    codes,
    rest: bytes.subarray(0, 0),
  };
}

interface Walked {
  readonly tables: Uint8Array[];
  readonly restartInterval: number;
  readonly frame?: Uint8Array;
  readonly scan?: Uint8Array;
  readonly transform?: number;
  readonly codesStart: number;
}

/** Reads the marker segments up to the first scan. */
function walk(bytes: Uint8Array): Walked {
  const tables: Uint8Array[] = [];
  let restartInterval = 0;
  let frame: Uint8Array | undefined;
  let transform: number | undefined;
  const found = () => ({
    tables,
    restartInterval,
    ...(frame ? { frame } : {}),
    ...(transform === undefined ? {} : { transform }),
  });
  for (let placed = readSegment(bytes, 0); placed?.data; placed = readSegment(bytes, placed.end)) {
    const { marker, data, start, end } = placed;
    const segment = bytes.subarray(start, end);
    if (marker === EOI) break;
    if (marker === SOS) return { ...found(), scan: segment, codesStart: end };
    if (marker === DQT || marker === DHT || marker === DAC) tables.push(segment);
    if (marker === DRI && data.length >= 2) restartInterval = data[0]! * 256 + data[1]!;
    transform = adobeTransform(placed) ?? transform;
    if (isFrame(marker)) frame ??= soundFrame(segment);
  }
  return { ...found(), codesStart: bytes.length };
}

/** @throws EngineFailure `unsupported` */
function soundFrame(segment: Uint8Array): Uint8Array {
  checkFrame(segment[1]!, segment[4] ?? 0);
  const components = segment[9] ?? 0;
  if (components < 1 || components > 4) throw unsupportedJpeg(`JPEG with ${components} components`);
  if (segment.length < 10 + 3 * components)
    throw new EngineFailure("damaged", "a JPEG with an incomplete frame header");
  return segment;
}

/**
 * Returns a complete JPEG.
 * @param transform color transform for Adobe's marker, if needed
 */
export function* completeJpeg(picture: CodedPicture, transform: number | undefined): Generator<Uint8Array> {
  yield* head(picture, picture.frame, picture.restartInterval, transform);
  yield picture.codes;
  yield picture.rest;
  if (picture.rest.at(-2) !== 0xff || picture.rest.at(-1) !== EOI) yield END_OF_IMAGE;
}

function* head(
  { tables, scan }: CodedPicture,
  frame: Uint8Array,
  restartInterval: number,
  transform: number | undefined,
): Generator<Uint8Array> {
  yield START_OF_IMAGE;
  if (transform !== undefined) yield Uint8Array.of(0xff, APP14, 0, 14, ...ADOBE, 0, 100, 0, 0, 0, 0, transform);
  yield* tables;
  yield frame;
  if (restartInterval > 0) yield Uint8Array.of(0xff, DRI, 0, 4, restartInterval >> 8, restartInterval & 255);
  yield scan;
}
const ADOBE = [0x41, 0x64, 0x6f, 0x62, 0x65];

/**
 * Joins vertically adjacent images. Separates them by restart markers, at which decoders reset their state (T.81,
 * E.1.4).
 * @param height height of the joined image
 * @returns undefined if the coding parameters differ
 */
export function joinJpegs(
  pictures: readonly CodedPicture[],
  height: number,
  transform: number | undefined,
): Iterable<Uint8Array> | undefined {
  const [first] = pictures;
  if (!first || height > 65_535) return undefined;
  const interval = commonInterval(pictures);
  if (interval === undefined) return undefined;
  const frame = first.frame.slice();
  frame.set([height >> 8, height & 255], 5);
  return (function* () {
    yield* head(first, frame, interval, transform);
    let restarts = 0;
    for (const [index, { codes, restartInterval }] of pictures.entries()) {
      if (index > 0) yield Uint8Array.of(0xff, RST0 + (restarts++ & 7));
      if (restartInterval === 0) {
        yield codes;
        continue;
      }
      const renumbered = codes.slice();
      for (let at = codes.indexOf(0xff); at >= 0; at = codes.indexOf(0xff, at + 1)) {
        const next = codes[at + 1]!;
        if (isRestart(next)) renumbered[at + 1] = RST0 + (restarts++ & 7);
      }
      yield renumbered;
    }
    yield END_OF_IMAGE;
  })();
}

/** Returns the restart interval of the joined image in MCUs. It divides the MCU count of each image except the last. */
function commonInterval(pictures: readonly CodedPicture[]): number | undefined {
  const first = pictures[0]!;
  const height = frameHeight(first);
  const [across, down] = mcuSides(first);
  const mcus = Math.ceil(frameWidth(first) / across) * (height / down);
  const interval = first.restartInterval || mcus;
  if (first.frame[1]! > SOF1 || !Number.isInteger(mcus / interval) || interval > MAX_INTERVAL) return undefined;
  const isLike = (picture: CodedPicture, index: number) =>
    (frameHeight(picture) === height || index === pictures.length - 1) &&
    picture.rest.length === 0 &&
    picture.restartInterval === first.restartInterval &&
    isSame(withoutHeight(picture.frame), withoutHeight(first.frame)) &&
    isSame(picture.scan, first.scan) &&
    picture.tables.length === first.tables.length &&
    picture.tables.every((table, at) => isSame(table, first.tables[at]!));
  return pictures.every(isLike) ? interval : undefined;
}

/**
 * Returns the sides of an MCU in pixels. With a single component, an MCU is a block, regardless of the sampling factors
 * (T.81, A.2).
 */
function mcuSides(picture: CodedPicture): [number, number] {
  const components = frameComponents(picture);
  if (components === 1) return [8, 8];
  const factors = Array.from({ length: components }, (_, index) => picture.frame[11 + 3 * index]!);
  return [8 * Math.max(...factors.map((factor) => factor >> 4)), 8 * Math.max(...factors.map((factor) => factor & 15))];
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

const withoutHeight = (frame: Uint8Array) => frame.with(5, 0).with(6, 0);
