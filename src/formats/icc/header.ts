// ICC profiles (ICC.1): whether one can stay with a picture, by what its header says. Knows no file format and no colour science.
import { CMYK, type ColorSpace, GRAY, RGB } from "../to-pdf/picture.ts";

/** Nobody's profile is larger: the largest for print are about 3 MB. */
export const MOST_PROFILE_BYTES = 8 * 2 ** 20;
const HEADER_BYTES = 128;
/** A count of tags, and one tag. */
const LEAST_BYTES = HEADER_BYTES + 4 + 12;
/** ISO 32000-1, table 67: what PDF takes, by the bytes 16 to 19 of a header. */
const COMPONENTS: Readonly<Record<string, 1 | 3 | 4>> = { GRAY: 1, "RGB ": 3, CMYK: 4, "Lab ": 3 };
const CLASSES: ReadonlySet<string> = new Set(["scnr", "mntr", "prtr", "spac"]);
/** ISO 32000-1 knows ICC.1:2004, version 4. */
const MOST_VERSION = 4;

const DEVICE_SPACES = { 1: GRAY, 3: RGB, 4: CMYK } as const satisfies Record<number, ColorSpace>;

/** The colour space of samples with that profile, or without it where it is none of theirs. */
export function profiledSpace(profile: Uint8Array | undefined, components: 1 | 3 | 4, isLab = false): ColorSpace {
  const sound = profile && soundProfile(profile, components, isLab);
  return sound ? { kind: "icc", profile: sound, components } : DEVICE_SPACES[components];
}

/** @returns as many bytes as it says it has; undefined for what is no profile of such samples */
function soundProfile(bytes: Uint8Array, components: number, isLab: boolean): Uint8Array | undefined {
  if (bytes.length < LEAST_BYTES || bytes.length > MOST_PROFILE_BYTES) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const text = (at: number) => String.fromCharCode(...bytes.subarray(at, at + 4));
  const size = view.getUint32(0);
  const space = text(16);
  const isSound =
    size >= LEAST_BYTES &&
    size <= bytes.length &&
    text(36) === "acsp" &&
    view.getUint8(8) <= MOST_VERSION &&
    CLASSES.has(text(12)) &&
    COMPONENTS[space] === components &&
    (space === "Lab ") === isLab;
  return isSound && hasSoundTags(view, size) ? bytes.slice(0, size) : undefined;
}

/** Clause 7.3: every tag lies within the profile. */
function hasSoundTags(view: DataView, size: number): boolean {
  const count = view.getUint32(HEADER_BYTES);
  if (count === 0 || HEADER_BYTES + 4 + count * 12 > size) return false;
  for (let index = 0; index < count; index++) {
    const entry = HEADER_BYTES + 4 + index * 12;
    if (view.getUint32(entry + 4) + view.getUint32(entry + 8) > size) return false;
  }
  return true;
}
