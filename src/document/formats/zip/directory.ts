// Reads the directory of a zip archive (PKWARE's APPNOTE.TXT 6.3.10; numbers in comments are its sections).

/**
 * The end-of-central-directory record, which a comment can follow (4.3.16); central and local headers (4.3.12, 4.3.7).
 */
const END = { signature: Buffer.from("PK\x05\x06", "latin1"), bytes: 22 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const IS_ENCRYPTED = 1;

/** Maximum number of bytes from the start of the end record to the end of the archive. */
export const END_WITHIN_BYTES = END.bytes + 65_535;
export const LOCAL_HEADER_BYTES = LOCAL.bytes;

/** A part as the directory describes it. */
export interface ZipPart {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Offset of its local header. */
  readonly at: number;
}

/**
 * Finds the last complete end record.
 * @returns the offset of the record, and the size and offset of the directory that it states
 */
export function findEnd(
  bytes: Buffer,
): { readonly at: number; readonly size: number; readonly start: number } | undefined {
  const at = bytes.lastIndexOf(END.signature, bytes.length - END.bytes);
  if (at < 0 || bytes.length < END.bytes) return undefined;
  return { at, size: bytes.readUInt32LE(at + 12), start: bytes.readUInt32LE(at + 16) };
}

/** Yields the parts that a directory lists, up to the first invalid entry. */
export function* partsIn(directory: Buffer): Generator<ZipPart> {
  for (let at = 0; at + ENTRY.bytes <= directory.length && directory.readUInt32LE(at) === ENTRY.signature; ) {
    const [nameBytes = 0, ...others] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    yield {
      name: directory.toString("utf8", at + ENTRY.bytes, at + ENTRY.bytes + nameBytes),
      isEncrypted: (directory.readUInt16LE(at + 8) & IS_ENCRYPTED) !== 0,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      packedBytes: directory.readUInt32LE(at + 20),
      bytes: directory.readUInt32LE(at + 24),
      at: directory.readUInt32LE(at + 42),
    };
    at += others.reduce((sum, bytes) => sum + bytes, ENTRY.bytes + nameBytes);
  }
}

/** Returns the offset of a part's data, relative to its local header; undefined if the bytes are not a local header. */
export function dataOffset(header: Buffer): number | undefined {
  if (header.length < LOCAL.bytes || header.readUInt32LE(0) !== LOCAL.signature) return undefined;
  return LOCAL.bytes + header.readUInt16LE(26) + header.readUInt16LE(28);
}
