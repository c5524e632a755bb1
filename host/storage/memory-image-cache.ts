// Caches small page images in memory, because Node has no platform cache. Evicts the least recently used images.

import type { PageImageCache } from "../../src/service/ports/page-image-cache.ts";

interface Remembered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** Estimated memory that an entry needs in addition to the bytes of its image. */
const BESIDE_BYTES = 2048;

export class MemoryImageCache implements PageImageCache {
  readonly #limitBytes: number;
  /** Ordered by last use, most recent last. */
  readonly #pictures = new Map<string, Remembered>();
  #bytes = 0;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  async match(key: string): Promise<Response | undefined> {
    const picture = this.#pictures.get(key);
    if (!picture) return undefined;
    this.#pictures.delete(key);
    this.#pictures.set(key, picture);
    return new Response(picture.bytes, { headers: picture.headers });
  }

  async put(key: string, response: Response): Promise<void> {
    const picture = { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
    this.#forget(key);
    this.#pictures.set(key, picture);
    this.#bytes += picture.bytes.length + BESIDE_BYTES;
    for (const [oldest] of this.#pictures) {
      if (this.#bytes <= this.#limitBytes) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const picture = this.#pictures.get(key);
    if (!picture) return;
    this.#pictures.delete(key);
    this.#bytes -= picture.bytes.length + BESIDE_BYTES;
  }
}
