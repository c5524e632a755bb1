// Reads the directory of a zip archive, with all extensions that unpacking needs (PKWARE's APPNOTE.TXT 6.3.10; numbers in
// comments are its sections). Trusts nothing: entries lie within the archive and do not overlap.
import { crc32 } from "node:zlib";
import { ByteReader } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Input } from "../../contract/operation.ts";
import { END_WITHIN_BYTES, findEnd, LOCAL_HEADER_BYTES } from "./directory.ts";
import { decodeNames, type RawName } from "./entry-names.ts";

const ENTRY = { signature: 0x02014b50, bytes: 46 };
/** End record and locator of Zip64 (4.3.14 and 4.3.15). */
const END_64 = { signature: 0x06064b50, bytes: 56 };
const LOCATOR_64 = { signature: 0x07064b50, bytes: 20 };
/** Extra fields: Zip64 (4.5.3), AES by WinZip, and the name in UTF-8 (4.6.9). */
const EXTRA = { zip64: 0x0001, aes: 0x9901, name: 0x7075 };
const FLAG = { encrypted: 1, streamed: 8, utf8: 1 << 11 };
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
/** The method that means AES; the extra field states the method of compression. */
const METHOD_AES = 99;
/** Types of files in the permissions of Unix. */
const UNIX = { type: 0o170000, link: 0o120000, folder: 0o040000 };
/** Bytes that are read from the end first. They contain the whole directory of most archives. */
const TAIL_BYTES = 2 ** 20;

export interface AesForm {
  /** 1 to 3: keys of 128, 192 and 256 bits. */
  readonly strength: number;
  /** Version 2 has no checksum of the contents. */
  readonly version: number;
}

export interface ArchiveEntry {
  readonly name: string;
  /** The name as the local header must repeat it. */
  readonly rawName: Buffer;
  readonly kind: "file" | "folder" | "link";
  readonly encryption: AesForm | "zipcrypto" | undefined;
  readonly method: number;
  readonly crc: number;
  readonly packedBytes: number;
  readonly bytes: number;
  /** Offset of its local header. */
  readonly at: number;
  /** The byte with which the decrypted header of ZipCrypto ends (6.1.6). */
  readonly checkByte: number;
}

const damaged = (detail: string) => new EngineFailure("damaged", detail);

/**
 * Returns the entries in the order of their data.
 * @throws EngineFailure `damaged`, `too-complex` for an archive that is larger than any of use
 */
export async function readContents(input: Input): Promise<readonly ArchiveEntry[]> {
  const tail = await lastBytes(input, TAIL_BYTES);
  const tailAt = input.size - tail.length;
  const { start, size, count, endsAt } = endOf(tail, tailAt);
  if (count > LIMITS.unzippedEntries) throw tooMany(count);
  if (size > LIMITS.zipDirectoryBytes || size > endsAt) throw damaged(`a directory of ${size} bytes`);
  // Other bytes can precede an archive, such as a program that unpacks it.
  const directoryAt = endsAt - size;
  const shift = directoryAt - start;
  if (shift < 0) throw damaged("the directory is not at its place");
  const bytes =
    directoryAt >= tailAt ? tail.subarray(directoryAt - tailAt) : await lastBytes(input, input.size - directoryAt);
  const entries = entriesIn(bytes.subarray(0, size), count, shift);
  return checkPlaces(entries, directoryAt);
}

const tooMany = (count: number) =>
  new EngineFailure("too-complex", `${count} entries`, {
    why: `The archive has ${count.toLocaleString("en")} entries; at most ${LIMITS.unzippedEntries.toLocaleString("en")} can be unpacked.`,
  });

async function lastBytes(input: Input, count: number): Promise<Buffer> {
  const wanted = Math.min(input.size, count);
  await using reader = new ByteReader(input.stream());
  await reader.skip(input.size - wanted);
  const bytes = await reader.read(wanted);
  if (!bytes) throw damaged("the file ends early");
  return Buffer.from(bytes.slice().buffer);
}

/** Returns size and stated offset of the directory, the number of its entries, and the offset of its end. */
function endOf(tail: Buffer, tailAt: number) {
  const last = tail.subarray(Math.max(0, tail.length - END_WITHIN_BYTES - LOCATOR_64.bytes - END_64.bytes));
  const end = findEnd(last);
  if (!end) throw damaged("no end record");
  const at = tailAt + tail.length - last.length + end.at;
  const count = last.readUInt16LE(end.at + 10);
  const locator = end.at - LOCATOR_64.bytes;
  const isLarge = count === MAX_16 || end.size === MAX_32 || end.start === MAX_32;
  if (!isLarge || locator < 0 || last.readUInt32LE(locator) !== LOCATOR_64.signature) {
    return { start: end.start, size: end.size, count, endsAt: at };
  }
  // The locator states an offset that can be wrong if bytes precede the archive, so the record is searched before it.
  const record = locator - END_64.bytes;
  if (record < 0 || last.readUInt32LE(record) !== END_64.signature) throw damaged("no end record of Zip64");
  const [total, size, start] = [32, 40, 48].map((field) => Number(last.readBigUInt64LE(record + field)));
  return { start: start!, size: size!, count: total!, endsAt: at - LOCATOR_64.bytes - END_64.bytes };
}

