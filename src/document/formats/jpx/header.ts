// Reads the properties of JPEG 2000 data from their headers (ISO 15444-1, annexes A and I), without decoding.
import { boxesOf } from "./boxes.ts";

export interface JpxHeader {
  readonly width: number;
  readonly height: number;
  /** Components per pixel: only colors, all with the same size and number of bits. */
  readonly components: number;
  /** Bits per component, 8 to 16. */
  readonly bits: number;
  /** Enumerated color space or ICC profile; undefined if there is neither. */
  readonly colors: "gray" | "rgb" | "cmyk" | Uint8Array | undefined;
}

/** Numbers of color spaces (ISO 15444-1, table I.10, and 15444-2, table M.25). */
const SPACES = new Map<number, "gray" | "rgb" | "cmyk">([
  [12, "cmyk"],
  [16, "rgb"],
  [17, "gray"],
]);
const ENUMERATED = 1;
const SIGNATURE = 0xff4f_ff51;

interface Boxes {
  colors: JpxHeader["colors"];
  hasColors: boolean;
  /** True if the data have a palette, opacity, another channel order, or a color space that readers convert. */
  isPeculiar: boolean;
  codestream: Buffer | undefined;
}

/** @returns undefined if the data are damaged, or have a palette, opacity, unequal components or fewer than 8 bits */
export function readJpxHeader(bytes: Uint8Array): JpxHeader | undefined {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const boxes: Boxes = { colors: undefined, hasColors: false, isPeculiar: false, codestream: undefined };
  try {
    if (data.readUInt32BE(0) === SIGNATURE) boxes.codestream = data;
    else for (const { kind, body } of boxesOf(data)) readBox(kind, body, boxes);
    const { codestream, isPeculiar, colors } = boxes;
    const size = codestream && !isPeculiar ? readSize(codestream) : undefined;
    return size && { ...size, colors };
  } catch (error) {
    // Thrown by Buffer for a read beyond its end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readBox(kind: string, body: Buffer, found: Boxes): void {
  if (kind === "jp2c") found.codestream ??= body;
  else if (kind === "pclr" || kind === "cmap") found.isPeculiar = true;
  else if (kind === "cdef") found.isPeculiar ||= !isInOrder(body);
  else if (kind === "colr" && !found.hasColors) {
    found.hasColors = true;
    if (body[0] !== ENUMERATED) {
      found.colors = body.length > 3 ? body.subarray(3) : undefined;
      return;
    }
    found.colors = SPACES.get(body.readUInt32BE(3));
    if (!found.colors) found.isPeculiar = true;
  }
}

/** Reports whether channel i is color i (I.5.3.6). */
function isInOrder(body: Buffer): boolean {
  const count = body.readUInt16BE(0);
  for (let index = 0; index < count; index++) {
    const at = 2 + index * 6;
    const [channel, kind, color] = [0, 2, 4].map((offset) => body.readUInt16BE(at + offset));
    if (kind !== 0 || color !== channel! + 1) return false;
  }
  return true;
}

/** Reads the marker segment SIZ (A.5.1). */
function readSize(data: Buffer): Omit<JpxHeader, "colors"> | undefined {
  if (data.readUInt32BE(0) !== SIGNATURE) return undefined;
  const [right, bottom, left, top] = [8, 12, 16, 20].map((at) => data.readUInt32BE(at)) as [
    ...[number, number, number, number],
  ];
  const components = data.readUInt16BE(40);
  const depth = data.readUInt8(42) + 1;
  if (components < 1 || components > 4 || depth < 8 || depth > 16 || right <= left || bottom <= top) return undefined;
  for (let index = 0; index < components; index++) {
    const at = 42 + index * 3;
    if (data.readUInt8(at) + 1 !== depth || data.readUInt8(at + 1) !== 1 || data.readUInt8(at + 2) !== 1)
      return undefined;
  }
  return { width: right - left, height: bottom - top, components, bits: depth };
}
