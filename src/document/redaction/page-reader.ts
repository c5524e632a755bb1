// Reads the glyphs of all pages of a document, in all layers.
import { inverse, type Matrix } from "../content/matrix.ts";
import { EngineFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import { type Notice, namedNotices } from "../contract/notice.ts";
import type { Context } from "../contract/operation.ts";
import { MupdfDocument } from "../engines/mupdf/document.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import { Mupdf } from "../engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../engines/mupdf/page.ts";
import { guessesOf } from "./fonts/guesses.ts";

/** Part of the heap that must be free before a page is read. */
const SPARE_PART = 1 / 4;
/** Number of pages after which other work of the process gets a turn, and the job can end. */
const PAGES_AT_ONCE = 20;
const UNKNOWN = 0xfffd;
const TOO_MANY = `The pages have more than ${LIMITS.redactionGlyphs / 1e6} million characters.`;

export interface ReadPage {
  /** The page index, from 0. */
  readonly index: number;
  readonly glyphs: Glyphs;
  /** The same glyphs with other guesses; undefined without any guess. */
  readonly others: Glyphs | undefined;
  /** True if the characters of some glyphs are unknown or guessed. */
  readonly isUnreadable: boolean;
  /** Maps the space of the glyphs to user space. */
  readonly toUser: Matrix;
}

export interface ReadOptions extends Pick<Context, "heapLimitBytes" | "signal"> {
  /** Reports whether a page is read. @default every page */
  readonly isRead?: (index: number) => boolean;
}

/** @throws EngineFailure `too-complex` if the pages have too many glyphs */
export async function readEachPage(
  bytes: Uint8Array,
  { heapLimitBytes, signal, isRead = () => true }: ReadOptions,
  visit: (page: ReadPage) => void,
): Promise<void> {
  const options = { heapLimitBytes, showsAllLayers: true };
  const document = MupdfDocument.open(await Mupdf.create(options), bytes, options);
  let count = 0;
  try {
    for (let index = 0; index < document.pageCount; index++) {
      if (!isRead(index)) continue;
      if (index % PAGES_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve, 0));
      signal.throwIfAborted();
      if (document.engine.heapBytes > heapLimitBytes * (1 - SPARE_PART)) await document.reopen();
      const page = new MupdfPage(document, index);
      try {
        const toUser = inverse(page.transform);
        if (!toUser) continue;
        const glyphs = page.glyphs();
        count += glyphs.count;
        if (count > LIMITS.redactionGlyphs)
          throw new EngineFailure("too-complex", "too many glyphs", { why: TOO_MANY });
        visit({ index, ...withoutGuesses(glyphs), toUser });
      } finally {
        page.close();
      }
    }
  } finally {
    document.close();
  }
}

function withoutGuesses(given: Glyphs): Pick<ReadPage, "glyphs" | "others" | "isUnreadable"> {
  const { codePoints } = given;
  const isGuessed = codePoints.some((one) => guessesOf(one)[0] !== one);
  if (!isGuessed) return { glyphs: given, others: undefined, isUnreadable: codePoints.includes(UNKNOWN) };
  const guesses = codePoints.map(guessesOf);
  const glyphs = given.withCharacters(guesses.map(([first]) => first));
  return { glyphs, others: given.withCharacters(guesses.map(([, second]) => second)), isUnreadable: true };
}

/** Collects the pages that have glyphs without a known character. */
export class UnreadablePages {
  readonly #indexes = new Set<number>();

  look({ index, isUnreadable }: ReadPage): void {
    if (isUnreadable) this.#indexes.add(index);
  }

  get notices(): readonly Notice[] {
    const sorted = [...this.#indexes].sort((a, b) => a - b);
    return namedNotices(
      "text-unreadable",
      sorted.map((index) => ({ name: String(index + 1) })),
    );
  }
}
