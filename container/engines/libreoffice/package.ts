// Checks whether the parts of a zipped Office document are intact. LibreOffice leaves out parts of sheets and
// presentations that it cannot read, and prints empty pages.

import { readFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { promisify } from "node:util";
import { crc32, inflateRaw, inflateRawSync } from "node:zlib";
import { SMALL_BYTES } from "../../scratch/file-input.ts";

/** APPNOTE.TXT 4.3.16, 4.3.12 and 4.3.7: end of central directory, one of its headers, a local header. */
const END = { signature: 0x06054b50, bytes: 22, mostBytes: 22 + 65_535 };
const ENTRY = { signature: 0x02014b50, bytes: 46 };
const LOCAL = { signature: 0x04034b50, bytes: 30 };
const STORED = 0;
const DEFLATED = 8;

/** Maximum total size that is examined. A larger package may be a bomb. */
const MOST_BYTES = 64 * 2 ** 20;
const MOST_DIRECTORY_BYTES = 4 * 2 ** 20;
/** Size below which waiting for a thread takes longer than the work. */
const AT_ONCE_BYTES = 2 ** 17;

const inflateAside = promisify(inflateRaw);

interface PackagePart {
  readonly name: string;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  readonly at: number;
}

/**
 * Finds a damaged part.
 * @returns the name of a part of markup that cannot be read as it was written, or undefined. Files that are not zip
 * files, and pictures, which a document can lack, are not reported
 */
export async function damagedPart(path: string): Promise<string | undefined> {
  await using file = await open(path);
  const { size } = await file.stat();
  const whole = size <= SMALL_BYTES ? readFileSync(path) : undefined;
  const read = async (at: number, bytes: number) => {
    if (whole) return whole.subarray(at, at + bytes);
    const buffer = Buffer.alloc(Math.max(0, Math.min(bytes, size - at)));
    await file.read(buffer, 0, buffer.length, at);
    return buffer;
  };
  if ((await read(0, 4)).compare(Buffer.from("PK\x03\x04", "latin1")) !== 0) return undefined;
  let left = MOST_BYTES;
  // No byte of a file belongs to two parts: hostile directories list one part many times.
  let packedLeft = size;
  for (const part of await directory(size, read)) {
    if (!/\.(xml|rels)$/i.test(part.name) || part.bytes > left || part.packedBytes > packedLeft) continue;
    left -= part.bytes;
    packedLeft -= part.packedBytes;
    const header = await read(part.at, LOCAL.bytes);
    if (header.length < LOCAL.bytes || header.readUInt32LE(0) !== LOCAL.signature) return part.name;
    const at = part.at + LOCAL.bytes + header.readUInt16LE(26) + header.readUInt16LE(28);
    if (!(await isWhole(part, await read(at, part.packedBytes)))) return part.name;
  }
  return undefined;
}

async function directory(size: number, read: (at: number, bytes: number) => Promise<Buffer>): Promise<PackagePart[]> {
  const tail = await read(Math.max(0, size - END.mostBytes), END.mostBytes);
  const signature = Buffer.alloc(4);
  signature.writeUInt32LE(END.signature);
  const end = tail.lastIndexOf(signature);
  if (end < 0 || end + END.bytes > tail.length) return [];
  const bytes = await read(tail.readUInt32LE(end + 16), Math.min(tail.readUInt32LE(end + 12), MOST_DIRECTORY_BYTES));
  const parts: PackagePart[] = [];
  for (let at = 0; at + ENTRY.bytes <= bytes.length && bytes.readUInt32LE(at) === ENTRY.signature; ) {
    const nameBytes = bytes.readUInt16LE(at + 28);
    const name = bytes.toString("utf8", at + ENTRY.bytes, at + ENTRY.bytes + nameBytes);
    const isLocked = (bytes.readUInt16LE(at + 8) & 1) !== 0;
    const part: PackagePart = {
      name,
      method: bytes.readUInt16LE(at + 10),
      crc: bytes.readUInt32LE(at + 16),
      packedBytes: bytes.readUInt32LE(at + 20),
      bytes: bytes.readUInt32LE(at + 24),
      at: bytes.readUInt32LE(at + 42),
    };
    if (!isLocked && [STORED, DEFLATED].includes(part.method)) parts.push(part);
    at += ENTRY.bytes + nameBytes + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  return parts;
}

async function isWhole({ method, crc, bytes }: PackagePart, packed: Buffer): Promise<boolean> {
  if (bytes === 0) return true;
  try {
    const options = { maxOutputLength: bytes };
    const inflate = Math.max(bytes, packed.length) <= AT_ONCE_BYTES ? inflateRawSync : inflateAside;
    const content = method === STORED ? packed : await inflate(packed, options);
    return content.length === bytes && crc32(content) === crc;
  } catch {
    return false;
  }
}
