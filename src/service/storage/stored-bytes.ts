// Counts the bytes that are stored for a client with a limit of them: while they are stored, and when they are removed.

import type { Chunks } from "../../document/contract/operation.ts";
import type { Limiter } from "../ports/limiter.ts";
import type { FoundFile } from "./file.ts";

/** Bytes that may be stored before they are counted. Small files are counted together, when all are there. */
const UNCOUNTED_BYTES = 16 * 2 ** 20;

/** Counts bytes for the client of one request. */
export interface Storing {
  /** @throws an error for the client if the bytes are too many */
  count(bytes: number): Promise<void>;
  /** Gives back bytes that were counted, but have not remained. */
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

  /** Yields the chunks of a file while it counts them. */
  async *passing(body: Uint8Array | Chunks): AsyncGenerator<Uint8Array> {
    for await (const chunk of body instanceof Uint8Array ? [body] : body) {
      this.#uncounted += chunk.length;
      if (this.#uncounted >= UNCOUNTED_BYTES) await this.settle();
      yield chunk;
    }
  }

  /** Counts what has not been counted yet. */
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

/** A file, or an upload of its whole size. */
export interface CountedFile extends Pick<FoundFile, "id" | "size" | "marks"> {
  readonly expires?: Date | undefined;
}

/** Gives the bytes of files that were removed back to the clients for whom they were counted. */
export async function giveBackFiles(files: readonly CountedFile[], limiter: Limiter | undefined): Promise<void> {
  const clients = Map.groupBy(files, ({ marks }) => marks.counts);
  for (const [client, all] of clients) {
    if (client === undefined) continue;
    const removed = all.map(({ id, size, expires }) => ({ id, bytes: size, expires: expires?.getTime() }));
    await limiter?.removed(client, removed);
  }
}
