// Creates small ICC profiles of version 2 (ICC.1:2001-04), from constants or from a profile of version 4.
import { HEADER_BYTES, readHeader, readTags, TAG_BYTES, textAt, viewOf } from "./header.ts";

const VERSION_2_1 = 0x0210_0000;
/** The D50 illuminant of the profile connection space, which is also the media white point: X, Y, Z (7.2.16). */
const D50 = [0.9642, 1, 0.8249] as const;
/** Points of a transfer curve, enough for 10 bits. */
const CURVE_POINTS = 1024;
/** Primaries of sRGB (IEC 61966-2-1), adapted to D50 with the Bradford transform. */
const SRGB_PRIMARIES = {
  rXYZ: [0.43607, 0.22249, 0.01392],
  gXYZ: [0.38515, 0.71687, 0.09708],
  bXYZ: [0.14307, 0.06061, 0.7141],
} as const;
/** Tags of matrix/TRC profiles and of gray profiles. */
const CURVES = ["rTRC", "gTRC", "bTRC"] as const;
const COLUMNS = ["rXYZ", "gXYZ", "bXYZ"] as const;

/** Returns an sRGB profile of about 2.5 KB. */
export function srgbProfile(): Uint8Array {
  return rgbProfile("sRGB IEC61966-2.1", SRGB_PRIMARIES, srgbDecoded);
}

/**
 * @param primaries X, Y, Z of red, green and blue, adapted to D50
 * @param linear linearizes a component, from 0 to 1
 */
export function rgbProfile(
  description: string,
  primaries: Readonly<Record<(typeof COLUMNS)[number], readonly number[]>>,
  linear: (value: number) => number,
): Uint8Array {
  const curve = curveTag(linear);
  return profile("RGB ", description, [
    ...COLUMNS.map((tag): Tag => [tag, xyzTag(primaries[tag])]),
    ...CURVES.map((tag): Tag => [tag, curve]),
  ]);
}

/**
 * Returns a gray profile.
 * @param luminance of a component; both are from 0 for black to 1 for white. @default the curve of sRGB
 */
export function grayProfile(description = "Gray with the curve of sRGB", luminance = srgbDecoded): Uint8Array {
  return profile("GRAY", description, [["kTRC", curveTag(luminance)]]);
}

/**
 * Converts a matrix/TRC profile of version 4 to version 2, with the same colors.
 * @returns undefined for other profiles
 */
export function asVersion2(bytes: Uint8Array): Uint8Array | undefined {
  const header = readHeader(bytes);
  if (header?.version !== 4 || !["mntr", "scnr", "spac"].includes(header.deviceClass)) return undefined;
  const tags = new Map(readTags(bytes)?.map(({ signature, data }) => [signature, data]));
  // Lookup tables take precedence over matrix and curves (8.3).
  if (["A2B0", "A2B1", "D2B0"].some((tag) => tags.has(tag)) || textAt(bytes, 20) !== "XYZ ") return undefined;
  const isGray = header.space === "GRAY";
  if (!isGray && header.space !== "RGB ") return undefined;
  const curves = (isGray ? ["kTRC"] : CURVES).map((tag): Tag | undefined => {
    const curve = readCurve(tags.get(tag));
    return curve && [tag, curveTag(curve)];
  });
  const columns = (isGray ? [] : COLUMNS).map((tag): Tag | undefined => {
    const column = tags.get(tag);
    return column && column.length >= 20 && textAt(column, 0) === "XYZ " ? [tag, column.slice(0, 20)] : undefined;
  });
  const all = [...columns, ...curves];
  if (!all.every((tag) => tag !== undefined)) return undefined;
  return profile(header.space, "The colors of an embedded profile", all);
}

type Tag = readonly [signature: string, data: Uint8Array];

function profile(space: string, description: string, tags: readonly Tag[]): Uint8Array {
  const all: Tag[] = [
    ["desc", descriptionTag(description)],
    ["cprt", textTag("No rights reserved")],
    ["wtpt", xyzTag(D50)],
    ...tags,
  ];
  // Tags with equal data share it (7.3.1).
  const places = new Map<Uint8Array, number>();
  let size = HEADER_BYTES + 4 + TAG_BYTES * all.length;
  for (const [, data] of all) {
    if (places.has(data)) continue;
    places.set(data, size);
    size += (data.length + 3) & ~3;
  }
  const bytes = new Uint8Array(size);
  const view = viewOf(bytes);
  view.setUint32(0, size);
  view.setUint32(8, VERSION_2_1);
  putText(bytes, 12, "mntr");
  putText(bytes, 16, space);
  putText(bytes, 20, "XYZ ");
  for (const [index, value] of [2026, 1, 1, 0, 0, 0].entries()) view.setUint16(24 + 2 * index, value);
  putText(bytes, 36, "acsp");
  D50.forEach((value, index) => {
    view.setInt32(68 + 4 * index, fixed(value));
  });
  view.setUint32(HEADER_BYTES, all.length);
  all.forEach(([signature, data], index) => {
    const at = HEADER_BYTES + 4 + TAG_BYTES * index;
    const place = places.get(data)!;
    putText(bytes, at, signature);
    view.setUint32(at + 4, place);
    view.setUint32(at + 8, data.length);
    bytes.set(data, place);
  });
  return bytes;
}

