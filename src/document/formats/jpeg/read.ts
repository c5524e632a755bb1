// Reads JPEG (ISO/IEC 10918-1, T.81) as a PDF image: reads only the markers, and embeds the file unchanged if PDF
// supports its coding.

import { ByteReader } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import type { Input } from "../../contract/operation.ts";
import type { JpegFrame } from "../../engines/mupdf/jpeg.ts";
import { type ExifInfo, readExif } from "../exif/exif.ts";
import { MAX_PROFILE_BYTES } from "../icc/header.ts";
import { flateImage, type Rows } from "../to-pdf/image-data.ts";
import { type Density, type ImagePage, inverted } from "../to-pdf/image-page.ts";
import { densityOfAspect, saneDensity } from "../to-pdf/page-size.ts";
import { profiledSpace } from "../to-pdf/profiled-space.ts";
import { checkFrame, isArithmetic, type OpenJpegDecoder, unsupportedJpeg } from "./frame.ts";
import { adobeTransform, beginsWith, END_OF_IMAGE, isFrame, isJfif, MARKERS, readSegmentFrom } from "./markers.ts";

const { SOI, EOI, SOS, APP1, APP2 } = MARKERS;
/** Maximum bytes before the first scan: 255 segments of a profile, thumbnails, comments. */
const MAX_HEAD_BYTES = 64 * 2 ** 20;

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly components: 1 | 3 | 4;
  /** Component identifiers. */
  readonly ids: readonly number[];
  readonly isArithmetic: boolean;
}

interface JpegHead extends Frame {
  /** Color transform in Adobe's marker (5116.DCT_Filter, section 18), if present. */
  readonly adobeTransform?: number;
  readonly hasJfif: boolean;
  /** Offset after the marker of the first scan. */
  readonly scanStart: number;
  readonly seen?: ExifInfo;
  readonly density?: Density;
  readonly profile?: Uint8Array;
}

/**
 * @throws EngineFailure `damaged` if there is no image, `unsupported` for JPEGs that the service cannot decode: 12
 * bits, lossless, hierarchical, two components
 */
export async function readJpeg(input: Input, openDecoder: OpenJpegDecoder): Promise<ImagePage> {
  const head = await readHead(input);
  const { width, height, components, adobeTransform } = head;
  // Without Adobe's marker, DCTDecode treats three components as YCbCr, but other decoders treat them as RGB if the
  // component IDs are R, G and B.
  const isPlainRgb = adobeTransform === undefined && !head.hasJfif && String.fromCharCode(...head.ids) === "RGB";
  const density = head.density ?? head.seen?.density;
  const about = {
    width,
    height,
    bitsPerComponent: 8,
    colorSpace: profiledSpace(head.profile, components),
    // Adobe's programs, and other programs that write Adobe's marker, store inks inverted.
    ...(components === 4 && adobeTransform !== undefined ? { decode: inverted(4) } : {}),
  } as const;
  const transform = isPlainRgb ? { transform: 0 } : {};
  return {
    width,
    height,
    orientation: head.seen?.orientation ?? 1,
    ...(density ? { density } : {}),
    parts: [
      {
        x: 0,
        y: 0,
        image: head.isArithmetic
          ? flateImage({ ...about, components, rows: await decodeRows(input, { ...head, ...transform }, openDecoder) })
          : {
              ...about,
              filter: "DCTDecode",
              ...(isPlainRgb ? { decodeParms: "<</ColorTransform 0>>" } : {}),
              data: () => completeFile(input, head.scanStart),
            },
      },
    ],
  };
}

async function decodeRows(input: Input, frame: JpegFrame, openDecoder: OpenJpegDecoder): Promise<() => Rows> {
  const decoder = await openDecoder();
  const samples = decoder.decode(await input.bytes(), frame);
  if (!samples) throw new EngineFailure("damaged", "a JPEG that cannot be decoded");
  return () => [samples];
}

/**
 * Yields the file. Appends EOI if the file is truncated, because decoders wait for EOI.
 * @param scanStart offset of the first scan's header
 */
async function* completeFile(input: Input, scanStart: number): AsyncGenerator<Uint8Array> {
  let position = 0;
  let hasEnd = false;
  let before = 0;
  for await (const chunk of input.stream()) {
    // Thumbnails before the scan contain their own EOI.
    const start = Math.max(0, scanStart - position);
    if (start === 0 && before === 0xff && chunk[0] === EOI) hasEnd = true;
    for (let at = chunk.indexOf(EOI, Math.max(1, start)); at > 0 && !hasEnd; at = chunk.indexOf(EOI, at + 1)) {
      hasEnd = chunk[at - 1] === 0xff;
    }
    if (chunk.length > 0) before = chunk.at(-1)!;
    position += chunk.length;
    yield chunk;
  }
  if (!hasEnd) yield END_OF_IMAGE;
}