function entriesIn(directory: Buffer, count: number, shift: number): ArchiveEntry[] {
  const found: Omit<ArchiveEntry, "name" | "kind">[] = [];
  const names: RawName[] = [];
  const attributes: number[] = [];
  for (let at = 0; at < directory.length; ) {
    if (at + ENTRY.bytes > directory.length || directory.readUInt32LE(at) !== ENTRY.signature)
      throw damaged("an entry");
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    const nameEnd = at + ENTRY.bytes + nameBytes!;
    const extraEnd = nameEnd + extraBytes!;
    const end = extraEnd + commentBytes!;
    if (end > directory.length) throw damaged("an entry beyond the directory");
    const raw = directory.subarray(at + ENTRY.bytes, nameEnd);
    const extras = extrasIn(directory.subarray(nameEnd, extraEnd));
    found.push({ ...entryAt(directory.subarray(at, nameEnd), extras, shift), rawName: raw });
    names.push({
      bytes: raw,
      isUtf8: (directory.readUInt16LE(at + 8) & FLAG.utf8) !== 0,
      unicode: unicodeName(extras, raw),
    });
    attributes.push(directory.readUInt32LE(at + 38) >>> 16);
    at = end;
    if (found.length > LIMITS.unzippedEntries) throw tooMany(found.length);
  }
  if (found.length !== count) throw damaged(`${found.length} entries instead of ${count}`);
  const decoded = decodeNames(names);
  return found.map((entry, index) => ({
    ...entry,
    name: decoded[index]!,
    kind: kindOf(decoded[index]!, attributes[index]!),
  }));
}

function kindOf(name: string, mode: number): ArchiveEntry["kind"] {
  const type = mode & UNIX.type;
  if (type === UNIX.link) return "link";
  return /[/\\]$/.test(name) || type === UNIX.folder ? "folder" : "file";
}

function entryAt(header: Buffer, extras: ReadonlyMap<number, Buffer>, shift: number) {
  const flags = header.readUInt16LE(8);
  const stated = header.readUInt16LE(10);
  const crc = header.readUInt32LE(16);
  const aes = extras.get(EXTRA.aes);
  const isAes = stated === METHOD_AES && aes !== undefined && aes.length >= 7;
  const isEncrypted = (flags & FLAG.encrypted) !== 0;
  const zip64 = extras.get(EXTRA.zip64);
  let next = 0;
  /** Values that do not fit are in the extra field, in this order. */
  const large = (value: number): number => {
    if (value !== MAX_32 || !zip64 || next + 8 > zip64.length) return value;
    next += 8;
    return Number(zip64.readBigUInt64LE(next - 8));
  };
  const bytes = large(header.readUInt32LE(24));
  const packedBytes = large(header.readUInt32LE(20));
  const at = large(header.readUInt32LE(42)) + shift;
  return {
    ...{ crc, bytes, packedBytes, at },
    method: isAes ? aes.readUInt16LE(5) : stated,
    encryption: isEncrypted
      ? isAes
        ? { version: aes.readUInt16LE(0), strength: aes[4]! }
        : ("zipcrypto" as const)
      : undefined,
    checkByte: flags & FLAG.streamed ? header.readUInt16LE(12) >> 8 : crc >>> 24,
  };
}

function extrasIn(bytes: Buffer): ReadonlyMap<number, Buffer> {
  const extras = new Map<number, Buffer>();
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    extras.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, end));
    at = end;
  }
  return extras;
}

/** Returns the name of the extra field, if it belongs to this name. */
function unicodeName(extras: ReadonlyMap<number, Buffer>, raw: Buffer): Buffer | undefined {
  const extra = extras.get(EXTRA.name);
  return extra && extra.length > 5 && extra[0] === 1 && extra.readUInt32LE(1) === crc32(raw)
    ? extra.subarray(5)
    : undefined;
}

function checkPlaces(entries: readonly ArchiveEntry[], directoryAt: number): readonly ArchiveEntry[] {
  const sorted = entries.toSorted((one, other) => one.at - other.at);
  for (const [index, { at, packedBytes, rawName }] of sorted.entries()) {
    const end = at + LOCAL_HEADER_BYTES + rawName.length + packedBytes;
    const limit = sorted[index + 1]?.at ?? directoryAt;
    if (!(at >= 0 && end <= limit)) throw damaged("entries overlap");
  }
  return sorted;
}
