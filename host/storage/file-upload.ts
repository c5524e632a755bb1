// An upload in parts to the file system. Each part is written behind those that came before it, and stays there.

import { randomBytes } from "node:crypto";
import type { BucketObject, MultipartUpload, UploadedPart } from "../../src/core/bucket.ts";
import type { Piece } from "./object-file.ts";

export interface UploadTarget {
  write(bytes: Uint8Array, offset: number): Promise<void>;
  commit(pieces: readonly Piece[]): Promise<BucketObject>;
  discard(): Promise<void>;
}

export class FileUpload implements MultipartUpload {
  readonly #target: UploadTarget;
  readonly #parts = new Map<number, Piece & { readonly etag: string }>();
  #end = 0;

  constructor(target: UploadTarget) {
    this.#target = target;
  }

  async uploadPart(partNumber: number, value: Uint8Array): Promise<UploadedPart> {
    const piece = { offset: this.#end, length: value.length, etag: randomBytes(16).toString("hex") };
    this.#end += value.length;
    await this.#target.write(value, piece.offset);
    this.#parts.set(partNumber, piece);
    return { partNumber, etag: piece.etag };
  }

  /** @throws Error if a part was not uploaded, or was uploaded again since */
  async complete(parts: readonly UploadedPart[]): Promise<BucketObject> {
    const ordered = parts.toSorted((a, b) => a.partNumber - b.partNumber);
    const pieces = ordered.map(({ partNumber, etag }) => {
      const piece = this.#parts.get(partNumber);
      if (piece?.etag !== etag) throw new Error(`part ${partNumber} is not there`);
      return piece;
    });
    return this.#target.commit(joined(pieces));
  }

  abort(): Promise<void> {
    return this.#target.discard();
  }
}

/** Joins pieces that follow each other in the file. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const { offset, length } of pieces) {
    const last = result.at(-1);
    if (last && last.offset + last.length === offset) result.splice(-1, 1, { ...last, length: last.length + length });
    else result.push({ offset, length });
  }
  return result;
}
