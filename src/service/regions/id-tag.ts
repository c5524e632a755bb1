// Reads and writes the tag of an ID: its last 12 digits start with the tag (region-tag.ts).

/** Digits of the tag of a file in a pack. */
export const SHORT_TAG = 3;
/** Digits of the tag of other IDs. */
const LONG_TAG = 6;
const FROM_TAG = 12;
/** ID of a file in a pack, according to its last bit (src/service/storage/file.ts). */
const PACKED = /^[12].{35}[13579bdf]$/;

/** Returns an ID with a tag. */
export function withTag(id: string, tag: string | undefined): string {
  if (tag === undefined) return id;
  const digits = tag.slice(0, tagLength(id));
  return id.slice(0, -FROM_TAG) + digits + id.slice(digits.length - FROM_TAG);
}

/** Returns the digits of an ID that are its tag, if it has one. */
export const tagIn = (id: string): string => id.slice(-FROM_TAG).slice(0, tagLength(id));

const tagLength = (id: string) => (PACKED.test(id) ? SHORT_TAG : LONG_TAG);
