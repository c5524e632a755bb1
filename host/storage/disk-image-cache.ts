// Caches page images in files. The index is in memory, so a new process starts with an empty folder. Evicts the least
// recently used images.

import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { PageImageCache } from "../../src/service/ports/page-image-cache.ts";

interface Entry {
  readonly path: string;
  readonly size: number;
  readonly headers: Headers;
  /** In milliseconds since 1970. */
  readonly written: number;
}

export class DiskImageCache implements PageImageCache {
  readonly limitBytes: number;
  readonly #folder: string;
  /** Ordered by last use, most recent last. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  private constructor(folder: string, limitBytes: number) {
    this.#folder = folder;
    this.limitBytes = limitBytes;
  }

  /** Empties the folder, or creates it. */
  static async open(folder: string, limitBytes: number): Promise<DiskImageCache> {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new DiskImageCache(folder, limitBytes);
  }

  async match(key: string): Promise<Response | undefined> {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    const file = await open(entry.path).catch(() => undefined);
    if (!file) return undefined;
    const body = Readable.toWeb(file.createReadStream());
    return new Response(body as unknown as ReadableStream<Uint8Array>, { headers: entry.headers });
  }

  /** @throws Error if the file cannot be written; nothing is left of it */
  async put(key: string, { body, headers }: Response): Promise<void> {
    const path = join(this.#folder, randomUUID());
    let size = 0;
    const count = new Transform({
      transform: (chunk: Uint8Array, _, done) => {
        size += chunk.length;
        done(size > this.limitBytes ? new Error("the image is larger than the cache") : null, chunk);
      },
    });
    try {
      await pipeline(Readable.fromWeb(body as never), count, createWriteStream(path, { mode: 0o600 }));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    await this.#forget(key);
    this.#entries.set(key, { path, size, headers, written: Date.now() });
    this.#bytes += size;
    for (const [oldest] of this.#entries) {
      if (this.#bytes <= this.limitBytes) return;
      await this.#forget(oldest);
    }
  }

  /** Deletes the images that were written before a time, in milliseconds since 1970. */
  async sweep(before: number): Promise<void> {
    for (const [key, { written }] of this.#entries) if (written < before) await this.#forget(key);
  }

  async #forget(key: string): Promise<void> {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
    await rm(entry.path, { force: true });
  }
}
