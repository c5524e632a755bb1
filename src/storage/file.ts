// What a stored file is, and its id. Knows no storage.
import type { Chunks } from "../core/operation.ts";

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Opaque, unquoted. */
  readonly etag: string;
  readonly modified: Date;
}

/** A file whose body has been read, but which may not be stored yet. */
export interface Arrival extends Pick<StoredFile, "name" | "type" | "size"> {
  /** All of it, where it was small enough for one part. */
  readonly bytes?: Uint8Array;
  /** Settles when it is stored; rejects, and leaves nothing, when that fails. */
  readonly stored: Promise<StoredFile>;
}

export interface NewFile {
  readonly name: string;
  /** The media type, or how to tell it from the file's first bytes (as many as there are, up to 4096). */
  readonly type: string | ((start: Uint8Array) => string);
  readonly body: Uint8Array | Chunks;
  /** See Output.head. */
  readonly head?: () => Uint8Array;
  /** Bytes, at most, where something tells: saves copies while the buffer grows. */
  readonly sizeHint?: number;
  /** Bytes that may be held at a time, where that is more than a part: what has no more is stored in one piece. @default PART_BYTES */
  readonly partBytes?: number;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export type Kind = "input" | "output";
const DIGITS = { input: "1", output: "2" } as const;

/** Shape of an id: `1` for an input or `2` for an output, then a UUIDv4. */
const ID = /^[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const isId = (text: string) => ID.test(text);

/** So many characters of an id name the pack that holds the file (60 random bits); the others (61) are its own secret. */
const PACK_CHARACTERS = 19;
export const packOf = (id: string) => id.slice(0, PACK_CHARACTERS);
/** The last bit of an id says whether its file lies in a pack or alone. */
export const isPacked = (id: string) => Number.parseInt(id.at(-1)!, 16) % 2 === 1;

const randomId = (kind: Kind, isPacked: boolean): string => {
  const id = DIGITS[kind] + crypto.randomUUID();
  const last = Number.parseInt(id.at(-1)!, 16);
  return id.slice(0, -1) + (isPacked ? last | 1 : last & ~1).toString(16);
};
export const newId = (kind: Kind): string => randomId(kind, false);
/** So many ids of files in one pack. */
export function newPackedIds(kind: Kind, count: number): string[] {
  const pack = packOf(randomId(kind, true));
  return Array.from({ length: count }, () => pack + randomId(kind, true).slice(PACK_CHARACTERS));
}
