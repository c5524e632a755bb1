// Reads samples of a TIFF with any bit depth and format as integers of 8 or 16 bits (6.0 section 19, SampleFormat).
import type { TiffPage } from "./page.ts";

/** The values that map to the minimum and the maximum sample. */
export interface ValueRange {
  readonly least: number;
  readonly most: number;
}

/** Reads a sample of a stored row. */
export type ReadSample = (row: DataView, index: number) => number;

export function sampleReader({ bits, format, file }: TiffPage): ReadSample {
  const le = file.isLittleEndian;
  const half = format === "signed" ? 2 ** (bits - 1) : 0;
  const wrap = 2 ** bits;
  // Shifts two's complement by half the range, so that the minimum is 0.
  const raised = (value: number) => (half === 0 ? value : (value + half) % wrap);
  if (format === "float") {
    if (bits === 16) return (row, index) => halfFloat(row.getUint16(index * 2, le));
    return bits === 32 ? (row, index) => row.getFloat32(index * 4, le) : (row, index) => row.getFloat64(index * 8, le);
  }
  switch (bits) {
    case 8:
      return (row, index) => raised(row.getUint8(index));
    case 16:
      return (row, index) => raised(row.getUint16(index * 2, le));
    case 24:
      return (row, index) => {
        const [a, b, c] = [row.getUint8(index * 3), row.getUint8(index * 3 + 1), row.getUint8(index * 3 + 2)];
        return raised(le ? a + b * 256 + c * 65_536 : a * 65_536 + b * 256 + c);
      };
    case 32:
      return (row, index) => raised(row.getUint32(index * 4, le));
    default:
      return (row, index) => raised(readPacked(row, index * bits, bits));
  }
}

/** Returns a value of up to 15 bits, high bits first. */
function readPacked(row: DataView, bit: number, bits: number): number {
  let value = 0;
  const last = (bit + bits - 1) >> 3;
  for (let byte = bit >> 3; byte <= last; byte++) value = (value << 8) | row.getUint8(byte);
  return (value >> (7 - ((bit + bits - 1) & 7))) & ((1 << bits) - 1);
}

/** Converts IEEE 754 binary16. */
function halfFloat(value: number): number {
  const sign = value & 0x8000 ? -1 : 1;
  const exponent = (value >> 10) & 31;
  const fraction = value & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  return exponent === 31 ? Number.NaN : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Returns the output bits per sample: 8 if the input has up to 8, otherwise 16. */
export const depthOf = ({ bits }: TiffPage): 8 | 16 => (bits <= 8 ? 8 : 16);

/** Returns a function that scales a value. NaN maps to the minimum. */
export function scaling(range: ValueRange, depth: 8 | 16): (value: number) => number {
  const most = 2 ** depth - 1;
  const scale = most / (range.most - range.least || 1);
  return (value) => {
    const scaled = Math.round((value - range.least) * scale);
    return scaled > 0 ? Math.min(most, scaled) : 0;
  };
}

/**
 * Returns the range of values that the format or the file states: integers of up to 24 bits have their full range.
 * @returns undefined if the range must be measured ({@link measuredRange})
 */
export function statedRange({ bits, format, directory, samples }: TiffPage): ValueRange | undefined {
  const [least, most] = [directory.numbers(340, samples), directory.numbers(341, samples)];
  const isStated = least.length > 0 && most.length > 0 && format !== "signed";
  const stated = isStated ? { least: Math.min(...least), most: Math.max(...most) } : undefined;
  if (stated && (bits >= 32 || format === "float") && stated.most > stated.least) return stated;
  return bits < 32 && format !== "float" ? { least: 0, most: 2 ** bits - 1 } : undefined;
}

/**
 * Returns the range of values if none is stated. Floating-point values between 0 and 1 have the range 0 to 1, and
 * integers that use their highest byte have their full range. Other values are measurements, scaled from their minimum
 * to their maximum in the image.
 */
export function measuredRange({ bits, format }: TiffPage, found: ValueRange): ValueRange {
  if (format === "float") return found.least >= 0 && found.most <= 1 ? { least: 0, most: 1 } : found;
  return found.most >= 2 ** (bits - 8) ? { least: 0, most: 2 ** bits - 1 } : found;
}
