// Defines stored files and their ids. Knows nothing about the storage.
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

/** A file that was found, and when it ends, unless it stays for ever. */
export interface FoundFile extends StoredFile {
  readonly expires?: Date;
}

/** A file whose body has been read, but which is possibly not stored yet. */
export interface ReceivedFile extends Pick<StoredFile, "name" | "type" | "size"> {
  /** The whole content, if it fits into one part. */
  readonly bytes?: Uint8Array;
  /** SHA-256 in lowercase hexadecimal digits; absent if its first bytes were made last. */
  readonly sha256?: string;
  /** Resolves when the file is stored. Rejects if that fails, in which case nothing of it remains. */
  readonly stored: Promise<StoredFile>;
}

export interface NewFile {
  readonly name: string;
  /** The media type, or a function that determines it from the first bytes of the file (all of them, up to 4096). */
  readonly type: string | ((start: Uint8Array) => string);
  readonly body: Uint8Array | Chunks;
  /** Replaces the first bytes, see Output.head. */
  readonly head?: () => Uint8Array;
  /** Upper limit of the size in bytes, if known. Prevents copies while the buffer grows. */
  readonly sizeHint?: number;
  /**
   * Bytes that may be held at a time, if more than one part. A file up to this size is stored in one piece. @default
   * PART_BYTES
   */
  readonly partBytes?: number;
  /** True to store the file only when the batch is sent, if it fits into one part. @default false */
  readonly deferStore?: boolean;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export type FileKind = "input" | "output";
const DIGITS = { input: "1", output: "2" } as const;

/** Shape of an id: `1` for an input or `2` for an output, then a UUIDv4. */
const ID = /^[12][0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const isId = (text: string) => ID.test(text);

/**
 * Number of characters of an id that name the file's pack (60 random bits). The rest (61 random bits) is known only to
 * those who know the file's id.
 */
const PACK_CHARACTERS = 19;
export const packNameOf = (id: string) => id.slice(0, PACK_CHARACTERS);
/** Reports whether the file is in a pack or stored alone, according to the last bit of its id. */
export const isPacked = (id: string) => Number.parseInt(id.at(-1)!, 16) % 2 === 1;

/** Returns the id that a version 4 UUID stands for, with the last bit as it must be. */
export const idFrom = (kind: FileKind, uuid: string, isPacked: boolean): string => {
  const last = Number.parseInt(uuid.at(-1)!, 16);
  return DIGITS[kind] + uuid.slice(0, -1) + (isPacked ? last | 1 : last & ~1).toString(16);
};
const randomId = (kind: FileKind, isPacked: boolean) => idFrom(kind, crypto.randomUUID(), isPacked);
export const newId = (kind: FileKind): string => randomId(kind, false);
/** Returns ids for files in one pack, whose common start is that of `first`. */
export const packedIds = (first: string, kind: FileKind, count: number): string[] =>
  Array.from({ length: count }, () => packNameOf(first) + randomId(kind, true).slice(PACK_CHARACTERS));

/** Makes the ids of new files. Storage has nothing under an id before it was made. */
export interface IdGenerator {
  /** Returns the id of a lone file. */
  standalone(kind: FileKind): Promise<string>;
  /** Returns ids for files in one pack. */
  packed(kind: FileKind, count: number): Promise<string[]>;
}

export const randomIds: IdGenerator = {
  standalone: async (kind) => newId(kind),
  packed: async (kind, count) => packedIds(randomId(kind, true), kind, count),
};
