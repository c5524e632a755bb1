// Reads the stream of a body in pieces of a wanted size, because each read costs a turn of the event loop. Has no
// knowledge of the content.

import { plain } from "./byte-reader.ts";

type Reading = Promise<{ readonly value?: Uint8Array | undefined; readonly done: boolean }>;

/** The standard's reader, whose option `min` not all declarations of its types have. */
interface FillingReader {
  read(view: Uint8Array, options: { readonly min: number }): Reading;
  cancel(): Promise<void>;
}

export class PieceReader {
  readonly #read: () => Reading;
  readonly #cancel: () => Promise<void>;

  constructor(body: ReadableStream<Uint8Array>, pieceBytes: number) {
    const filling = fillingReader(body);
    if (filling) {
      this.#read = () => filling.read(new Uint8Array(pieceBytes), { min: pieceBytes });
      this.#cancel = () => filling.cancel();
    } else {
      const reader = body.getReader();
      this.#read = () => reader.read();
      this.#cancel = () => reader.cancel();
    }
  }

  /**
   * @returns a piece of the wanted size, or the rest; a stream that is not one of bytes gives its own chunks. Undefined
   * at the end
   */
  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      const { done, value } = await this.#read();
      // The last piece may come with the end or before it.
      if (value && value.length > 0) return plain(value);
      if (done) return undefined;
    }
  }

  cancel(): Promise<void> {
    return this.#cancel();
  }
}

/** Reads up to `size` bytes. */
export async function readBytes(body: ReadableStream<Uint8Array>, size: number): Promise<Uint8Array> {
  const pieces = new PieceReader(body, size);
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
  return bytes;
}

/**
 * Returns a reader that fills buffers, if the stream is one of bytes. workerd's are, and their own chunks are small. Not
 * all of Node's are, and their chunks are large.
 */
function fillingReader(body: ReadableStream<Uint8Array>): FillingReader | undefined {
  try {
    return body.getReader({ mode: "byob" }) as unknown as FillingReader;
  } catch (error) {
    if (body.locked) throw error;
    return undefined;
  }
}
