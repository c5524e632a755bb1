// How the pages of a document look and read, as far as two documents are compared by it. Knows no other document.

import { EngineFailure } from "../../../core/failure.ts";
import { MupdfDocument } from "../../../engines/mupdf/document.ts";
import type { Mupdf, MupdfOptions } from "../../../engines/mupdf/mupdf.ts";
import { MupdfPage } from "../../../engines/mupdf/page.ts";
import { type Characters, charactersOf, type Picture } from "./page-look.ts";

const DPI = 36;
/** Pixels of a page's longer side: large pages are drawn smaller, and tiny ones larger, as far as {@link FINEST_DPI}. */
const LONGEST_SIDE = 700;
const SHORTEST_SIDE = 96;
const FINEST_DPI = 288;
/** An engine's heap never shrinks. */
const HEAP_MARK_BYTES = 192 * 2 ** 20;

/** How a page looks and reads. */
export interface PageLook {
  /** Points. */
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly picture: Picture;
  readonly characters: Characters;
}

/** A document that is looked at. */
export class LookedAt implements Disposable {
  readonly #document: MupdfDocument;

  private constructor(document: MupdfDocument) {
    this.#document = document;
  }

  static open(bytes: Uint8Array, engine: Mupdf, options: MupdfOptions): LookedAt {
    return new LookedAt(MupdfDocument.open(engine, bytes, options));
  }

  get pageCount(): number {
    return this.#document.pageCount;
  }

  /**
   * @param closer as many dots per inch as usual
   * @returns undefined where it cannot be drawn
   */
  async look(index: number, closer: number): Promise<PageLook | undefined> {
    if (index >= this.pageCount) return undefined;
    const { engine } = this.#document;
    if (engine.dead || engine.heapBytes > HEAP_MARK_BYTES) await this.#document.reopen();
    try {
      const page = new MupdfPage(this.#document, index);
      try {
        const codePoints = page.text().flatMap(({ characters }) => characters.map(({ codePoint }) => codePoint));
        const { width, height } = page;
        const dpi = resolutionFor(page) * closer;
        return { width, height, dpi, picture: pictureOf(page, dpi), characters: charactersOf(codePoints) };
      } finally {
        page.close();
      }
    } catch (error) {
      if (!(error instanceof EngineFailure)) throw error;
      return undefined;
    }
  }

  [Symbol.dispose](): void {
    this.#document.close();
  }
}

function resolutionFor({ width, height }: MupdfPage): number {
  const coarsest = (LONGEST_SIDE * 72) / Math.max(width, height);
  const finest = Math.min(FINEST_DPI, (SHORTEST_SIDE * 72) / Math.min(width, height));
  return Math.min(coarsest, Math.max(DPI, finest));
}

function pictureOf(page: MupdfPage, dpi: number): Picture {
  const raster = page.raster({ colorModel: "rgb", dpi });
  const samples = new Uint8Array(raster.width * raster.height * 3);
  for (const band of raster.bands()) {
    const bytes = band.rows * raster.width * 3;
    samples.set(band.samples.subarray(0, bytes), band.top * raster.width * 3);
  }
  return { width: raster.width, height: raster.height, samples };
}

/** All indexes, in an order in which the first n of them are spread evenly, whatever n. */
export function* spread(count: number): Generator<number> {
  if (count > 0) yield 0;
  if (count > 1) yield count - 1;
  // Van der Corput's sequence: the binary digits of a counter, reversed.
  const bits = Math.ceil(Math.log2(count + 1));
  for (let counter = 1; counter < 2 ** bits; counter++) {
    let index = 0;
    for (let bit = 0; bit < bits; bit++) if (counter & (1 << bit)) index |= 1 << (bits - 1 - bit);
    if (index > 0 && index < count - 1) yield index;
  }
}
