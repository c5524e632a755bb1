// Writes image file directories of TIFF and BigTIFF (TIFF 6.0 section 2, and Adobe's BigTIFF design note),
// little-endian.

export const SHORT = 3;
export const LONG = 4;
export const RATIONAL = 5;
export const UNDEFINED = 7;
/** Type of offsets and byte counts: LONG, or LONG8 in BigTIFF. */
export const OFFSET = 16;
type FieldType = typeof SHORT | typeof LONG | typeof RATIONAL | typeof UNDEFINED | typeof OFFSET;

export interface Field {
  readonly tag: number;
  readonly type: FieldType;
  /** Numbers. A rational consists of two numbers, numerator first. */
  readonly values: ArrayLike<number>;
  /** Offset of the values in the file, if they are written elsewhere. @default they follow the directory */
  readonly at?: number;
}

/** Returns the size of the file header in bytes. */
export function headerBytes(big: boolean): number {
  return big ? 16 : 8;
}

/** Returns the file header, which contains the offset of the directory. */
export function fileHeader(big: boolean, directoryOffset: number): Uint8Array {
  const bytes = new Uint8Array(headerBytes(big));
  const view = new DataView(bytes.buffer);
  view.setUint16(0, 0x4949, true);
  view.setUint16(2, big ? 43 : 42, true);
  if (big) {
    view.setUint16(4, 8, true);
    view.setBigUint64(8, BigInt(directoryOffset), true);
  } else {
    view.setUint32(4, directoryOffset, true);
  }
  return bytes;
}

/**
 * Returns a directory, followed by the values that do not fit in it.
 * @param fields in ascending order of tags, as section 2 requires
 * @param offset even offset of the directory in the file
 * @param hasNext true if another directory follows the values
 */
export function directory(big: boolean, fields: readonly Field[], offset: number, hasNext = false): Uint8Array {
  const inlineBytes = big ? 8 : 4;
  const countBytes = big ? 8 : 2;
  const entryBytes = big ? 20 : 12;
  const tableBytes = countBytes + fields.length * entryBytes + inlineBytes;
  let total = even(tableBytes);
  for (const field of fields) {
    const size = valueBytes(big, field);
    if (size > inlineBytes && field.at === undefined) total += even(size);
  }
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  const setOffset = (at: number, value: number): void => {
    if (big) view.setBigUint64(at, BigInt(value), true);
    else view.setUint32(at, value, true);
  };
  if (big) view.setBigUint64(0, BigInt(fields.length), true);
  else view.setUint16(0, fields.length, true);
  let free = even(tableBytes);
  fields.forEach((field, index) => {
    const at = countBytes + index * entryBytes;
    const size = valueBytes(big, field);
    view.setUint16(at, field.tag, true);
    view.setUint16(at + 2, field.type === OFFSET && !big ? LONG : field.type, true);
    setOffset(at + 4, field.type === RATIONAL ? field.values.length / 2 : field.values.length);
    const valueAt = at + entryBytes - inlineBytes;
    if (size <= inlineBytes) {
      setValues(view, big, field, valueAt);
    } else if (field.at !== undefined) {
      setOffset(valueAt, field.at);
    } else {
      setOffset(valueAt, offset + free);
      setValues(view, big, field, free);
      free += even(size);
    }
  });
  if (hasNext) setOffset(tableBytes - inlineBytes, offset + total);
  return bytes;
}

function even(count: number): number {
  return count + (count & 1);
}

/** Returns the size of a number in bytes. */
function numberBytes(big: boolean, type: FieldType): number {
  switch (type) {
    case UNDEFINED:
      return 1;
    case SHORT:
      return 2;
    case LONG:
    case RATIONAL:
      return 4;
    case OFFSET:
      return big ? 8 : 4;
  }
}

function valueBytes(big: boolean, field: Field): number {
  return field.values.length * numberBytes(big, field.type);
}

function setValues(view: DataView, big: boolean, field: Field, start: number): void {
  const size = numberBytes(big, field.type);
  for (let i = 0; i < field.values.length; i++) {
    const at = start + i * size;
    const value = field.values[i]!;
    if (size === 1) view.setUint8(at, value);
    else if (size === 2) view.setUint16(at, value, true);
    else if (size === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
  }
}
