// Writes the marker segments before the scan of a baseline JPEG (ITU-T T.81 annex B, JFIF 1.02, Adobe's APP14, ICC.1
// annex B.4).
import type { HuffmanTables } from "./entropy/huffman.ts";
import { MARKERS, START_OF_IMAGE } from "./markers.ts";
import { ZIGZAG } from "./tables.ts";

/** How samples are converted to components. */
export type JpegKind = "gray" | "ycbcr-444" | "ycbcr-420" | "cmyk";

const { SOF0, DHT, SOS, DQT, APP0, APP1, APP2, APP14 } = MARKERS;

/** Maximum profile bytes in one APP2 segment: 65535 minus length, signature, number and count (ICC.1 annex B.4). */
const ICC_CHUNK = 65519;
const ICC_MAX_CHUNKS = 255;

interface Component {
  readonly id: number;
  /** Horizontal sampling factor in the high four bits, vertical in the low four bits. */
  readonly sampling: number;
  /** Number of the quantization table and the Huffman tables: 0 or 1. */
  readonly table: number;
}

const component = (id: number, sampling: number, table: number): Component => ({ id, sampling, table });
/** Returns the bytes of an ASCII text. */
export const ascii = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
const uint16 = (value: number): [number, number] => [value >> 8, value & 0xff];

// JFIF 1.02 numbers its components. CMYK uses letters, which no reader mistakes for YCbCr.
const COMPONENTS: Readonly<Record<JpegKind, readonly Component[]>> = {
  gray: [component(1, 0x11, 0)],
  "ycbcr-444": [component(1, 0x11, 0), component(2, 0x11, 1), component(3, 0x11, 1)],
  "ycbcr-420": [component(1, 0x22, 0), component(2, 0x11, 1), component(3, 0x11, 1)],
  cmyk: Array.from(ascii("CMYK"), (id) => component(id, 0x11, 0)),
};

interface JpegHeader {
  readonly kind: JpegKind;
  /** Width and height in pixels, 1 to 65535. */
  readonly width: number;
  readonly height: number;
  /** Dots per inch, horizontally and vertically. */
  readonly dpi: number;
  /** Luminance and chrominance, 64 steps each, row by row. */
  readonly quantizers: readonly [Uint8Array, Uint8Array];
  readonly huffmanTables: HuffmanTables;
  readonly iccProfile: Uint8Array | undefined;
}

/** Returns a marker segment with its length. */
export function segment(marker: number, ...parts: readonly ArrayLike<number>[]): Uint8Array {
  const length = parts.reduce((sum, part) => sum + part.length, 2);
  const bytes = new Uint8Array(2 + length);
  bytes.set([0xff, marker, ...uint16(length)]);
  let at = 4;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the JFIF 1.02 segment: units 1, dots per inch; no thumbnail. */
function jfif(dpi: number): Uint8Array {
  return segment(APP0, ascii("JFIF\0"), [1, 2, 1, ...uint16(dpi), ...uint16(dpi), 0, 0]);
}

/**
 * Returns an Exif segment. JFIF allows only gray and YCbCr, so CMYK stores its resolution in Exif, as Photoshop does: a
 * minimal big-endian TIFF 6.0 directory with XResolution, YResolution (rationals after the directory) and
 * ResolutionUnit 2, inches.
 */
function exif(dpi: number): Uint8Array {
  const SHORT = 3;
  const RATIONAL = 5;
  const rationalAt = 50;
  const tiff = new DataView(new ArrayBuffer(66));
  tiff.setUint32(0, 0x4d4d002a);
  tiff.setUint32(4, 8);
  tiff.setUint16(8, 3);
  const entries = [
    [0x011a, RATIONAL, rationalAt],
    [0x011b, RATIONAL, rationalAt + 8],
    [0x0128, SHORT, 2 << 16],
  ] as const;
  entries.forEach(([tag, type, value], index) => {
    const at = 10 + 12 * index;
    tiff.setUint16(at, tag);
    tiff.setUint16(at + 2, type);
    tiff.setUint32(at + 4, 1);
    tiff.setUint32(at + 8, value);
  });
  for (const at of [rationalAt, rationalAt + 8]) {
    tiff.setUint32(at, dpi);
    tiff.setUint32(at + 4, 1);
  }
  return segment(APP1, ascii("Exif\0\0"), new Uint8Array(tiff.buffer));
}

/**
 * Returns Adobe's segment (technical note 5116): version 100, no flags, and transform 0, which means CMYK. Its samples
 * are inverted, as in Adobe's programs.
 */
function adobe(): Uint8Array {
  return segment(APP14, ascii("Adobe"), [0, 100, 0, 0, 0, 0, 0]);
}

function* icc(profile: Uint8Array): Generator<Uint8Array> {
  const count = Math.ceil(profile.length / ICC_CHUNK);
  if (count > ICC_MAX_CHUNKS) throw new RangeError(`An ICC profile of ${profile.length} bytes does not fit in a JPEG`);
  for (let index = 0; index < count; index++) {
    const part = profile.subarray(index * ICC_CHUNK, (index + 1) * ICC_CHUNK);
    yield segment(APP2, ascii("ICC_PROFILE\0"), [index + 1, count], part);
  }
}

/** Returns everything from SOI to SOS. @throws RangeError if the profile is too large for APP2 */
export function jpegHeader({
  kind,
  width,
  height,
  dpi,
  quantizers,
  huffmanTables,
  iccProfile,
}: JpegHeader): Uint8Array {
  const components = COMPONENTS[kind];
  const tables = [...new Set(components.map(({ table }) => table))];
  const density = Math.min(0xffff, Math.max(1, Math.round(dpi)));
  const segments = [
    START_OF_IMAGE,
    ...(kind === "cmyk" ? [exif(density), adobe()] : [jfif(density)]),
    ...(iccProfile ? icc(iccProfile) : []),
    ...tables.map((table) =>
      segment(
        DQT,
        [table],
        Array.from(ZIGZAG, (position) => quantizers[table]![position]!),
      ),
    ),
    segment(
      SOF0,
      [8, ...uint16(height), ...uint16(width), components.length],
      components.flatMap(({ id, sampling, table }) => [id, sampling, table]),
    ),
    ...tables.flatMap((table) =>
      [0, 1].map((acOrDc) => {
        const { lengths, symbols } = huffmanTables[2 * table + acOrDc]!;
        return segment(DHT, [(acOrDc << 4) | table], lengths, symbols);
      }),
    ),
    segment(
      SOS,
      [components.length],
      components.flatMap(({ id, table }) => [id, (table << 4) | table]),
      [0, 63, 0],
    ),
  ];
  const header = new Uint8Array(segments.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of segments) {
    header.set(part, at);
    at += part.length;
  }
  return header;
}
