// Encodes and decodes the frames of remote.ts. A frame is one byte for the kind, four bytes for the length
// (big-endian), and the payload.

import { EngineFailure } from "../../document/contract/failure.ts";

const JSON_FRAME = 1;
const BYTES_FRAME = 2;
const HEADER_BYTES = 5;
/** Maximum payload of a frame of bytes. Longer data are split. */
export const MAX_BYTES_FRAME = 2 ** 20;
/**
 * Short chunks are collected until a frame has this many bytes, because both ends spend an event-loop turn on each
 * frame.
 */
const MIN_BYTES_FRAME = 2 ** 16;
/** Maximum payload of a JSON frame, which is buffered before parsing. */
const MAX_JSON_FRAME = 2 ** 20;

export type Frame = { readonly json: unknown } | { readonly bytes: Uint8Array };

/** Decodes frames. Yields the bytes of a frame in parts, as they arrive; buffers only JSON frames. */
export async function* decodeFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame, undefined> {
  const header = new Collector(HEADER_BYTES);
  let json: Collector | undefined;
  let bytesLeft = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      if (bytesLeft > 0) {
        const part = chunk.subarray(at, at + bytesLeft);
        at += part.length;
        bytesLeft -= part.length;
        yield { bytes: part };
      } else if (json) {
        at += json.add(chunk.subarray(at));
        if (json.complete) {
          yield { json: parse(json.bytes) };
          json = undefined;
        }
      } else {
        at += header.add(chunk.subarray(at));
        if (!header.complete) continue;
        const length = new DataView(header.bytes.buffer).getUint32(1);
        const kind = header.bytes[0];
        if (kind === BYTES_FRAME) bytesLeft = length;
        else if (kind === JSON_FRAME && length > 0 && length <= MAX_JSON_FRAME) json = new Collector(length);
        else throw protocolError("an invalid frame");
        header.clear();
      }
    }
  }
  if (bytesLeft > 0 || json || !header.empty) throw new EngineFailure("lost", "the last frame is incomplete");
  return undefined;
}

/** Collects a fixed number of bytes from chunks of any size. */
class Collector {
  readonly bytes: Uint8Array<ArrayBuffer>;
  #filled = 0;
  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }
  get complete(): boolean {
    return this.#filled === this.bytes.length;
  }
  get empty(): boolean {
    return this.#filled === 0;
  }
  /** @returns the number of consumed bytes */
  add(chunk: Uint8Array): number {
    const part = chunk.subarray(0, this.bytes.length - this.#filled);
    this.bytes.set(part, this.#filled);
    this.#filled += part.length;
    return part.length;
  }
  clear(): void {
    this.#filled = 0;
  }
}

function parse(bytes: Uint8Array): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof value === "object" && value !== null) return value;
  } catch {
    // The text is not valid JSON; throws the error below.
  }
  throw protocolError("an invalid JSON frame");
}

export function jsonFrame(value: unknown): Uint8Array<ArrayBuffer> {
  const payload = new TextEncoder().encode(JSON.stringify(value));
  // No valid file name or error detail reaches this length.
  if (payload.length > MAX_JSON_FRAME) throw new EngineFailure("too-complex", "the header is too long");
  return frame(JSON_FRAME, payload);
}

export function* bytesFrames(bytes: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < bytes.length; at += MAX_BYTES_FRAME) {
    yield frame(BYTES_FRAME, bytes.subarray(at, at + MAX_BYTES_FRAME));
  }
}

/** Returns a buffer in which {@link bodyFrames} collects short chunks, reusable for successive bodies. */
export const gatheringBuffer = (): Uint8Array => new Uint8Array(MIN_BYTES_FRAME);

/** Returns the frames of a body. Short chunks are joined, so frames need not end where chunks end. */
export async function* bodyFrames(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  gathered: Uint8Array,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let filled = 0;
  for await (const chunk of chunks) {
    if (filled > 0 && filled + chunk.length > gathered.length) {
      yield frame(BYTES_FRAME, gathered.subarray(0, filled));
      filled = 0;
    }
    if (chunk.length >= gathered.length) {
      yield* bytesFrames(chunk);
    } else {
      gathered.set(chunk, filled);
      filled += chunk.length;
    }
  }
  if (filled > 0) yield frame(BYTES_FRAME, gathered.subarray(0, filled));
}

/**
 * Returns a frame with a copy of the payload, so that the producer can reuse its buffer while the frame is being sent.
 */
function frame(kind: number, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  bytes[0] = kind;
  new DataView(bytes.buffer).setUint32(1, payload.length);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

export function concatFrames(...frames: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(frames.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const frame of frames) {
    bytes.set(frame, at);
    at += frame.length;
  }
  return bytes;
}

/** Returns the JSON frames in a chunk of complete frames. */
export function jsonIn(chunk: Uint8Array): unknown[] {
  const found: unknown[] = [];
  const view = new DataView(chunk.buffer, chunk.byteOffset, chunk.length);
  for (let at = 0; at < chunk.length; ) {
    const from = at + HEADER_BYTES;
    const end = from + view.getUint32(at + 1);
    if (chunk[at] === JSON_FRAME) found.push(parse(chunk.subarray(from, end)));
    at = end;
  }
  return found;
}

/** Returns the JSON value if the chunk is a single JSON frame; otherwise undefined. */
export function onlyJsonOf(chunk: Uint8Array): unknown {
  if (chunk[0] !== JSON_FRAME) return undefined;
  const length = new DataView(chunk.buffer, chunk.byteOffset).getUint32(1);
  return length === chunk.length - HEADER_BYTES ? parse(chunk.subarray(HEADER_BYTES)) : undefined;
}

export const protocolError = (detail: string) => new EngineFailure("crashed", detail);
