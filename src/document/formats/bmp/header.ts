// Reads the headers of BMP, from the 12-byte header of OS/2 to the 124-byte header of Windows (version 5).

import { ByteReader } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { Input } from "../../contract/operation.ts";
import { MAX_PROFILE_BYTES } from "../icc/header.ts";
import { calibratedRgb } from "../to-pdf/calibrated.ts";
import { MAX_SAMPLE_BYTES } from "../to-pdf/image-data.ts";
import { type ColorSpace, type Density, RGB } from "../to-pdf/image-page.ts";
import { saneDensity } from "../to-pdf/page-size.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";

const FILE_HEADER_BYTES = 14;
const CORE_BYTES = 12;
const INFO_BYTES = 40;
const [V3_BYTES, V4_BYTES, V5_BYTES] = [56, 108, 124];
const OS2_BYTES = 64;
const MAX_HEADER_BYTES = 1024;
const METERS_PER_INCH = 0.0254;
const DEPTHS: ReadonlySet<number> = new Set([1, 2, 4, 8, 16, 24, 32]);
const EMBEDDED = 0x4d424544;
const CALIBRATED = 0;

export type BmpCoding = "plain" | "rle4" | "rle8" | "rle24" | "jpeg" | "png";

/** The bit mask of each color in a pixel; 0 for an absent color. */
export interface BitMasks {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
  readonly alpha: number;
}

export interface BmpHeader {
  readonly width: number;
  readonly height: number;
  readonly isTopDown: boolean;
  readonly bits: number;
  readonly coding: BmpCoding;
  /** Masks of 16-bit and 32-bit pixels. */
  readonly masks: BitMasks;
  /** 3 bytes (red, green, blue) for each possible pixel value. Colors missing from the file are black. */
  readonly palette: Uint8Array;
  readonly colorSpace: ColorSpace;
  /** Offset of the pixels in the file. */
  readonly dataOffset: number;
  readonly density?: Density;
}

/** @throws EngineFailure */
export async function readBmpHeader(input: Input): Promise<BmpHeader> {
  await using reader = new ByteReader(input.stream());
  const head = (await reader.read(FILE_HEADER_BYTES + 4))?.slice();
  if (head?.[0] !== 0x42 || head[1] !== 0x4d) throw new EngineFailure("damaged", "no BMP");
  const size = viewOf(head).getUint32(FILE_HEADER_BYTES, true);
  if (size !== CORE_BYTES && (size < 16 || size > MAX_HEADER_BYTES)) throw senseless();
  const rest = await reader.read(size - 4);
  if (!rest) throw senseless();
  // Fields missing from a shorter header are zero.
  const bytes = new Uint8Array(Math.max(size, V5_BYTES));
  bytes.set(rest, 4);
  const view = viewOf(bytes);
  const isCore = size === CORE_BYTES;
  const width = isCore ? view.getUint16(4, true) : view.getInt32(4, true);
  const signedHeight = isCore ? view.getUint16(6, true) : view.getInt32(8, true);
  const height = Math.abs(signedHeight);
  const compression = isCore ? 0 : view.getUint32(16, true);
  const coding = codingOf(compression, size);
  const bits = view.getUint16(isCore ? 10 : 14, true);
  if (width <= 0 || height === 0 || !(DEPTHS.has(bits) || coding === "jpeg" || coding === "png")) throw senseless();
  if (width * height * Math.max(1, bits / 8) > MAX_SAMPLE_BYTES) {
    throw new EngineFailure("too-complex", `a BMP of ${width} x ${height} pixels`);
  }
  const masks = await readMasks(reader, view, size, compression, bits);
  const claimed = viewOf(head).getUint32(10, true);
  const palette = await readPalette(reader, { bits, isCore, used: isCore ? 0 : view.getUint32(32, true), claimed });
  const dataOffset = Math.max(claimed, reader.position);
  const density = saneDensity(view.getInt32(24, true) * METERS_PER_INCH, view.getInt32(28, true) * METERS_PER_INCH);
  return {
    width,
    height,
    isTopDown: signedHeight < 0,
    bits,
    coding,
    masks,
    palette,
    colorSpace: await colorSpaceOf(input, view, size),
    dataOffset,
    ...(density && !isCore ? { density } : {}),
  };
}

const senseless = () => new EngineFailure("damaged", "a BMP with an invalid header");