/** Linearizes a value of sRGB (IEC 61966-2-1, 5.2). */
function srgbDecoded(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

/** Writes a curve (ICC.1:2001-04, 6.5.3). */
function curveTag(curve: (value: number) => number): Uint8Array {
  const bytes = new Uint8Array(12 + 2 * CURVE_POINTS);
  const view = viewOf(bytes);
  putText(bytes, 0, "curv");
  view.setUint32(8, CURVE_POINTS);
  for (let point = 0; point < CURVE_POINTS; point++) {
    const value = Math.min(1, Math.max(0, curve(point / (CURVE_POINTS - 1))));
    view.setUint16(12 + 2 * point, Math.round(value * 0xffff));
  }
  return bytes;
}

/** Writes X, Y and Z (ICC.1:2001-04, 6.5.26). */
function xyzTag(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(20);
  putText(bytes, 0, "XYZ ");
  values.forEach((value, index) => {
    viewOf(bytes).setInt32(8 + 4 * index, fixed(value));
  });
  return bytes;
}

/** Writes an ASCII description (ICC.1:2001-04, 6.5.17), without its Unicode and Macintosh versions. */
function descriptionTag(text: string): Uint8Array {
  const bytes = new Uint8Array(12 + text.length + 1 + 8 + 3 + 67);
  putText(bytes, 0, "desc");
  viewOf(bytes).setUint32(8, text.length + 1);
  putText(bytes, 12, text);
  return bytes;
}

function textTag(text: string): Uint8Array {
  const bytes = new Uint8Array(8 + text.length + 1);
  putText(bytes, 0, "text");
  putText(bytes, 8, text);
  return bytes;
}

/** Reads a curve (ICC.1:2010, 10.5 and 10.15). */
function readCurve(tag: Uint8Array | undefined): ((value: number) => number) | undefined {
  if (!tag || tag.length < 12) return undefined;
  const view = viewOf(tag);
  if (textAt(tag, 0) === "para") return parametric(view);
  const count = view.getUint32(8);
  if (textAt(tag, 0) !== "curv" || 12 + 2 * count > tag.length) return undefined;
  if (count === 0) return (value) => value;
  const point = (index: number) => view.getUint16(12 + 2 * Math.min(count - 1, index));
  if (count === 1) return (value) => value ** (point(0) / 256);
  return (value) => {
    const position = value * (count - 1);
    const below = Math.floor(position);
    return (point(below) + (point(below + 1) - point(below)) * (position - below)) / 0xffff;
  };
}

/** Number of parameters of each function type (ICC.1:2010, table 65). */
const PARAMETERS = [1, 3, 4, 5, 7];

function parametric(view: DataView): ((value: number) => number) | undefined {
  const kind = view.getUint16(8);
  const count = PARAMETERS[kind];
  if (count === undefined || 12 + 4 * count > view.byteLength) return undefined;
  const numbers = Array.from({ length: count }, (_, index) => view.getInt32(12 + 4 * index) / 0x1_0000);
  const [g, a = 1, b = 0, third = 0, fourth = 0, e = 0, f = 0] = numbers as [number, ...number[]];
  const power = (value: number) => Math.max(0, a * value + b) ** g;
  switch (kind) {
    case 0:
      return (value) => value ** g;
    case 1:
      return (value) => (a !== 0 && value >= -b / a ? power(value) : 0);
    case 2:
      return (value) => (a !== 0 && value >= -b / a ? power(value) + third : third);
    default:
      return (value) => (value >= fourth ? power(value) + e : third * value + f);
  }
}

const fixed = (value: number) => Math.round(value * 0x1_0000);

function putText(bytes: Uint8Array, at: number, text: string): void {
  for (let index = 0; index < text.length; index++) bytes[at + index] = text.charCodeAt(index);
}
