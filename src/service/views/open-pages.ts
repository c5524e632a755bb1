// Caches open pages, because a viewer requests many regions of few pages. All cached pages belong to the same document
// and engine. The engine is closed when another job needs its memory.

import { EngineFailure } from "../../document/contract/failure.ts";
import type { Output } from "../../document/contract/operation.ts";
import { liveEngineBytes, type Mupdf, onEngineGrowth } from "../../document/engines/mupdf/instance/mupdf.ts";
import { PageStrips } from "../../document/pictures/page-strips.ts";
import { engineForPages, OpenPage, type PageLimits, type RenderPageParams } from "../../operations/render-page.ts";
import type { ObservableSemaphore, Semaphore } from "../placement/semaphore.ts";
import type { ExtractedPage } from "./extracted-page.ts";

const PAGES = 8;
/** Maximum total size of the PDFs of cached pages. A single page can exceed it. */
const PDF_BYTES = 4 * 2 ** 20;
/** Heap size above which the next page is opened in a new engine, because a heap never shrinks. */
const HEAP_MARK_BYTES = 30 * 2 ** 20;
export const KEPT_STRIPS_BYTES = 12 * 2 ** 20;

export interface PageKey {
  /** ID of the document. */
  readonly id: string;
  /** Page number, from 1. */
  readonly number: number;
}

interface Kept {
  readonly open: OpenPage;
  readonly page: ExtractedPage;
}

export class OpenPages {
  readonly #roomBytes: number;
  /** The engine, with the ID of its document. */
  #engine: { readonly id: string; readonly mupdf: Mupdf } | undefined;
  /** Pages by number, most recently used last. */
  readonly #pages = new Map<number, Kept>();
  #strips = new PageStrips(KEPT_STRIPS_BYTES);

  /** @param roomBytes memory for all engines together */
  constructor(roomBytes: number) {
    this.#roomBytes = roomBytes;
    onEngineGrowth((engine, bytes) => {
      if (engine !== this.#engine?.mupdf && !this.hasMemory(bytes)) this.close();
    });
  }

  /** Returns the same semaphore, but closes the cached pages whenever it grants a permit. */
  closingOnAcquire(turns: ObservableSemaphore): ObservableSemaphore {
    const giving = (given: Semaphore): Semaphore => ({
      acquire: async (signal, isLowPriority) => {
        const permit = await given.acquire(signal, isLowPriority);
        this.close();
        return permit;
      },
    });
    return {
      ...giving(turns),
      for: (client) => giving(turns.for(client)),
      get queued() {
        return turns.queued;
      },
      get available() {
        return turns.available;
      },
    };
  }

  /** Reports whether the memory for engines has space for further bytes. */
  hasMemory(bytes: number): boolean {
    return liveEngineBytes() + this.#strips.bytes + bytes <= this.#roomBytes;
  }

  /** Reports whether an engine for pages of the document is open. */
  hasEngineFor(id: string): boolean {
    return this.#engine?.id === id;
  }

  /** Returns the page if it is open. */
  find({ id, number }: PageKey): ExtractedPage | undefined {
    return this.hasEngineFor(id) ? this.#pages.get(number)?.page : undefined;
  }

  /**
   * Renders an image of a page. Opens the page if necessary.
   * @throws EngineFailure the failure that the page caused
   */
  async draw(name: PageKey, page: ExtractedPage, params: RenderPageParams, limits: PageLimits): Promise<Uint8Array> {
    if (!this.hasEngineFor(name.id) || (!this.find(name) && !this.#hasRoomFor(page.pdf!))) {
      const mupdf = await engineForPages(limits);
      this.close();
      this.#engine = { id: name.id, mupdf };
    }
    const isAlone = this.#pages.size === 0;
    let isDrawn = false;
    try {
      const bytes = bytesOf(this.#opened(name, page, limits).draw(params));
      isDrawn = true;
      return bytes;
    } catch (error) {
      if (isAlone || !(error instanceof EngineFailure)) throw error;
    } finally {
      if (!isDrawn) this.close();
    }
    // Other cached pages, or the memory of all pages together, might have caused the failure. Tries again without them.
    return this.draw(name, page, params, limits);
  }

  /** Closes the cached pages. */
  close(): void {
    this.#engine?.mupdf.close();
    this.#engine = undefined;
    this.#pages.clear();
    this.#strips = new PageStrips(KEPT_STRIPS_BYTES);
  }

  #hasRoomFor(pdf: Uint8Array): boolean {
    const { heapBytes, sourceBytes } = this.#engine!.mupdf;
    return heapBytes < HEAP_MARK_BYTES && sourceBytes + pdf.length <= PDF_BYTES;
  }

  #opened({ number }: PageKey, page: ExtractedPage, limits: PageLimits): OpenPage {
    const { mupdf } = this.#engine!;
    const kept = this.#pages.get(number) ?? { page, open: OpenPage.open(mupdf, page.pdf!, 1, limits, this.#strips) };
    this.#pages.delete(number);
    this.#pages.set(number, kept);
    const [[oldest, { open }]] = this.#pages as unknown as [[number, Kept]];
    if (this.#pages.size > PAGES) {
      this.#pages.delete(oldest);
      open[Symbol.dispose]();
    }
    return kept.open;
  }
}

function bytesOf({ body, headerPatch }: Output): Uint8Array {
  const chunks: Uint8Array[] = [];
  for (const chunk of body as Iterable<Uint8Array>) chunks.push(chunk.slice());
  const bytes = Buffer.concat(chunks);
  if (headerPatch) bytes.set(headerPatch());
  return bytes;
}
