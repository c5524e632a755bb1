// Writes one entry of a zip archive, with at most half a MiB in memory. Decides which files to compress.

import { crc32, createDeflateRaw, deflateRawSync } from "node:zlib";
import { EngineFailure } from "../../contract/failure.ts";
import { detectMediaType } from "../../contract/media-type.ts";
import type { Input } from "../../contract/operation.ts";
import { dataDescriptor, type EntryHead, type EntrySizes, localHeader, METHOD } from "./records.ts";

/** Files up to this size are compressed in one step. Of larger files, this many bytes are compressed as a test. */
export const BUFFER_BYTES = 2 ** 19;
const CHUNK_BYTES = 2 ** 16;
/** Minimum fraction that compression must save; otherwise the file is stored. */
const MIN_GAIN = 0.03;
/** Media types of files that are already compressed, so that no test is needed. */
const COMPRESSED_TYPE = /^image\/(jpeg|png|gif)$|^application\/(zip|vnd\.openxmlformats.*)$/;
/**
 * Size above which the compressed data can exceed 32 bits: deflate adds 5 bytes per 16 KiB of incompressible data (RFC
 * 1951, 3.2.4).
 */
const LARGE_BYTES = 2 ** 32 - 2 ** 24;

/** Yields the chunks of an entry; returns its record for the central directory. */
export type EntryWriter = AsyncGenerator<Uint8Array, EntryHead & EntrySizes>;

/** A file whose first bytes were read. */
interface Begun {
  readonly input: Input;
  /** The first bytes, or all bytes of a small file. */
  readonly start: Uint8Array;
  /** The bytes after `start`, readable only once. */
  readonly rest: AsyncIterable<Uint8Array>;
  /** Stops reading and cancels the source. */
  close(): Promise<void>;
}

type About = Pick<EntryHead, "name" | "modified">;

/** Writes a file that can be read repeatedly. */
export async function* writeEntry(input: Input, about: About): EntryWriter {
  const begun = await begin(input);
  try {
    if (begun.start.length === input.size) return yield* writeSmall(begun.start, about);
    const head = { ...about, large: input.size >= LARGE_BYTES };
    return yield* isWorthwhile(begun.start, input.name) ? writeDeflated(begun, head) : writeStored(begun, head);
  } finally {
    await begun.close();
  }
}

/** Writes a file that is in memory. */
export async function* writeSmall(bytes: Uint8Array, about: About): EntryWriter {
  const deflated = isCompressed(bytes, about.name) ? bytes : deflateRawSync(bytes);
  const isSmaller = deflated.length < bytes.length * (1 - MIN_GAIN);
  const data = isSmaller ? deflated : bytes;
  const method = isSmaller ? METHOD.deflated : METHOD.stored;
  const head = { ...about, method, streamed: false, large: false };
  const sizes = { crc32: crc32(bytes), compressed: data.length, uncompressed: bytes.length };
  yield localHeader(head, sizes);
  yield data;
  return { ...head, ...sizes };
}

/**
 * Writes a file of unknown size that can be read only once.
 * @param start its first bytes
 * @throws EngineFailure `too-large` if it has 4 GiB or more
 */
export async function* writeStream(start: Uint8Array, rest: AsyncIterable<Uint8Array>, about: About): EntryWriter {
  // Always deflated, because a streaming reader can find the end of deflated data. Level 0 copies incompressible data.
  const level = isWorthwhile(start, about.name) ? undefined : 0;
  const entry = yield* writeDeflated({ start, rest }, { ...about, large: false }, level);
  if (Math.max(entry.compressed, entry.uncompressed) >= 2 ** 32) {
    throw new EngineFailure("too-large", `${entry.uncompressed} bytes in an entry of unknown size`);
  }
  return entry;
}

async function* writeDeflated(
  { start, rest }: Pick<Begun, "start" | "rest">,
  about: Omit<EntryHead, "method" | "streamed">,
  level?: number,
): EntryWriter {
  const head = { ...about, method: METHOD.deflated, streamed: true };
  const sizes = { crc32: 0, compressed: 0, uncompressed: 0 };
  yield localHeader(head);
  const counted = async function* () {
    for await (const chunk of concatChunks(start, rest)) {
      sizes.crc32 = crc32(chunk, sizes.crc32);
      sizes.uncompressed += chunk.length;
      yield chunk;
    }
  };
  for await (const chunk of deflated(counted(), level)) {
    sizes.compressed += chunk.length;
    yield chunk;
  }
  yield dataDescriptor(head, sizes);
  return { ...head, ...sizes };
}

/**
 * Reads the input twice, to write the sizes before the data, because a streaming reader cannot find the end of stored
 * data.
 */
async function* writeStored({ input, start, rest }: Begun, about: Omit<EntryHead, "method" | "streamed">): EntryWriter {
  const head = { ...about, method: METHOD.stored, streamed: false };
  let checksum = 0;
  for await (const chunk of concatChunks(start, rest)) checksum = crc32(chunk, checksum);
  const sizes = { crc32: checksum, compressed: input.size, uncompressed: input.size };
  yield localHeader(head, sizes);
  yield* input.stream();
  return { ...head, ...sizes };
}

function isWorthwhile(start: Uint8Array, name: string): boolean {
  return !isCompressed(start, name) && deflateRawSync(start, { level: 1 }).length < start.length * (1 - MIN_GAIN);
}

const isCompressed = (start: Uint8Array, name: string) => COMPRESSED_TYPE.test(detectMediaType(start, name));

async function begin(input: Input): Promise<Begun> {
  const chunks = input.stream()[Symbol.asyncIterator]();
  const start = new Uint8Array(Math.min(input.size, BUFFER_BYTES));
  let left: Uint8Array = new Uint8Array(0);
  for (let filled = 0; filled < start.length; ) {
    const { done, value } = await chunks.next();
    if (done) throw new EngineFailure("crashed", `an input of ${input.size} bytes has only ${filled}`);
    const part = value.subarray(0, start.length - filled);
    start.set(part, filled);
    filled += part.length;
    left = value.subarray(part.length);
  }
  async function* rest(): AsyncGenerator<Uint8Array> {
    if (left.length > 0) yield left;
    for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value;
  }
  return { input, start, rest: rest(), close: async () => void (await chunks.return?.()) };
}

async function* concatChunks(start: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield start;
  yield* rest;
}

/** Compresses with node:zlib, because workerd's CompressionStream buffers all input without backpressure. */
async function* deflated(chunks: AsyncIterable<Uint8Array>, level?: number): AsyncGenerator<Uint8Array> {
  const stream = createDeflateRaw({ chunkSize: CHUNK_BYTES, ...(level === undefined ? {} : { level }) });
  const feed = async () => {
    for await (const chunk of chunks) {
      // The caller can reuse the chunk's buffer after this.
      await new Promise<void>((resolve, reject) => {
        stream.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
    }
    stream.end();
  };
  feed().catch((error) => stream.destroy(error));
  try {
    yield* stream;
  } finally {
    stream.destroy();
  }
}
