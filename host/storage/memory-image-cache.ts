// Caches page images in memory, because Node has no platform cache. Moves images that are large, or were not used for
// longest, to another cache.

import type { PageImageCache } from "../../src/service/ports/page-image-cache.ts";

interface Remembered {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Headers;
}

/** Estimated memory that an entry needs in addition to the bytes of its image. */
const BESIDE_BYTES = 2048;
/** Part of the memory that one image can have. */
const LARGEST_PART = 1 / 8;

export class MemoryImageCache implements PageImageCache {
  readonly #limitBytes: number;
  readonly #overflow: PageImageCache | undefined;
  /** Ordered by last use, most recent last. */
  readonly #pictures = new Map<string, Remembered>();
  #bytes = 0;

  get limitBytes(): number {
    return this.#overflow?.limitBytes ?? this.#limitBytes * LARGEST_PART;
  }

  /** @param overflow receives the images that do not fit. @default they are dropped */
  constructor(limitBytes: number, overflow?: PageImageCache) {
    this.#limitBytes = limitBytes;
    this.#overflow = overflow;
  }

  async match(key: string): Promise<Response | undefined> {
    const picture = this.#pictures.get(key);
    if (!picture) return this.#overflow?.match(key);
    this.#pictures.delete(key);
    this.#pictures.set(key, picture);
    return new Response(picture.bytes, { headers: picture.headers });
  }

  async put(key: string, response: Response): Promise<void> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    const reader = response.body!.getReader() as ReadableStreamDefaultReader<Uint8Array>;
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      size += next.value.length;
      if (size <= this.#limitBytes * LARGEST_PART) continue;
      this.#forget(key);
      const whole = joined(chunks, reader);
      return this.#overflow ? this.#overflow.put(key, new Response(whole, response)) : whole.cancel();
    }
    this.#forget(key);
    this.#pictures.set(key, { bytes: Buffer.concat(chunks), headers: response.headers });
    this.#bytes += size + BESIDE_BYTES;
    for (const [oldest, { bytes, headers }] of this.#pictures) {
      if (this.#bytes <= this.#limitBytes) return;
      this.#forget(oldest);
      await this.#overflow?.put(oldest, new Response(bytes, { headers }));
    }
  }

  #forget(key: string): void {
    const picture = this.#pictures.get(key);
    if (!picture) return;
    this.#pictures.delete(key);
    this.#bytes -= picture.bytes.length + BESIDE_BYTES;
  }
}

/** Returns a stream of chunks that were read, and of the rest. */
function joined(read: Uint8Array[], rest: ReadableStreamDefaultReader<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const value = read.shift() ?? (await rest.read()).value;
      if (value) controller.enqueue(value);
      else controller.close();
    },
    cancel: (reason) => rest.cancel(reason),
  });
}
