// Defines stored files and their IDs, independent of the storage.
import type { Chunks } from "../../document/contract/operation.ts";
import type { FilePolicy } from "./file-policy.ts";

export interface StoredFile {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Size in bytes. */
  readonly size: number;
  /** Entity tag: opaque, unquoted. */
  readonly etag: string;
  readonly modified: Date;
  readonly marks: FilePolicy;
}

/** A file found by its ID, with its expiry; undefined means never. */
export interface FoundFile extends StoredFile {
  readonly expires?: Date;
}

/** A file whose body has been read, but might not be stored yet. */
export interface ReceivedFile extends Pick<StoredFile, "name" | "type" | "size"> {
  /** The whole content, if it fits into one part. */
  readonly bytes?: Uint8Array;
  /** Lowercase hexadecimal SHA-256; absent if the first bytes were patched last. */
  readonly sha256?: string;
  /** Resolves when the file is stored. Rejects if storing fails; no part of the file then remains. */
  readonly stored: Promise<StoredFile>;
}

export interface NewFile {
  readonly name: string;
  /** The media type, or a function that determines it from the first bytes of the file (all of them, up to 4096). */
  readonly type: string | ((start: Uint8Array) => string);
  readonly body: Uint8Array | Chunks;
  /** Returns bytes that overwrite the start of the file, see Output.headerPatch. */
  readonly head?: () => Uint8Array;
  /** Upper limit of the size in bytes, if known. Prevents copies while the buffer grows. */
  readonly sizeHint?: number;
  /**
   * Maximum number of buffered bytes, if more than one part. A file up to this size is stored in one write. @default
   * PART_BYTES
   */
  readonly partBytes?: number;
  /** True to store the file only at the next flush, if it fits into one part. @default false */
  readonly deferStore?: boolean;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export type FileKind = "input" | "output";
const DIGITS = { input: "1", output: "2" } as const;

/** Format of an ID: `1` for an input or `2` for an output, then a version 4 UUID. */
const ID = /^[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const isId = (text: string) => ID.test(text);

/**
 * Length of the prefix of an ID that identifies the file's pack (60 random bits). The other 61 random bits remain
 * secret: only the full ID grants access.
 */
const PACK_CHARACTERS = 19;
export const packNameOf = (id: string) => id.slice(0, PACK_CHARACTERS);
/** Reports whether the file is in a pack, according to the last bit of its ID. */
export const isPacked = (id: string) => Number.parseInt(id.at(-1)!, 16) % 2 === 1;

/** Returns an ID with the bits of a version 4 UUID; its last bit states whether the file is in a pack. */
export const idFrom = (kind: FileKind, uuid: string, isPacked: boolean): string => {
  const last = Number.parseInt(uuid.at(-1)!, 16);
  return DIGITS[kind] + uuid.slice(0, -1) + (isPacked ? last | 1 : last & ~1).toString(16);
};
const randomId = (kind: FileKind, isPacked: boolean) => idFrom(kind, crypto.randomUUID(), isPacked);
export const newId = (kind: FileKind): string => randomId(kind, false);
/** Returns IDs for files in one pack: they share the prefix of `first`. */
export const packedIds = (first: string, kind: FileKind, count: number): string[] =>
  Array.from({ length: count }, () => packNameOf(first) + randomId(kind, true).slice(PACK_CHARACTERS));

/** Generates the IDs of new files. An ID is unused in the storage. */
export interface IdGenerator {
  /** Returns the ID of a standalone file. */
  standalone(kind: FileKind): Promise<string>;
  /** Returns IDs for files in one pack. */
  packed(kind: FileKind, count: number): Promise<string[]>;
}

export const randomIds: IdGenerator = {
  standalone: async (kind) => newId(kind),
  packed: async (kind, count) => packedIds(randomId(kind, true), kind, count),
};
