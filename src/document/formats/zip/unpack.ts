// Unpacks the entries of a zip archive, one after the other, while the archive is read.
import { crc32, inflateRawSync } from "node:zlib";
import type { ByteReader } from "../../contract/byte-reader.ts";
import { EngineFailure } from "../../contract/failure.ts";
import { Inflater } from "../deflate/inflate.ts";
import { inflate64 } from "../deflate/inflate64.ts";
import type { ArchiveEntry } from "./contents.ts";
import { type Decryptor, WinZipAes, ZipCrypto } from "./decrypt.ts";
import { dataOffset, LOCAL_HEADER_BYTES } from "./directory.ts";
import { METHOD } from "./records.ts";

/** Names of known methods that are not supported (APPNOTE.TXT 4.4.5). */
const METHODS: Readonly<Record<number, string>> = {
  1: "Shrink",
  6: "Implode",
  12: "BZIP2",
  14: "LZMA",
  93: "Zstandard",
  95: "XZ",
  98: "PPMd",
};
/** Method of compression that only this file reads (APPNOTE.TXT 4.4.5). */
const METHOD_DEFLATED_64 = 9;
/** Version of AES whose entries have no checksum, because it would reveal their contents. */
const AE_2 = 2;
/** Largest entry that is unpacked at once, which is faster than a stream. */
const SMALL = { packedBytes: 64 * 1024, bytes: 2 ** 20 };
const MIN_CHUNK_BYTES = 64;
/**
 * Margin of the output limit: workerd enlarges zlib output buffers by up to a factor of two, and fails if a step
 * exceeds the limit.
 */
export const INFLATE_STEP_BYTES = 65_536;
const NOTHING = new Uint8Array(0);

/**
 * Yields the contents of an entry.
 * @param reader at or before the entry; afterwards, it is after the data
 * @throws EngineFailure `damaged`, `unsupported`, `password-required`, `password-protected`
 */
export async function* entryData(
  reader: ByteReader,
  entry: ArchiveEntry,
  password: string | undefined,
): AsyncGenerator<Uint8Array> {
  const fail = (detail: string) => new EngineFailure("damaged", `${entry.name}: ${detail}`);
  const { method, bytes, crc, encryption } = entry;
  if (method !== METHOD.stored && method !== METHOD.deflated && method !== METHOD_DEFLATED_64) {
    const feature = `compression by ${METHODS[method] ?? `method ${method}`}`;
    throw new EngineFailure("unsupported", feature, { feature });
  }
  await toData(reader, entry);
  const decryptor = decryptorOf(entry, password);
  const packed = decrypted(reader, entry, decryptor);
  let size = 0;
  let checksum = 0;
  for await (const part of unpacked(packed, entry, fail)) {
    size += part.length;
    if (size > bytes) throw fail(`more than ${bytes} bytes`);
    checksum = crc32(part, checksum);
    yield part;
  }
  const hasChecksum = typeof encryption !== "object" || encryption.version !== AE_2;
  if (size !== bytes || (hasChecksum && checksum !== crc)) throw fail("wrong size or checksum");
}

/** Skips the local header, after checking that it belongs to the entry. */
async function toData(reader: ByteReader, { at, name, rawName }: ArchiveEntry): Promise<void> {
  await reader.skip(at - reader.position);
  const header = Buffer.from((await reader.read(LOCAL_HEADER_BYTES)) ?? NOTHING);
  const offset = dataOffset(header);
  const found = offset === undefined ? undefined : await reader.read(offset - LOCAL_HEADER_BYTES);
  if (!found || header.readUInt16LE(26) !== rawName.length || !rawName.equals(found.subarray(0, rawName.length))) {
    throw new EngineFailure("damaged", `${name}: its local header differs from the directory`);
  }
}

function decryptorOf(entry: ArchiveEntry, password: string | undefined): Decryptor | undefined {
  const { encryption, checkByte } = entry;
  if (!encryption) return undefined;
  if (password === undefined) throw new EngineFailure("password-required", "an encrypted entry");
  const bytes = Buffer.from(password);
  return encryption === "zipcrypto" ? new ZipCrypto(bytes, checkByte) : new WinZipAes(bytes, encryption);
}

async function* decrypted(
  reader: ByteReader,
  { packedBytes }: ArchiveEntry,
  decryptor: Decryptor | undefined,
): AsyncGenerator<Uint8Array> {
  const { before = 0, after = 0 } = decryptor ?? {};
  const exactly = async (count: number): Promise<Uint8Array> => {
    const bytes = count <= packedBytes ? await reader.read(count) : undefined;
    if (!bytes) throw new EngineFailure("damaged", "an entry ends early");
    return bytes;
  };
  decryptor?.start(await exactly(before));
  let left = packedBytes - before - after;
  for await (const part of reader.pieces(left)) {
    left -= part.length;
    yield decryptor ? decryptor.decrypt(part) : part;
  }
  if (left !== 0) throw new EngineFailure("damaged", "the data of an entry end early");
  decryptor?.end(await exactly(after));
}

function unpacked(
  packed: AsyncIterable<Uint8Array>,
  { method, packedBytes, bytes }: ArchiveEntry,
  fail: (detail: string) => Error,
): AsyncIterable<Uint8Array> {
  if (method === METHOD.stored) return packed;
  if (method === METHOD_DEFLATED_64) return inflate64(packed, () => fail("its data are damaged"));
  const isSmall = packedBytes <= SMALL.packedBytes && bytes <= SMALL.bytes;
  return isSmall ? inflatedAtOnce(packed, fail, bytes) : inflated(packed, fail);
}

async function* inflatedAtOnce(packed: AsyncIterable<Uint8Array>, fail: (detail: string) => Error, bytes: number) {
  const parts: Uint8Array[] = [];
  for await (const part of packed) parts.push(part.slice());
  const limit = { maxOutputLength: 2 * bytes + INFLATE_STEP_BYTES, chunkSize: Math.max(MIN_CHUNK_BYTES, bytes + 1) };
  let data: Uint8Array;
  try {
    data = inflateRawSync(Buffer.concat(parts), limit);
  } catch (error) {
    const isTooLarge = error instanceof RangeError;
    throw fail(isTooLarge ? `more than ${bytes} bytes` : "its data are damaged");
  }
  yield data;
}

async function* inflated(packed: AsyncIterable<Uint8Array>, fail: (detail: string) => Error) {
  using inflater = new Inflater("raw");
  for await (const part of packed) yield* inflater.push(part);
  if (!(await inflater.end())) throw fail("its data are damaged");
}
