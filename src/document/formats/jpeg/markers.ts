// Reads markers and marker segments of JPEG (ITU-T T.81, B.1.1), in memory or in a stream. Interprets the segments that
// define the components (JFIF 1.02, Adobe's 5116.DCT_Filter).
import type { ByteReader } from "../../contract/byte-reader.ts";

/** Marker codes (table B.1). */
export const MARKERS = {
  TEM: 0x01,
  SOF0: 0xc0,
  SOF1: 0xc1,
  SOF2: 0xc2,
  SOF3: 0xc3,
  DHT: 0xc4,
  JPG: 0xc8,
  SOF9: 0xc9,
  SOF10: 0xca,
  SOF11: 0xcb,
  DAC: 0xcc,
  SOF15: 0xcf,
  RST0: 0xd0,
  RST7: 0xd7,
  SOI: 0xd8,
  EOI: 0xd9,
  SOS: 0xda,
  DQT: 0xdb,
  DNL: 0xdc,
  DRI: 0xdd,
  APP0: 0xe0,
  APP1: 0xe1,
  APP2: 0xe2,
  APP14: 0xee,
} as const;

export const START_OF_IMAGE = Uint8Array.of(0xff, MARKERS.SOI);
export const END_OF_IMAGE = Uint8Array.of(0xff, MARKERS.EOI);

const { TEM, SOF0, DHT, JPG, DAC, SOF15, RST0, RST7, SOI, EOI } = MARKERS;
/**
 * Maximum number of stray bytes before a marker, including fill bytes. Valid files have none; some programs write a
 * few.
 */
const MAX_STRAY_BYTES = 65_536;
/** Minimum size of JFIF's APP0, whose thumbnail can be empty, and of Adobe's APP14. */
const JFIF_BYTES = 14;
const ADOBE_BYTES = 12;

/** Reports whether a marker starts a frame. The codes of DHT, JPG and DAC are in the same range (table B.1). */
export const isFrame = (marker: number): boolean =>
  marker >= SOF0 && marker <= SOF15 && marker !== DHT && marker !== JPG && marker !== DAC;
export const isRestart = (code: number): boolean => code >= RST0 && code <= RST7;
/** Reports whether a marker has no segment (B.1.1.3). */
const isStandalone = (marker: number): boolean => isRestart(marker) || marker === SOI || marker === TEM;

export interface MarkerSegment {
  readonly marker: number;
  /** Contents after the length, empty for EOI; undefined if the segment is truncated or its length is below 2. */
  readonly data: Uint8Array | undefined;
}

export interface PlacedSegment extends MarkerSegment {
  /** Offset of the marker's 0xff. */
  readonly start: number;
  /** Offset after the segment, or after the marker if the segment is incomplete. */
  readonly end: number;
}

/** Searches for EOI or a marker with a segment, byte by byte: one or more 0xff and a code (B.1.1.2). */
class MarkerSearch {
  #isMarked = false;
  #bytes = 0;

  /** @returns the marker that this byte completes */
  take(byte: number): number | undefined {
    const isCode = this.#isMarked && byte !== 0 && byte !== 0xff;
    this.#isMarked = byte === 0xff;
    this.#bytes++;
    return isCode && !isStandalone(byte) ? byte : undefined;
  }

  get isOver(): boolean {
    return this.#bytes >= MAX_STRAY_BYTES;
  }
}

/** @returns the next segment, or EOI; undefined if there is none within the allowed stray bytes */
export function readSegment(bytes: Uint8Array, from: number): PlacedSegment | undefined {
  const search = new MarkerSearch();
  for (let at = from; at < bytes.length && !search.isOver; at++) {
    const marker = search.take(bytes[at]!);
    if (marker !== undefined) return segmentAt(bytes, marker, at + 1);
  }
  return undefined;
}

function segmentAt(bytes: Uint8Array, marker: number, at: number): PlacedSegment {
  const start = at - 2;
  if (marker === EOI) return { marker, start, end: at, data: bytes.subarray(at, at) };
  const length = at + 2 <= bytes.length ? bytes[at]! * 256 + bytes[at + 1]! : 0;
  const end = at + length;
  if (length < 2 || end > bytes.length) return { marker, start, end: at, data: undefined };
  return { marker, start, end, data: bytes.subarray(at + 2, end) };
}

/** Like `readSegment`, for a stream. The contents are valid until the next call. */
export async function readSegmentFrom(reader: ByteReader): Promise<MarkerSegment | undefined> {
  const search = new MarkerSearch();
  while (!search.isOver) {
    const byte = (await reader.read(1))?.[0];
    if (byte === undefined) return undefined;
    const marker = search.take(byte);
    if (marker === EOI) return { marker, data: new Uint8Array(0) };
    if (marker !== undefined) return { marker, data: await readData(reader) };
  }
  return undefined;
}

async function readData(reader: ByteReader): Promise<Uint8Array | undefined> {
  const length = await reader.read(2);
  const size = length ? length[0]! * 256 + length[1]! : 0;
  return size >= 2 ? reader.read(size - 2) : undefined;
}

/** Returns the end of a scan's data: the offset of the next marker other than a restart marker (B.1.1.5). */
export function endOfCodes(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1];
    if (next === undefined) return at;
    if (next !== 0 && next !== 0xff && !isRestart(next)) return at;
  }
  return bytes.length;
}

export const isJfif = ({ marker, data }: MarkerSegment): boolean =>
  marker === MARKERS.APP0 && data !== undefined && data.length >= JFIF_BYTES && beginsWith(data, "JFIF\0");

/** Returns the color transform in Adobe's marker: 0 for none, 1 for YCbCr, 2 for YCCK. */
export function adobeTransform({ marker, data }: MarkerSegment): number | undefined {
  const isAdobe = marker === MARKERS.APP14 && data !== undefined && data.length >= ADOBE_BYTES;
  return isAdobe && beginsWith(data, "Adobe") ? data[11] : undefined;
}

export function beginsWith(bytes: Uint8Array, text: string): boolean {
  return bytes.length >= text.length && Array.from(text).every((letter, at) => bytes[at] === letter.charCodeAt(0));
}
