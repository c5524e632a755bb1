// Checks whether the archive of an Office document is intact, without inflating all of it.
import { crc32, inflateRawSync } from "node:zlib";
import { dataOffset, findEnd, partsIn, type ZipPart } from "./directory.ts";
import { METHOD } from "./records.ts";
import { INFLATE_STEP_BYTES } from "./unpack.ts";

/** Maximum number of bytes to inflate. */
const MAX_UNPACKED_BYTES = 8 * 2 ** 20;
/** Names of entries that identify Office and OpenDocument files. Some programs write the names in another case. */
const OF_DOCUMENTS = /^(\[content_types\]\.xml|mimetype|content\.xml)$/i;
/** Parts without which LibreOffice rejects a package. */
const MARKUP = /\.(xml|rels)$/i;

/** @param last the last {@link END_WITHIN_BYTES} of an archive, or the whole archive */
export const hasEnd = (last: Uint8Array): boolean => findEnd(bufferOf(last)) !== undefined;

/** @returns `none` for an archive without an Office document */
export function soundnessOf(archive: Uint8Array): "sound" | "damaged" | "none" {
  const bytes = bufferOf(archive);
  const parts = [...partsIn(directoryOf(bytes))];
  if (!parts.some(({ name }) => OF_DOCUMENTS.test(name))) return "none";
  let left = MAX_UNPACKED_BYTES;
  for (const part of parts.filter(({ name }) => MARKUP.test(name))) {
    left -= part.bytes;
    if (left < 0) break;
    if (!isSound(bytes, part)) return "damaged";
  }
  return "sound";
}

const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Other bytes can precede an archive, so the position of the directory is computed from its end, not from its stated
 * offset.
 */
function directoryOf(bytes: Buffer): Buffer {
  const { at, size } = findEnd(bytes) ?? { at: 0, size: 0 };
  return bytes.subarray(Math.max(0, at - size), at);
}

function isSound(bytes: Buffer, { isEncrypted, method, crc, packedBytes, bytes: unpackedBytes, at }: ZipPart): boolean {
  const offset = dataOffset(bytes.subarray(at));
  if (offset === undefined) return false;
  const packed = bytes.subarray(at + offset, at + offset + packedBytes);
  if (isEncrypted || (method !== METHOD.stored && method !== METHOD.deflated)) return true;
  if (packed.length < packedBytes) return false;
  if (method === METHOD.stored) return crc32(packed) === crc;
  try {
    const unpacked = inflateRawSync(packed, { maxOutputLength: 2 * unpackedBytes + INFLATE_STEP_BYTES });
    // A part that is larger than stated is also damaged: readers would truncate it.
    return unpacked.length <= unpackedBytes && crc32(unpacked) === crc;
  } catch {
    return false;
  }
}
