// Reads the values of image file directories by tag: of TIFF (6.0 section 2), BigTIFF and EXIF.

/**
 * Bytes per value, by type number: types of TIFF 6.0; IFD of its first supplement; LONG8, SLONG8 and IFD8 of BigTIFF.
 */
const TYPE_BYTES = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
const [SHORT, LONG, RATIONAL, SBYTE, SSHORT, SLONG, SRATIONAL, FLOAT, DOUBLE] = [3, 4, 5, 6, 8, 9, 10, 11, 12];
const [IFD, LONG8, SLONG8, IFD8] = [13, 16, 17, 18];
/** Maximum number of entries. A TIFF directory has at most 65,535; a BigTIFF directory with more entries is damaged. */
const MAX_FIELDS = 65_535;

interface Field {
  readonly type: number;
  readonly count: number;
  /** Offset of the first value. */
  readonly offset: number;
}

/** A TIFF file in memory. It can be a part of another file. */
export interface TiffBytes {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly isLittleEndian: boolean;
  readonly isBig: boolean;
  readonly firstDirectory: number;
}

/** @returns undefined without a TIFF header */
export function openTiff(bytes: Uint8Array): TiffBytes | undefined {
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const isLittleEndian = bytes[0] === 0x49 && bytes[1] === 0x49;
  if (!isLittleEndian && !(bytes[0] === 0x4d && bytes[1] === 0x4d)) return undefined;
  const version = view.getUint16(2, isLittleEndian);
  if (version === 42) {
    return { bytes, view, isLittleEndian, isBig: false, firstDirectory: view.getUint32(4, isLittleEndian) };
  }
  if (version !== 43 || bytes.length < 16 || view.getUint16(4, isLittleEndian) !== 8) return undefined;
  return { bytes, view, isLittleEndian, isBig: true, firstDirectory: Number(view.getBigUint64(8, isLittleEndian)) };
}

/** The entries of one directory. Values are read on request, if they are inside the file. */
export class Directory {
  readonly #file: TiffBytes;
  readonly #fields = new Map<number, Field>();
  /** Offset of the next directory; 0 for none. */
  readonly next: number;

  private constructor(file: TiffBytes, offset: number, count: number) {
    this.#file = file;
    const { view, isLittleEndian, isBig } = file;
    const [headBytes, entryBytes, inlineBytes] = isBig ? [8, 20, 8] : [2, 12, 4];
    let at = offset + headBytes;
    for (let index = 0; index < count && at + entryBytes <= view.byteLength; index++, at += entryBytes) {
      const tag = view.getUint16(at, isLittleEndian);
      const type = view.getUint16(at + 2, isLittleEndian);
      const values = isBig ? Number(view.getBigUint64(at + 4, isLittleEndian)) : view.getUint32(at + 4, isLittleEndian);
      const valueOffset = at + entryBytes - inlineBytes;
      const size = values * (TYPE_BYTES[type] ?? 0);
      if (size === 0 || this.#fields.has(tag)) continue;
      const start = size <= inlineBytes ? valueOffset : offsetAt(file, valueOffset);
      // If the file ends within a list of values, the start of the list can be sufficient.
      const whole = Math.min(values, Math.floor((view.byteLength - start) / TYPE_BYTES[type]!));
      if (whole > 0) this.#fields.set(tag, { type, count: whole, offset: start });
    }
    this.next = at + (isBig ? 8 : 4) <= view.byteLength ? offsetAt(file, at) : 0;
  }

  /** @returns undefined if there is no directory */
  static read(file: TiffBytes, offset: number): Directory | undefined {
    const { view, isLittleEndian, isBig } = file;
    if (!Number.isSafeInteger(offset) || offset < 8 || offset + (isBig ? 8 : 2) > view.byteLength) return undefined;
    const count = isBig ? Number(view.getBigUint64(offset, isLittleEndian)) : view.getUint16(offset, isLittleEndian);
    return count > 0 && count <= MAX_FIELDS ? new Directory(file, offset, count) : undefined;
  }

  has(tag: number): boolean {
    return this.#fields.has(tag);
  }

  /** Returns the number of values; 0 for an absent tag. */
  count(tag: number): number {
    return this.#fields.get(tag)?.count ?? 0;
  }

  /** Returns one value. Indexes start at 0. */
  number(tag: number, index = 0): number | undefined {
    const field = this.#fields.get(tag);
    return field && index < field.count ? this.#value(field, index) : undefined;
  }

  /** @param most maximum number of values to read */
  numbers(tag: number, most: number): number[] {
    const field = this.#fields.get(tag);
    if (!field) return [];
    return Array.from({ length: Math.min(most, field.count) }, (_, index) => this.#value(field, index));
  }

  /** Returns the stored bytes of the values. */
  bytes(tag: number): Uint8Array | undefined {
    const field = this.#fields.get(tag);
    if (!field) return undefined;
    return this.#file.bytes.subarray(field.offset, field.offset + field.count * TYPE_BYTES[field.type]!);
  }

  #value({ type, offset }: Field, index: number): number {
    const { view, isLittleEndian: le } = this.#file;
    const at = offset + index * TYPE_BYTES[type]!;
    switch (type) {
      case SHORT:
        return view.getUint16(at, le);
      case LONG:
      case IFD:
        return view.getUint32(at, le);
      case LONG8:
      case IFD8:
        return Number(view.getBigUint64(at, le));
      case SLONG8:
        return Number(view.getBigInt64(at, le));
      case RATIONAL:
        return view.getUint32(at, le) / view.getUint32(at + 4, le);
      case SRATIONAL:
        return view.getInt32(at, le) / view.getInt32(at + 4, le);
      case FLOAT:
        return view.getFloat32(at, le);
      case DOUBLE:
        return view.getFloat64(at, le);
      case SBYTE:
        return view.getInt8(at);
      case SSHORT:
        return view.getInt16(at, le);
      case SLONG:
        return view.getInt32(at, le);
      default:
        return view.getUint8(at);
    }
  }
}

function offsetAt({ view, isLittleEndian, isBig }: TiffBytes, at: number): number {
  return isBig ? Number(view.getBigUint64(at, isLittleEndian)) : view.getUint32(at, isLittleEndian);
}
