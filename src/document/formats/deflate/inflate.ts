// Inflates zlib streams (RFC 1950), even damaged ones, piece by piece with the platform's zlib. Independent of image
// formats.
import { constants, createInflate, createInflateRaw, inflateRawSync } from "node:zlib";

/** Output of one step. Node's default of 16 KiB takes ten times as long for a page of text. */
const CHUNK_BYTES = 2 ** 20;
/**
 * Output of one step in a damaged stream. It is small, because zlib's wrapper loses the step in which the damage
 * begins.
 */
const SMALL_CHUNK_BYTES = 4096;
const HEADER_BYTES = 2;

/**
 * `strict`: verifies the checksum. `tolerant`: ignores the checksum, because it does not show which bytes are wrong.
 * `careful`: like `tolerant`, but slower, in small steps, so that few bytes before the damage are lost. `raw`: the stream
 * has neither a header nor a checksum (RFC 1951).
 */
export type Mode = "strict" | "tolerant" | "careful" | "raw";

/** Inflates one stream. Uses about 2 MiB, regardless of the size that the stream declares. */
export class Inflater implements Disposable {
  readonly #zlib: ReturnType<typeof createInflate>;
  readonly #skipsHeader: boolean;
  #header: number[] = [];
  #state: "open" | "ended" | "damaged" = "open";
  #wake = () => {};

  constructor(mode: Mode) {
    this.#skipsHeader = mode === "tolerant" || mode === "careful";
    const chunkSize = mode === "careful" ? SMALL_CHUNK_BYTES : CHUNK_BYTES;
    this.#zlib = mode === "strict" ? createInflate({ chunkSize }) : createInflateRaw({ chunkSize });
    this.#zlib.on("readable", () => this.#wake());
    this.#zlib.on("end", () => this.#become("ended"));
    this.#zlib.on("error", () => this.#become("damaged"));
  }

  /** True until the stream ends or damage is found. Bytes after that are ignored. */
  get isOpen(): boolean {
    return this.#state === "open";
  }

  get isDamaged(): boolean {
    return this.#state === "damaged";
  }

  /** Inflates the next part of the stream. The part must not change until all inflated bytes are read. */
  async *push(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
    const part = this.#skipsHeader ? this.#withoutHeader(bytes) : bytes;
    if (part.length > 0 && this.isOpen) yield* this.#read((done) => this.#zlib.write(part, done));
  }

  /** @returns true if the stream is complete and, in strict mode, its checksum is right */
  async end(): Promise<boolean> {
    if (this.isOpen) for await (const _ of this.#read(() => this.#zlib.end()));
    return this.#state === "ended";
  }

  /** Yields the output that `start` causes, until it calls `done` or the stream ends. */
  async *#read(start: (done: (error?: Error | null) => void) => void): AsyncGenerator<Uint8Array> {
    let isDone = false;
    start((error) => {
      isDone = true;
      if (error) this.#become("damaged");
      this.#wake();
    });
    for (;;) {
      const chunk = this.#zlib.read() as Uint8Array | null;
      if (chunk) yield chunk;
      else if (isDone || !this.isOpen) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Checks the header (RFC 1950, 2.2), which can arrive in parts, and returns the bytes after it. */
  #withoutHeader(bytes: Uint8Array): Uint8Array {
    const missing = HEADER_BYTES - this.#header.length;
    if (missing <= 0) return bytes;
    this.#header.push(...bytes.subarray(0, missing));
    if (this.#header.length === HEADER_BYTES && !isHeader(this.#header)) this.#become("damaged");
    return bytes.subarray(missing);
  }

  #become(state: "ended" | "damaged"): void {
    if (this.isOpen) this.#state = state;
    this.#wake();
  }

  [Symbol.dispose](): void {
    this.#zlib.destroy();
  }
}

/**
 * Yields the inflated bytes of a whole stream; of a damaged stream, the bytes up to the damage. Ignores the checksum.
 * @param sizeBytes expected size; a small stream is inflated in one step
 */
export async function* inflated(stream: Uint8Array, sizeBytes: number): AsyncGenerator<Uint8Array> {
  const whole = sizeBytes <= CHUNK_BYTES ? inflatedAtOnce(stream, sizeBytes) : undefined;
  if (whole) {
    yield whole;
    return;
  }
  let size = 0;
  using inflater = new Inflater("tolerant");
  for await (const bytes of inflater.push(stream)) {
    size += bytes.length;
    yield bytes;
  }
  if (inflater.isDamaged) yield* inflatedFrom(stream, size);
}

/** Yields the inflated bytes from the position `start` on, up to the damage. */
async function* inflatedFrom(stream: Uint8Array, start: number): AsyncGenerator<Uint8Array> {
  using inflater = new Inflater("careful");
  let position = 0;
  for await (const bytes of inflater.push(stream)) {
    if (position + bytes.length > start) yield bytes.subarray(Math.max(0, start - position));
    position += bytes.length;
  }
}

/**
 * Inflates a stream in one step. Ignores the checksum. Returns the existing bytes of a truncated stream.
 * @returns undefined if the stream is damaged, or its output is larger than `maxOutputLength`
 */
export function inflatedAtOnce(stream: Uint8Array, maxOutputLength: number): Uint8Array | undefined {
  if (!isHeader(stream)) return undefined;
  const chunkSize = Math.min(CHUNK_BYTES, Math.max(constants.Z_MIN_CHUNK, maxOutputLength));
  try {
    return inflateRawSync(stream.subarray(HEADER_BYTES), {
      ...{ chunkSize, maxOutputLength, finishFlush: constants.Z_SYNC_FLUSH },
    });
  } catch {
    return undefined;
  }
}

const isHeader = ([first = 0, second = 0]: Iterable<number>): boolean =>
  (first & 15) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0 && (second & 32) === 0;
