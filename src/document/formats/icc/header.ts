import { viewOf } from "../../contract/byte-reader.ts";

// Reads the header and the tag table of ICC profiles (ICC.1). Knows nothing about colors or the file formats that
// contain profiles.

/**
 * Limits a profile. The largest for print are about 3 MB; JPEG, the format with the least room for one, can hold 255
 * pieces of 65,519 bytes (annex B.4), which this limit admits. So no profile is lost between formats.
 */
export const MAX_PROFILE_BYTES = 16 * 2 ** 20;
export const HEADER_BYTES = 128;
export const TAG_BYTES = 12;
/** A header, a count of tags, and one tag. */
const MIN_PROFILE_BYTES = HEADER_BYTES + 4 + TAG_BYTES;
/** Limits the tags of a profile. Color management in the readers of PDF has a limit of 100. */
const MAX_TAGS = 200;
/** Classes of profiles that describe colors by themselves: input, display, output and color space (7.2.5). */
export const COLOR_CLASSES: ReadonlySet<string> = new Set(["scnr", "mntr", "prtr", "spac"]);
const COMPONENTS: ReadonlyMap<string, 1 | 3 | 4> = new Map([
  ["GRAY", 1],
  ["RGB ", 3],
  ["Lab ", 3],
  ["CMYK", 4],
]);

export interface ProfileHeader {
  /** The part of the version before the point. */
  readonly version: number;
  /** One of `COLOR_CLASSES`, or another class. */
  readonly deviceClass: string;
  /** Color space of the data, four characters: `RGB `, `CMYK`, `GRAY`, `Lab `, or another one. */
  readonly space: string;
}

export interface ProfileTag {
  readonly signature: string;
  readonly data: Uint8Array;
}

/** Components of the spaces that PDF supports (ISO 32000-1, table 67); undefined for others. */
export const componentsOf = (space: string): 1 | 3 | 4 | undefined => COMPONENTS.get(space);

/** @returns undefined unless the bytes begin with a whole profile, in which all tags lie (7.2.2, 7.3) */
export function readHeader(bytes: Uint8Array): ProfileHeader | undefined {
  if (!isWhole(bytes)) return undefined;
  return { version: bytes[8], deviceClass: textAt(bytes, 12), space: textAt(bytes, 16) };
}

/** @returns the profile without the bytes after it; undefined if it has no sound header */
export function profileOf(bytes: Uint8Array): Uint8Array | undefined {
  return isWhole(bytes) ? bytes.subarray(0, viewOf(bytes).getUint32(0)) : undefined;
}

/** @returns undefined if the profile has no sound header */
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

export const textAt = (bytes: Uint8Array, at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
