// Reads the glyphs of all pages of a document, in all layers.
import { inverse, type Matrix } from "../content/matrix.ts";
import { type Notice, namedNotices } from "../contract/notice.ts";
import { MupdfDocument } from "../engines/mupdf/document.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import { Mupdf } from "../engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../engines/mupdf/page.ts";

/** Part of the heap that must be free before a page is read. */
const SPARE_PART = 1 / 4;
const UNKNOWN = 0xfffd;

export interface ReadPage {
  /** The page index, from 0. */
  readonly index: number;
  readonly glyphs: Glyphs;
  /** Maps the space of the glyphs to user space. */
  readonly toUser: Matrix;
}

/** @throws EngineFailure */
export async function readEachPage(
  bytes: Uint8Array,
  heapLimitBytes: number,
  signal: AbortSignal,
  visit: (page: ReadPage) => void,
): Promise<void> {
  const options = { heapLimitBytes, showsAllLayers: true };
  const document = MupdfDocument.open(await Mupdf.create(options), bytes, options);
  try {
    for (let index = 0; index < document.pageCount; index++) {
      signal.throwIfAborted();
      if (document.engine.heapBytes > heapLimitBytes * (1 - SPARE_PART)) await document.reopen();
      const page = new MupdfPage(document, index);
      try {
        const toUser = inverse(page.transform);
        if (toUser) visit({ index, glyphs: page.glyphs(), toUser });
      } finally {
        page.close();
      }
    }
  } finally {
    document.close();
  }
}

/** Collects the pages that have glyphs without a known character. */
export class UnreadablePages {
  readonly #numbers: number[] = [];

  look({ index, glyphs }: ReadPage): void {
    if (glyphs.codePoints.includes(UNKNOWN)) this.#numbers.push(index + 1);
  }

  get notices(): readonly Notice[] {
    return namedNotices(
      "text-unreadable",
      this.#numbers.map((number) => ({ name: String(number) })),
    );
  }
}
