// Writes the records of a zip archive (PKWARE's APPNOTE.TXT 6.3.10; numbers in comments are its sections).

export const METHOD = { stored: 0, deflated: 8 } as const;

export interface EntryHead {
  /** Name in UTF-8, with `/` between folders. */
  readonly name: string;
  readonly method: (typeof METHOD)[keyof typeof METHOD];
  readonly modified: Date;
  /** True if sizes and CRC follow the data, because they are unknown before (4.4.4, bit 3). */
  readonly streamed: boolean;
  /** True if a size can exceed 32 bits (4.5.3). */
  readonly large: boolean;
}

export interface EntrySizes {
  readonly crc32: number;
  /** Number of bytes in the archive. */
  readonly compressed: number;
  readonly uncompressed: number;
}

/** An entry whose data was written. */
export interface ZipEntry extends EntryHead, EntrySizes {
  /** Offset of its local header. */
  readonly offset: number;
}

const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const CENTRAL_HEADER = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;
const END_64_LOCATOR = 0x07064b50;
const FLAG = { streamed: 1 << 3, utf8: 1 << 11 };
const VERSION = { plain: 20, zip64: 45 };
/** Operating system whose permissions are in the external attributes (4.4.2). */
const MADE_ON_UNIX = 3;
const REGULAR_FILE = 0o100644;
const EXTRA = { zip64: 0x0001, timestamp: 0x5455 };
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;

/**
 * Reports whether a size or an offset needs 64 bits. The maximum 32-bit number also needs 64 bits, because it means
 * "see the 64-bit field".
 */
const isLarge = (value: number) => value >= MAX_32;

/** Returns a local header (4.3.7). @param sizes if known before the data */
export function localHeader(head: EntryHead, sizes?: EntrySizes): Uint8Array {
  const { crc32 = 0, compressed = 0, uncompressed = 0 } = sizes ?? {};
  const name = new TextEncoder().encode(head.name);
  const record = new RecordWriter();
  const extra = new RecordWriter();
  if (head.large) extra.u16(EXTRA.zip64).u16(16).u64(uncompressed).u64(compressed);
  extra.bytes(timestamp(head.modified));
  record.u32(LOCAL_HEADER).u16(head.large ? VERSION.zip64 : VERSION.plain);
  record.bytes(common(head));
  record
    .u32(crc32)
    .u32(head.large ? MAX_32 : compressed)
    .u32(head.large ? MAX_32 : uncompressed);
  record.u16(name.length).u16(extra.length).bytes(name).bytes(extra.take());
  return record.take();
}

/** Returns the record after the data of a streamed entry (4.3.9). */
export function dataDescriptor({ large }: EntryHead, { crc32, compressed, uncompressed }: EntrySizes): Uint8Array {
  const record = new RecordWriter().u32(DESCRIPTOR).u32(crc32);
  return (large ? record.u64(compressed).u64(uncompressed) : record.u32(compressed).u32(uncompressed)).take();
}

/**
 * Yields the central directory, in chunks (4.3.12 to 4.3.16).
 * @param offset number of bytes before the directory
 */
export function* centralDirectory(entries: readonly ZipEntry[], offset: number): Generator<Uint8Array> {
  let size = 0;
  for (const entry of entries) {
    const header = centralHeader(entry);
    size += header.length;
    yield header;
  }
  const end = new RecordWriter();
  if (entries.length >= MAX_16 || isLarge(size) || isLarge(offset)) {
    const restBytes = 44;
    end.u32(END_64).u64(restBytes);
    end.u16((MADE_ON_UNIX << 8) | VERSION.zip64).u16(VERSION.zip64);
    end.u32(0).u32(0).u64(entries.length).u64(entries.length);
    end.u64(size).u64(offset);
    end
      .u32(END_64_LOCATOR)
      .u32(0)
      .u64(offset + size)
      .u32(1);
  }
  const count = Math.min(entries.length, MAX_16);
  end.u32(END).u16(0).u16(0).u16(count).u16(count);
  end.u32(Math.min(size, MAX_32)).u32(Math.min(offset, MAX_32)).u16(0);
  yield end.take();
}

