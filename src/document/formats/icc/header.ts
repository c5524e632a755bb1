// Reads the header and the tag table of ICC profiles (ICC.1).

/**
 * Maximum size of a profile: the capacity of JPEG, the most limited format, with 255 segments of 65,519 bytes (annex
 * B.4). So no profile is lost between formats; the largest print profiles have about 3 MB.
 */
export const MAX_PROFILE_BYTES = 16 * 2 ** 20;
export const HEADER_BYTES = 128;
export const TAG_BYTES = 12;
/** A header, a tag count, and one tag. */
const MIN_PROFILE_BYTES = HEADER_BYTES + 4 + TAG_BYTES;
/** Maximum number of tags, equal to the limit of color management in common PDF readers. */
const MAX_TAGS = 200;
/** Classes of profiles that define colors by themselves: input, display, output and color space (7.2.5). */
export const COLOR_CLASSES: ReadonlySet<string> = new Set(["scnr", "mntr", "prtr", "spac"]);
const COMPONENTS: ReadonlyMap<string, 1 | 3 | 4> = new Map([
  ["GRAY", 1],
  ["RGB ", 3],
  ["Lab ", 3],
  ["CMYK", 4],
]);

export interface ProfileHeader {
  /** Major version. */
  readonly version: number;
  /** One of `COLOR_CLASSES`, or another class. */
  readonly deviceClass: string;
  /** Data color space, four characters: `RGB `, `CMYK`, `GRAY`, `Lab `, or another one. */
  readonly space: string;
}

export interface ProfileTag {
  readonly signature: string;
  readonly data: Uint8Array;
}

/** Number of components; undefined for color spaces that PDF does not support (ISO 32000-1, table 67). */
export const componentsOf = (space: string): 1 | 3 | 4 | undefined => COMPONENTS.get(space);

/** @returns undefined unless the bytes start with a complete profile that contains all its tags (7.2.2, 7.3) */
export function readHeader(bytes: Uint8Array): ProfileHeader | undefined {
  if (!isWhole(bytes)) return undefined;
  return { version: bytes[8]!, deviceClass: textAt(bytes, 12), space: textAt(bytes, 16) };
}

/** @returns the profile without the bytes that follow it; undefined if its header is invalid */
export function profileOf(bytes: Uint8Array): Uint8Array | undefined {
  return isWhole(bytes) ? bytes.subarray(0, viewOf(bytes).getUint32(0)) : undefined;
}

/** @returns undefined if the header is invalid */
export function readTags(bytes: Uint8Array): readonly ProfileTag[] | undefined {
  if (!isWhole(bytes)) return undefined;
  const view = viewOf(bytes);
  return Array.from({ length: view.getUint32(HEADER_BYTES) }, (_, index) => {
    const entry = HEADER_BYTES + 4 + TAG_BYTES * index;
    const start = view.getUint32(entry + 4);
    return { signature: textAt(bytes, entry), data: bytes.subarray(start, start + view.getUint32(entry + 8)) };
  });
}

function isWhole(bytes: Uint8Array): boolean {
  if (bytes.length < MIN_PROFILE_BYTES || bytes.length > MAX_PROFILE_BYTES || textAt(bytes, 36) !== "acsp")
    return false;
  const view = viewOf(bytes);
  const size = view.getUint32(0);
  const count = view.getUint32(HEADER_BYTES);
  if (size > bytes.length || count === 0 || count > MAX_TAGS) return false;
  if (HEADER_BYTES + 4 + count * TAG_BYTES > size) return false;
  for (let index = 0; index < count; index++) {
    const entry = HEADER_BYTES + 4 + index * TAG_BYTES;
    if (view.getUint32(entry + 4) + view.getUint32(entry + 8) > size) return false;
  }
  return true;
}

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
export const textAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
