// Counts the bytes of stored files against the client's storage limit, and subtracts the bytes of deleted files.

import type { Chunks } from "../../document/contract/operation.ts";
import type { Limiter } from "../ports/limiter.ts";
import type { FoundFile } from "./file.ts";

/**
 * Maximum number of received bytes that are not counted yet. If there are fewer, they are counted at the end, together
 * for all files.
 */
const UNCOUNTED_BYTES = 16 * 2 ** 20;

/** Counts stored bytes for the client of one request. */
export interface Storing {
  /** @throws ServiceError if the client's limit is exceeded */
  count(bytes: number): Promise<void>;
  /** Subtracts bytes that were counted, but are not stored. */
  giveBack(bytes: number): void;
}

/** Counts the files of one batch. */
export class StoredTally {
  readonly #storing: Storing;
  #uncounted = 0;
  #counted = 0;

  constructor(storing: Storing) {
    this.#storing = storing;
  }

  /** Counts the chunks of a file as they pass through. */
  async *passing(body: Uint8Array | Chunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      this.#uncounted += chunk.length;
      if (this.#uncounted >= UNCOUNTED_BYTES) await this.settle();
      yield chunk;
    }
  }

  /** Counts the remaining uncounted bytes. */
  async settle(): Promise<void> {
    const bytes = this.#uncounted;
    if (bytes === 0) return;
    this.#uncounted = 0;
    await this.#storing.count(bytes);
    this.#counted += bytes;
  }

  giveBack(): void {
    if (this.#counted > 0) this.#storing.giveBack(this.#counted);
    this.#counted = 0;
    this.#uncounted = 0;
  }
}

/** A stored file or an unfinished upload. An upload counts with its final size. */
export interface CountedFile extends Pick<FoundFile, "id" | "size" | "marks"> {
  readonly expires?: Date | undefined;
}

/** Subtracts the bytes of deleted files from the limits of their clients. */
export async function giveBackFiles(files: readonly CountedFile[], limiter: Limiter | undefined): Promise<void> {
  const clients = Map.groupBy(files, ({ marks }) => marks.counts);
  for (const [client, all] of clients) {
    if (client === undefined) continue;
    const removed = all.map(({ id, size, expires }) => ({ id, bytes: size, expires: expires?.getTime() }));
    await limiter?.removed(client, removed);
  }
}
