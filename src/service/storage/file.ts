// Defines stored files and their IDs, independent of how they are stored.
import type { Chunks, Input } from "../../document/contract/operation.ts";
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

/** A file that was found by its ID. `expires` is undefined if it never expires. */
export interface FoundFile extends StoredFile {
  readonly expires?: Date;
}

/** A file whose body has been read. It might not be stored yet. */
export interface ReceivedFile extends Pick<StoredFile, "name" | "type" | "size">, Pick<Input, "folder"> {
  /** The whole content, if the file fits into one part. */
  readonly bytes?: Uint8Array;
  /** SHA-256 in lowercase hexadecimal. Missing if `head` overwrote the first bytes at the end. */
  readonly sha256?: string;
  /** Resolves when the file is stored. Rejects if storing fails; then no part of the file remains stored. */
  readonly stored: Promise<StoredFile>;
}

export interface NewFile {
  readonly name: string;
  /** The media type, or a function that detects it from the first bytes of the file: the whole file, or 4096 bytes. */
  readonly type: string | ((start: Uint8Array) => string);
  readonly body: Uint8Array | Chunks;
  /** Returns bytes that overwrite the start of the file. Called after the body; see Output.headerPatch. */
  readonly head?: () => Uint8Array;
  /** Upper limit of the size in bytes, if known. With it, the buffer need not grow by copying. */
  readonly sizeHint?: number;
  /**
   * Maximum number of buffered bytes, at least PART_BYTES. A file up to this size is stored in one write. @default
   * PART_BYTES
   */
  readonly partBytes?: number;
  /** True if the file is stored at the next flush, provided that it fits into one part. @default false */
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
 * Length of the ID prefix that identifies the file's pack (60 random bits). The other 61 random bits are different for
 * each file of the pack, because an ID grants access to its file only.
 */
const PACK_CHARACTERS = 19;
export const packNameOf = (id: string) => id.slice(0, PACK_CHARACTERS);
/** Reports whether the file is in a pack, according to the last bit of its ID. */
export const isPacked = (id: string) => Number.parseInt(id.at(-1)!, 16) % 2 === 1;

/** Returns an ID with the bits of a version 4 UUID. The last bit is 1 if the file is in a pack. */
export const idFrom = (kind: FileKind, uuid: string, isPacked: boolean): string => {
  const last = Number.parseInt(uuid.at(-1)!, 16);
  return DIGITS[kind] + uuid.slice(0, -1) + (isPacked ? last | 1 : last & ~1).toString(16);
};
const randomId = (kind: FileKind, isPacked: boolean) => idFrom(kind, crypto.randomUUID(), isPacked);
export const newId = (kind: FileKind): string => randomId(kind, false);
/** Returns IDs for the files of one pack. All have the prefix of `first`. */
export const packedIds = (first: string, kind: FileKind, count: number): string[] =>
  Array.from({ length: count }, () => packNameOf(first) + randomId(kind, true).slice(PACK_CHARACTERS));

/** Generates IDs for new files. Never returns the ID of a stored file. */
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
