// Reads the structure of a WebP file (RFC 9649): its chunks, dimensions, and the first frame of an animation.

import { EngineFailure } from "../../contract/failure.ts";

const HEADER_BYTES = 12;
const CHUNK_BYTES = 8;
const FRAME_BYTES = 16;
const ANIMATION_FLAG = 0x02;

/** A picture, or the first frame of an animation, and its place on the canvas. */
export interface WebpFile {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly top: number;
  readonly frame: { readonly width: number; readonly height: number };
  /** A file with only the picture. */
  readonly picture: Uint8Array;
  readonly isLossless: boolean;
  /** Number of further frames. */
  readonly furtherFrames: number;
  readonly profile?: Uint8Array;
  readonly exif?: Uint8Array;
}

interface Chunk {
  readonly name: string;
  readonly data: Uint8Array;
}

/** @throws EngineFailure `damaged` if there is no picture */
export function readWebpFile(file: Uint8Array): WebpFile {
  const chunks = [...chunksOf(file.subarray(HEADER_BYTES))];
  const find = (name: string) => chunks.find((chunk) => chunk.name === name)?.data;
  const canvas = find("VP8X");
  const isAnimated = canvas !== undefined && canvas.length >= 10 && (canvas[0]! & ANIMATION_FLAG) !== 0;
  const frames = isAnimated ? chunks.filter(({ name, data }) => name === "ANMF" && data.length > FRAME_BYTES) : [];
  const placed = frames[0] ? frameOf(frames[0].data) : { left: 0, top: 0, chunks };
  const coded = placed.chunks.find(({ name }) => name === "VP8 " || name === "VP8L");
  const frame = coded && sizeOf(coded);
  if (!frame) throw new EngineFailure("damaged", "a WebP without a picture");
  const { left, top } = placed;
  const [width, height] = canvas ? [1 + bits24(canvas, 4), 1 + bits24(canvas, 7)] : [frame.width, frame.height];
  const [profile, exif] = [find("ICCP"), find("EXIF")];
  return {
    width: Math.max(width, left + frame.width),
    height: Math.max(height, top + frame.height),
    ...{ left, top, frame, furtherFrames: Math.max(0, frames.length - 1), isLossless: coded.name === "VP8L" },
    picture: pictureFile(placed.chunks, coded, frame),
    ...(profile && { profile }),
    ...(exif && { exif }),
  };
}

/** Yields the chunks. The last one can be truncated. */
function* chunksOf(bytes: Uint8Array): Generator<Chunk> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + CHUNK_BYTES <= bytes.length; ) {
    const size = view.getUint32(at + 4, true);
    const start = at + CHUNK_BYTES;
    yield { name: latin1(bytes.subarray(at, at + 4)), data: bytes.subarray(start, start + size) };
    at = start + size + (size % 2);
  }
}

function frameOf(data: Uint8Array) {
  const chunks = [...chunksOf(data.subarray(FRAME_BYTES))];
  return { left: 2 * bits24(data, 0), top: 2 * bits24(data, 3), chunks };
}

/** Reads the dimensions of the coded picture (RFC 6386, 9.1; RFC 9649, 3.4). */
function sizeOf({ name, data }: Chunk): WebpFile["frame"] | undefined {
  if (data.length < 10) return undefined;
  const view = new DataView(data.buffer, data.byteOffset);
  if (name === "VP8 ") {
    const [width, height] = [view.getUint16(6, true) & 0x3fff, view.getUint16(8, true) & 0x3fff];
    return width * height > 0 ? { width, height } : undefined;
  }
  const bits = view.getUint32(1, true);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** Returns a file with only the coded picture and its alpha. */
function pictureFile(chunks: readonly Chunk[], coded: Chunk, { width, height }: WebpFile["frame"]): Uint8Array {
  const alpha = coded.name === "VP8 " ? chunks.find(({ name }) => name === "ALPH") : undefined;
  const canvas = Buffer.alloc(10);
  canvas[0] = 0x10;
  canvas.writeUIntLE(width - 1, 4, 3);
  canvas.writeUIntLE(height - 1, 7, 3);
  const all = alpha ? [{ name: "VP8X", data: canvas }, alpha, coded] : [coded];
  const body = Buffer.concat([Buffer.from("WEBP"), ...all.flatMap(chunkBytes)]);
  return Buffer.concat([Buffer.from("RIFF"), uint32(body.length), body]);
}

function chunkBytes({ name, data }: Chunk): Uint8Array[] {
  return [Buffer.from(name), uint32(data.length), data, new Uint8Array(data.length % 2)];
}

function uint32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const bits24 = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);

const latin1 = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