async function readHead(input: Input): Promise<JpegHead> {
  await using reader = new ByteReader(input.stream());
  const start = await reader.read(2);
  if (start?.[0] !== 0xff || start[1] !== SOI) throw new EngineFailure("damaged", "no JPEG");
  const profile = new ProfilePieces();
  let frame: Frame | undefined;
  let transform: number | undefined;
  let hasJfif = false;
  let density: Density | undefined;
  let seen: ExifInfo | undefined;
  for (;;) {
    if (reader.position > MAX_HEAD_BYTES)
      throw new EngineFailure("too-complex", "a JPEG with too many segments before its scan");
    const segment = await readSegmentFrom(reader);
    if (!segment || segment.marker === EOI) throw new EngineFailure("damaged", "a JPEG without a scan");
    const { marker, data } = segment;
    if (!data) throw new EngineFailure("damaged", "a JPEG that ends before its scan");
    if (marker === SOS) break;
    if (isJfif(segment)) {
      hasJfif = true;
      density ??= jfifDensity(data);
    } else if (marker === APP1 && beginsWith(data, "Exif\0")) {
      seen ??= readExif(data.subarray(6));
    } else if (marker === APP2 && beginsWith(data, "ICC_PROFILE\0")) {
      profile.add(data.subarray(12));
    } else if (isFrame(marker)) {
      frame ??= readFrame(marker, data);
    }
    transform = adobeTransform(segment) ?? transform;
  }
  if (!frame) throw new EngineFailure("damaged", "a JPEG without a frame");
  return {
    ...frame,
    hasJfif,
    scanStart: reader.position,
    ...(transform === undefined ? {} : { adobeTransform: transform }),
    ...(seen ? { seen } : {}),
    ...(density ? { density } : {}),
    ...profile.whole(),
  };
}

/** Reads a frame (T.81 B.2.2). */
function readFrame(marker: number, segment: Uint8Array): Frame {
  if (segment.length < 6) throw new EngineFailure("damaged", "a JPEG with an incomplete frame header");
  checkFrame(marker, segment[0]!);
  const components = segment[5];
  if (components !== 1 && components !== 3 && components !== 4)
    throw unsupportedJpeg(`JPEG with ${components} components`);
  const height = segment[1]! * 256 + segment[2]!;
  const width = segment[3]! * 256 + segment[4]!;
  if (width === 0) throw new EngineFailure("damaged", "a JPEG without width");
  // The number of lines can follow the first scan (B.2.5), which decoders do not support.
  if (height === 0) throw unsupportedJpeg("JPEG whose height comes after its codes");
  if (segment.length < 6 + 3 * components) throw new EngineFailure("damaged", "a JPEG with an incomplete frame header");
  const ids = Array.from({ length: components }, (_, index) => segment[6 + 3 * index]!);
  return { width, height, components, ids, isArithmetic: isArithmetic(marker) };
}

/**
 * Returns the density of JFIF 1.02. Unit 1: dots per inch. Unit 2: dots per centimeter. Unit 0: only the pixel aspect
 * ratio.
 */
function jfifDensity(segment: Uint8Array): Density | undefined {
  const [x, y] = [segment[8]! * 256 + segment[9]!, segment[10]! * 256 + segment[11]!];
  switch (segment[7]) {
    case 1:
      return saneDensity(x, y);
    case 2:
      return saneDensity(x * 2.54, y * 2.54);
    default:
      return densityOfAspect(x, y);
  }
}

/** Collects the segments of a profile. Each states its number, from 1, and the total (ICC.1 annex B.4). */
class ProfilePieces {
  readonly #pieces = new Map<number, Uint8Array>();
  #count = 0;
  #size = 0;

  add(piece: Uint8Array): void {
    if (piece.length < 2 || this.#pieces.has(piece[0]!)) return;
    this.#count = Math.max(this.#count, piece[1]!);
    this.#size += piece.length - 2;
    if (this.#size <= MAX_PROFILE_BYTES) this.#pieces.set(piece[0]!, piece.slice(2));
  }

  /** Returns the profile; undefined if a segment is missing. */
  whole(): { profile?: Uint8Array } {
    const pieces = Array.from({ length: this.#count }, (_, index) => this.#pieces.get(index + 1));
    if (pieces.length === 0 || pieces.includes(undefined) || this.#size > MAX_PROFILE_BYTES) return {};
    const profile = new Uint8Array(this.#size);
    let at = 0;
    for (const piece of pieces) {
      profile.set(piece!, at);
      at += piece!.length;
    }
    return { profile: profile.subarray(0, at) };
  }
}