function centralHeader(entry: ZipEntry): Uint8Array {
  const { crc32, compressed, uncompressed, offset, modified } = entry;
  const name = new TextEncoder().encode(entry.name);
  const long = [uncompressed, compressed, offset].filter(isLarge);
  const extra = new RecordWriter();
  // Includes only values that exceed 32 bits, in this order (4.5.3).
  if (long.length > 0) extra.u16(EXTRA.zip64).u16(8 * long.length);
  for (const value of long) extra.u64(value);
  extra.bytes(timestamp(modified));
  const version = entry.large || long.length > 0 ? VERSION.zip64 : VERSION.plain;
  const record = new RecordWriter();
  record
    .u32(CENTRAL_HEADER)
    .u16((MADE_ON_UNIX << 8) | version)
    .u16(version);
  record.bytes(common(entry)).u32(crc32);
  record.u32(Math.min(compressed, MAX_32)).u32(Math.min(uncompressed, MAX_32));
  record.u16(name.length).u16(extra.length).u16(0).u16(0).u16(0);
  record.u32(REGULAR_FILE * 2 ** 16).u32(Math.min(offset, MAX_32));
  record.bytes(name).bytes(extra.take());
  return record.take();
}

/** Returns the fields shared by local and central headers: flags, method, time and date. */
function common({ streamed, method, modified }: EntryHead): Uint8Array {
  const { time, date } = dosTime(modified);
  const flags = FLAG.utf8 | (streamed ? FLAG.streamed : 0);
  return new RecordWriter().u16(flags).u16(method).u16(time).u16(date).take();
}

/** Returns time and date in the format of MS-DOS: from 1980 to 2107, in steps of two seconds, here in UTC (4.4.6). */
function dosTime(time: Date): { time: number; date: number } {
  const first = Date.UTC(1980, 0, 1);
  const last = Date.UTC(2107, 11, 31, 23, 59, 58);
  const at = new Date(Math.min(Math.max(time.getTime(), first), last));
  return {
    time: (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    date: ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  };
}

/** Returns Info-ZIP's extended timestamp in UTC seconds. Readers prefer it to the time in the header. */
function timestamp(time: Date): Uint8Array {
  const MODIFIED = 1;
  const seconds = Math.min(Math.max(Math.floor(time.getTime() / 1000), 0), 2 ** 31 - 1);
  return new RecordWriter().u16(EXTRA.timestamp).u16(5).u8(MODIFIED).u32(seconds).take();
}

/** Writes consecutive little-endian fields. */
class RecordWriter {
  readonly #view = new DataView(new ArrayBuffer(256));
  #parts: Uint8Array[] = [];
  #at = 0;
  #length = 0;

  get length(): number {
    return this.#length + this.#at;
  }
  u8(value: number): this {
    this.#view.setUint8(this.#room(1), value);
    return this;
  }
  u16(value: number): this {
    this.#view.setUint16(this.#room(2), value, true);
    return this;
  }
  u32(value: number): this {
    this.#view.setUint32(this.#room(4), value, true);
    return this;
  }
  u64(value: number): this {
    this.#view.setBigUint64(this.#room(8), BigInt(value), true);
    return this;
  }
  bytes(value: Uint8Array): this {
    this.#flush();
    this.#parts.push(value);
    this.#length += value.length;
    return this;
  }
  take(): Uint8Array {
    this.#flush();
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const part of this.#parts) {
      whole.set(part, at);
      at += part.length;
    }
    return whole;
  }
  #room(bytes: number): number {
    if (this.#at + bytes > this.#view.byteLength) this.#flush();
    this.#at += bytes;
    return this.#at - bytes;
  }
  #flush(): void {
    if (this.#at === 0) return;
    this.#parts.push(new Uint8Array(this.#view.buffer.slice(0, this.#at)));
    this.#length += this.#at;
    this.#at = 0;
  }
}
