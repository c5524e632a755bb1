// Checks whether the archive of an Office document is intact, without inflating all of it (PKWARE's APPNOTE.TXT 6.3.10;
// numbers in comments are its sections).
import { crc32, inflateRawSync } from "node:zlib";
import { METHOD } from "./records.ts";

/** 4.3.16 and 4.3.12: the end-of-central-directory record, which a comment can follow, and a central header. */
const END = { signature: Buffer.from("PK\x05\x06", "latin1"), bytes: 22 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const LOCAL_BYTES = 30;
const IS_ENCRYPTED = 1;

/** Number of bytes at the end of the file that contain the end record. */
export const END_WITHIN_BYTES = END.bytes + 65_535;

/** Maximum number of bytes to inflate. */
const MOST_UNPACKED_BYTES = 8 * 2 ** 20;
/** workerd enlarges zlib output buffers by up to a factor of two, and fails if a step exceeds the limit. */
const INFLATE_STEP_BYTES = 65_536;
/** Entries of Office and OpenDocument files. Some programs write other cases and slashes. */
const OF_DOCUMENTS = /^(\[content_types\]\.xml|mimetype|content\.xml)$/i;
/** Parts without which LibreOffice rejects a package. */
const MARKUP = /\.(xml|rels)$/i;

/** @param last the last {@link END_WITHIN_BYTES} of an archive, or all of it */
export const hasEnd = (last: Uint8Array): boolean => endOf(bufferOf(last)) >= 0;

/** @returns `none` for an archive without an Office document */
export function soundnessOf(archive: Uint8Array): "sound" | "damaged" | "none" {
  const bytes = bufferOf(archive);
  const parts = [...directoryOf(bytes)];
  if (!parts.some(({ name }) => OF_DOCUMENTS.test(name))) return "none";
  let left = MOST_UNPACKED_BYTES;
  for (const part of parts.filter(({ name }) => MARKUP.test(name))) {
    left -= part.unpackedBytes;
    if (left < 0) break;
    if (!isSound(bytes, part)) return "damaged";
  }
  return "sound";
}

interface Part {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Offset of its local header. */
  readonly at: number;
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Returns the offset of the last complete end record; -1 if there is none. */
const endOf = (bytes: Buffer): number => bytes.lastIndexOf(END.signature, bytes.length - END.bytes);

function* directoryOf(bytes: Buffer): Generator<Part> {
  const end = endOf(bytes);
  if (end < 0) return;
  // Bytes can precede an archive, so the directory is searched backwards from its end.
  for (let at = end - bytes.readUInt32LE(end + 12); at >= 0 && at + ENTRY.bytes <= end; ) {
    if (bytes.readUInt32LE(at) !== ENTRY.signature) return;
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => bytes.readUInt16LE(at + field)) as [
      ...[number, number, number],
    ];
    yield {
      name: bytes.toString("latin1", at + ENTRY.bytes, at + ENTRY.bytes + nameBytes),
      isEncrypted: (bytes.readUInt16LE(at + 8) & IS_ENCRYPTED) !== 0,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packedBytes: bytes.readUInt32LE(at + 20),
      unpackedBytes: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    };
    at += ENTRY.bytes + nameBytes + extraBytes + commentBytes;
  }
}

function isSound(bytes: Buffer, { isEncrypted, method, crc, packedBytes, unpackedBytes, at }: Part): boolean {
  if (at + LOCAL_BYTES > bytes.length) return false;
  const start = at + LOCAL_BYTES + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  const packed = bytes.subarray(start, start + packedBytes);
  if (isEncrypted || (method !== METHOD.stored && method !== METHOD.deflated)) return true;
  if (packed.length < packedBytes) return false;
  if (method === METHOD.stored) return crc32(packed) === crc;
  try {
    const unpacked = inflateRawSync(packed, { maxOutputLength: 2 * unpackedBytes + INFLATE_STEP_BYTES });
    // A part that is larger than stated is damaged too: readers would truncate it.
    return unpacked.length <= unpackedBytes && crc32(unpacked) === crc;
  } catch {
    return false;
  }
}
