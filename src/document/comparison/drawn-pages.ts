// Draws the pages of a document for a comparison, one at a time.
import { createHash } from "node:crypto";
import type { Input } from "../contract/operation.ts";
import { asDrawn } from "../drawing/as-drawn.ts";
import { MupdfDocument } from "../engines/mupdf/document.ts";
import { acquireMupdf } from "../engines/mupdf/instance/spare.ts";
import { MupdfPage, type Size } from "../engines/mupdf/page.ts";
import { resolveHybridReferences } from "../objects/parsing/hybrid.ts";
import { type PagePixels, pixelsFrom } from "./page-pixels.ts";

/** Heap size above which the next page gets a new engine, because a heap never shrinks. */
const HEAP_MARK_BYTES = 48 * 2 ** 20;
/** The same mark as a part of the memory for the engine. */
const HEAP_MARK_PART = 0.6;
/** Maximum number of pixels of a page. Larger pages are drawn at a lower resolution. */
const MAX_PIXELS = 4 * 2 ** 20;
/** Resolution at which pages look the same or not. */
const LOOK_DPI = 36;

/** A page with its size in points. */
export interface DrawnPage extends PagePixels {
  readonly points: Size;
}

export class DrawnPages implements Disposable {
  readonly #document: MupdfDocument;
  readonly #name: (error: unknown) => unknown;

  private constructor(document: MupdfDocument, name: (error: unknown) => unknown) {
    this.#document = document;
    this.#name = name;
  }

  /**
   * @param name returns an error that names the document
   * @throws EngineFailure the failure of the document or the engine
   */
  static async open(input: Input, heapLimitBytes: number, name: (error: unknown) => unknown): Promise<DrawnPages> {
    const limits = { heapLimitBytes, withoutStructure: true };
    const [bytes, engine] = await Promise.all([input.bytes(), acquireMupdf(limits)]);
    return new DrawnPages(MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(limits)), name);
  }

  /** @param page from 1 */
  sizeOf(page: number): Size {
    return this.#with(page, ({ width, height }) => ({ width, height }));
  }

  /**
   * @param page from 1
   * @throws EngineFailure the failure of the page
   */
  async draw(page: number, dpi: number): Promise<DrawnPage> {
    const { engine, options } = this.#document;
    if (engine.heapBytes > Math.min(HEAP_MARK_BYTES, options.heapLimitBytes * HEAP_MARK_PART))
      await this.#document.reopen();
    return this.#with(page, (open) => {
      const { width, height } = open;
      return { ...pixelsFrom(open.raster({ colorModel: "rgb", dpi })), points: { width, height } };
    });
  }

  /** Returns a digest that is equal for pages with equal pixels at a low resolution. @param page from 1 */
  async look(page: number): Promise<string> {
    const { width, height, samples } = await this.draw(page, resolutionFor(this.sizeOf(page), LOOK_DPI));
    return `${width} ${height} ${createHash("sha256").update(samples).digest("hex")}`;
  }

  #with<T>(page: number, use: (page: MupdfPage) => T): T {
    try {
      const open = new MupdfPage(this.#document, page - 1);
      try {
        return use(open);
      } finally {
        open.close();
      }
    } catch (error) {
      throw this.#name(error);
    }
  }

  [Symbol.dispose](): void {
    this.#document.close();
  }
}

/** Returns the resolution, or the highest one that keeps the page within the limit of pixels. */
export const resolutionFor = ({ width, height }: Size, dpi: number): number =>
  Math.min(dpi, 72 * Math.sqrt(MAX_PIXELS / (width * height)));
