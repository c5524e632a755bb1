// Reads a stream in larger chunks than the stream provides, because each read costs an event-loop turn.

import { toUint8Array } from "../../../document/contract/byte-reader.ts";

type Reading = Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;

/**
 * The method `readAtLeast`, an extension of workerd, fills a buffer from several chunks. The standard option `min` is
 * not suitable, because it rejects at the end of a stream.
 */
interface FillingReader {
  readAtLeast(bytes: number, view: Uint8Array): Reading;
  cancel(): Promise<void>;
}

const FILLS_BUFFERS = "readAtLeast" in ReadableStreamBYOBReader.prototype;

export class ChunkReader {
  readonly #read: () => Reading;
  readonly #cancel: () => Promise<void>;

  /**
   * @param leastBytes minimum size of a chunk, except the last. If the stream fails, the bytes received after the last
   *   returned chunk are lost. @default `pieceBytes`
   */
  constructor(body: ReadableStream<Uint8Array>, pieceBytes: number, leastBytes = pieceBytes) {
    if (FILLS_BUFFERS) {
      const reader = body.getReader({ mode: "byob" }) as unknown as FillingReader;
      this.#read = () => reader.readAtLeast(leastBytes, new Uint8Array(pieceBytes));
      this.#cancel = () => reader.cancel();
    } else {
      const reader = body.getReader();
      this.#read = () => reader.read();
      this.#cancel = () => reader.cancel();
    }
  }

  /**
   * @returns the next chunk; undefined at the end. In workerd, it has `pieceBytes` or ends the stream. Other runtimes
   *   have large chunks, which are returned unchanged
   */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await this.#read();
      if (value && value.length > 0) return toUint8Array(value);
      if (done) return undefined;
    }
  }

  cancel(): Promise<void> {
    return this.#cancel();
  }
}

/** Reads up to `size` bytes. */
export async function readBytes(body: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array> {
  const pieces = new ChunkReader(body, size);
  let bytes = (await pieces.read()) ?? new Uint8Array(0);
  if (bytes.length < size) {
    const whole = new Uint8Array(size);
    let length = 0;
    for (let piece: Uint8Array | undefined = bytes; piece && length < size; piece = await pieces.read()) {
      whole.set(piece.subarray(0, size - length), length);
      length += Math.min(piece.length, size - length);
    }
    bytes = whole.subarray(0, length);
  }
  await pieces.cancel();
  return bytes.subarray(0, size);
}
