// Renders the pages of a document and counts their characters, for the comparison with another document.

import { EngineFailure } from "../../contract/failure.ts";
import { samplesOf } from "../../contract/raster.ts";
import { asDrawn } from "../../drawing/as-drawn.ts";
import { MupdfDocument } from "../../engines/mupdf/document.ts";
import type { Mupdf, MupdfOptions } from "../../engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../../engines/mupdf/page.ts";
import { WHOLE_TEXT } from "../../engines/mupdf/text.ts";
import { resolveHybridReferences } from "../../objects/parsing/hybrid.ts";
import { type Characters, countCharacters, type PagePixels } from "./page-distance.ts";
import { type Box, boxesOfText, boxesOfUnseen, type TextBox } from "./text-boxes.ts";

const DPI = 36;
/**
 * Maximum side of a rendered page in pixels. Larger pages are rendered at a lower resolution, and tiny pages at a
 * higher one, up to {@link FINEST_DPI}.
 */
const MAX_SIDE = 700;
const MIN_SIDE = 96;
const FINEST_DPI = 288;
/** Heap size above which the document is reopened, because an engine's heap never shrinks. */
const HEAP_MARK_BYTES = 192 * 2 ** 20;

/** The pixels and the characters of a page. */
export interface PageRendering {
  /** Width in points. */
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly picture: PagePixels;
  readonly characters: Characters;
  /** Boxes of the lines of text. */
  readonly text: readonly TextBox[];
  /** Areas of the page that MuPDF does not render as the document defines them. */
  readonly unseen: readonly Box[];
}

/** An open document whose pages can be rendered for a comparison. */
export class RenderedDocument implements Disposable {
  readonly #document: MupdfDocument;

  private constructor(document: MupdfDocument) {
    this.#document = document;
  }

  static open(bytes: Uint8Array, engine: Mupdf, options: MupdfOptions): RenderedDocument {
    return new RenderedDocument(MupdfDocument.open(engine, resolveHybridReferences(bytes), asDrawn(options)));
  }

  get pageCount(): number {
    return this.#document.pageCount;
  }

  /**
   * @param closer factor by which to raise the usual resolution
   * @returns undefined if the page cannot be drawn
   */
  async look(index: number, closer: number): Promise<PageRendering | undefined> {
    if (index >= this.pageCount) return undefined;
    const { engine } = this.#document;
    if (engine.dead || engine.heapBytes > HEAP_MARK_BYTES) await this.#document.reopen();
    try {
      const page = new MupdfPage(this.#document, index);
      try {
        const { width, height } = page;
        const lines = page.text(WHOLE_TEXT);
        const shown = lines.flatMap((line) => line.characters);
        const characters = countCharacters(shown.filter(({ x, y }) => x >= 0 && y >= 0 && x <= width && y <= height));
        const boxes = { text: boxesOfText(lines), unseen: boxesOfUnseen(lines) };
        const dpi = resolutionFor(page) * closer;
        return { width, height, dpi, picture: pictureOf(page, dpi), characters, ...boxes };
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
  const coarsest = (MAX_SIDE * 72) / Math.max(width, height);
  const finest = Math.min(FINEST_DPI, (MIN_SIDE * 72) / Math.min(width, height));
  return Math.min(coarsest, Math.max(DPI, finest));
}

function pictureOf(page: MupdfPage, dpi: number): PagePixels {
  const raster = page.raster({ colorModel: "rgb", dpi });
  return { width: raster.width, height: raster.height, samples: samplesOf(raster) };
}

/** Yields all indexes in an order in which the first n are spread evenly, for any n. */
export function* spread(count: number): Generator<number> {
  if (count > 0) yield 0;
  if (count > 1) yield count - 1;
  // Van der Corput sequence: the reversed binary digits of a counter.
  const bits = Math.ceil(Math.log2(count + 1));
  for (let counter = 1; counter < 2 ** bits; counter++) {
    let index = 0;
    for (let bit = 0; bit < bits; bit++) if (counter & (1 << bit)) index |= 1 << (bits - 1 - bit);
    if (index > 0 && index < count - 1) yield index;
  }
}