/** Returns the coding of a compression number. The number 4 means RLE24 in OS/2 version 2, JPEG in Windows. */
function codingOf(compression: number, headerBytes: number): BmpCoding {
  const isOs2 = headerBytes === OS2_BYTES || headerBytes < INFO_BYTES;
  switch (compression) {
    case 0:
      return "plain";
    case 1:
      return "rle8";
    case 2:
      return "rle4";
    case 3:
      if (!isOs2) return "plain";
      break;
    case 4:
      return isOs2 ? "rle24" : "jpeg";
    case 5:
      return "png";
    case 6:
      return "plain";
  }
  throw new EngineFailure("unsupported", `a BMP of compression ${compression}`);
}

/** Reads the masks. They are part of the header from version 2 on, and follow the header of version 1. */
async function readMasks(
  reader: ByteReader,
  view: DataView,
  headerBytes: number,
  compression: number,
  bits: number,
): Promise<BitMasks> {
  const usual = bits === 16 ? [0x7c00, 0x3e0, 0x1f, 0] : [0xff0000, 0xff00, 0xff, 0];
  let values = usual;
  if ((compression === 3 || compression === 6) && (bits === 16 || bits === 32)) {
    if (headerBytes > INFO_BYTES) {
      values = [40, 44, 48, 52].map((at) =>
        at < headerBytes && (at < 52 || headerBytes >= V3_BYTES) ? view.getUint32(at, true) : 0,
      );
    } else {
      const bytes = await reader.read(compression === 6 ? 16 : 12);
      if (!bytes) throw senseless();
      values = [0, 4, 8, 12].map((at) => (at < bytes.length ? viewOf(bytes).getUint32(at, true) : 0));
    }
  }
  if (values.slice(0, 3).every((mask) => mask === 0)) values = usual;
  const [red, green, blue, alpha] = values;
  return { red: red!, green: green!, blue: blue!, alpha: alpha! };
}

async function readPalette(
  reader: ByteReader,
  { bits, isCore, used, claimed }: { bits: number; isCore: boolean; used: number; claimed: number },
): Promise<Uint8Array> {
  if (bits > 8 || bits === 0) return new Uint8Array(0);
  const entryBytes = isCore ? 3 : 4;
  const most = 2 ** bits;
  const palette = new Uint8Array(3 * most);
  const wanted = used > 0 && used < most ? used : most;
  // The palette ends at the pixels, even if its stated length is larger.
  const capacity = claimed >= reader.position ? Math.floor((claimed - reader.position) / entryBytes) : wanted;
  for (let index = 0; index < Math.min(wanted, capacity); index++) {
    const entry = await reader.read(entryBytes);
    if (!entry) break;
    palette.set([entry[2]!, entry[1]!, entry[0]!], 3 * index);
  }
  return palette;
}

async function colorSpaceOf(input: Input, view: DataView, headerBytes: number): Promise<ColorSpace> {
  const kind = view.getUint32(56, true);
  if (headerBytes >= V5_BYTES && kind === EMBEDDED) {
    const [offset, size] = [view.getUint32(112, true), view.getUint32(116, true)];
    return profiledSpace(await readProfile(input, FILE_HEADER_BYTES + offset, size), 3);
  }
  if (headerBytes < V4_BYTES || kind !== CALIBRATED) return RGB;
  // Endpoints are X, Y and Z of each color in fixed point. Gammas have 16 integer and 16 fraction bits.
  const xyz = [0, 1, 2].map((color) => [0, 4, 8].map((at) => view.getUint32(60 + color * 12 + at, true)));
  const chromaticity = ([x, y, z]: number[]) => [x! / (x! + y! + z!), y! / (x! + y! + z!)] as const;
  const white = chromaticity([0, 1, 2].map((axis) => xyz.reduce((sum, color) => sum + color[axis]!, 0)));
  const [red, green, blue] = xyz.map(chromaticity);
  const gamma = view.getUint32(100, true) / 65_536;
  return calibratedRgb(gamma > 0 ? gamma : undefined, { white, red: red!, green: green!, blue: blue! });
}

async function readProfile(input: Input, offset: number, size: number): Promise<Uint8Array | undefined> {
  if (size > MAX_PROFILE_BYTES || offset + size > input.size) return undefined;
  await using reader = new ByteReader(input.stream());
  return (await reader.skip(offset)) ? (await reader.read(size))?.slice() : undefined;
}

const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
