// The file format of an object: its bytes, then a trailer with its properties, so that one rename publishes both
// atomically. The bytes can be in several extents, because the parts of an upload arrive in any order and remain where
// they were written.

import type { FileHandle } from "node:fs/promises";

/** The last bytes of a complete file. They follow the length of the properties, which has four bytes. */
const MAGIC = Buffer.from("PWobject");
const FOOTER_BYTES = 4 + MAGIC.length;
/** Number of bytes at the end of the file that are read first. Few trailers are longer. */
const END_BYTES = 4096;
const CHUNK_BYTES = 2 ** 17;

export interface ByteExtent {
  readonly offset: number;
  readonly length: number;
}

/** Object properties, stored as JSON in the trailer. */
export interface Properties {
  readonly size: number;
  readonly etag: string;
  /** Time of storage, in milliseconds since 1970. */
  readonly uploaded: number;
  readonly contentType?: string;
  readonly customMetadata?: Record<string, string>;
  /** The extents that contain the bytes of the object, in order. */
  readonly pieces: readonly ByteExtent[];
}

export async function writeAll(file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> {
  for (let done = 0; done < bytes.length; ) {
    done += (await file.write(bytes, done, bytes.length - done, offset + done)).bytesWritten;
  }
}

/** Returns the trailer of a file. */
function trailerOf(properties: Properties): Buffer {
  const json = Buffer.from(JSON.stringify(properties));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(json.length);
  return Buffer.concat([json, length, MAGIC]);
}

/** Appends the trailer to the written bytes. */
export async function writeTrailer(file: FileHandle, properties: Properties): Promise<void> {
  await writeAll(file, trailerOf(properties), (await file.stat()).size);
}

/** Writes the bytes and the trailer of an object. */
export async function writeWhole(file: FileHandle, bytes: Uint8Array, properties: Properties): Promise<void> {
  const trailer = trailerOf(properties);
  const { bytesWritten } = await file.writev([bytes, trailer], 0);
  // If the system has written fewer bytes, writes the remaining ones.
  const behind = Math.max(bytesWritten, bytes.length);
  if (bytesWritten < bytes.length) await writeAll(file, bytes.subarray(bytesWritten), bytesWritten);
  await writeAll(file, trailer.subarray(behind - bytes.length), behind);
}

/** @throws Error if the file is not an object */
export async function readTrailer(file: FileHandle): Promise<Properties> {
  const { size } = await file.stat();
  let end = await readPiece(file, endOf(size, END_BYTES));
  if (end.length < FOOTER_BYTES || !MAGIC.equals(end.subarray(-MAGIC.length)))
    throw new Error("not the file of an object");
  const trailerBytes = end.readUInt32LE(end.length - FOOTER_BYTES) + FOOTER_BYTES;
  if (trailerBytes > end.length) end = await readPiece(file, endOf(size, trailerBytes));
  return JSON.parse(end.toString("utf8", end.length - trailerBytes, end.length - FOOTER_BYTES)) as Properties;
}

const endOf = (size: number, bytes: number): ByteExtent => {
  const length = Math.min(size, bytes);
  return { offset: size - length, length };
};

/** Returns the extents of a byte range, truncated at the end of the object. */
export function extentsOf({ pieces, size }: Properties, range: ByteExtent = { offset: 0, length: size }): ByteExtent[] {
  const found: ByteExtent[] = [];
  let [skip, left] = [range.offset, range.length];
  for (const { offset, length } of pieces) {
    const taken = Math.min(left, length - skip);
    if (taken > 0) found.push({ offset: offset + skip, length: taken });
    left -= Math.max(0, taken);
    skip = Math.max(0, skip - length);
  }
  return found;
}

/** Reads all extents into memory, and closes the file. */
export async function readExtents(file: FileHandle, pieces: readonly ByteExtent[]): Promise<Uint8Array> {
  try {
    if (pieces.length === 1) return await readPiece(file, pieces[0]!);
    const parts: Buffer[] = [];
    for (const piece of pieces) parts.push(await readPiece(file, piece));
    return Buffer.concat(parts);
  } finally {
    await file.close();
  }
}

/** Streams the extents. Closes the file at the end, after an error, or when the stream is canceled. */
export function streamExtents(file: FileHandle, pieces: readonly ByteExtent[]): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    type: "bytes",
    autoAllocateChunkSize: CHUNK_BYTES,
    async pull(controller) {
      const request = controller.byobRequest!;
      const view = request.view!;
      const piece = left[0];
      if (!piece) {
        await file.close();
        controller.close();
        request.respond(0);
        return;
      }
      try {
        const target = new Uint8Array(view.buffer, view.byteOffset, Math.min(view.byteLength, piece.length));
        const read = await readInto(file, target, piece.offset);
        if (read < piece.length) left[0] = { offset: piece.offset + read, length: piece.length - read };
        else left.shift();
        request.respond(read);
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    cancel: () => file.close(),
  });
}

async function readPiece(file: FileHandle, { offset, length }: ByteExtent): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(length);
  for (let done = 0; done < length; ) done += await readInto(file, bytes.subarray(done), offset + done);
  return bytes;
}

/** Reads at least one byte, unless the target is empty. @returns the number of bytes read */
async function readInto(file: FileHandle, target: Uint8Array, offset: number): Promise<number> {
  const { bytesRead } = await file.read(target, 0, target.length, offset);
  if (bytesRead === 0 && target.length > 0) throw new Error("the file is shorter than its trailer says");
  return bytesRead;
}
