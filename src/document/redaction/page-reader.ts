// Reads the glyphs of all pages of a document, in all layers, and then in those that viewers show.
import { inverse, type Matrix } from "../content/matrix.ts";
import { EngineFailure } from "../contract/failure.ts";
import { LIMITS } from "../contract/limits.ts";
import { type Notice, type NoticeCode, namedNotices } from "../contract/notice.ts";
import { type Context, yieldBetweenPages } from "../contract/operation.ts";
import { MupdfDocument } from "../engines/mupdf/document.ts";
import type { Glyphs } from "../engines/mupdf/glyphs.ts";
import { Mupdf } from "../engines/mupdf/instance/mupdf.ts";
import { MupdfPage } from "../engines/mupdf/page.ts";
import type { PdfFile } from "../objects/pdf-file.ts";
import type { Value } from "../objects/values.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { guessesOf } from "./fonts/guesses.ts";
import { resourcesIn } from "./shown-streams.ts";

/** Part of the heap that must be free before a page is read. */
const SPARE_PART = 1 / 4;
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
  /** False if the glyphs of hidden layers are left out: they can stand between those of a match. */
  readonly hasAllLayers: boolean;
  /** Maps the space of the glyphs to user space. */
  readonly toUser: Matrix;
}

export interface ReadOptions extends Pick<Context, "heapLimitBytes" | "signal"> {
  /** Reports whether a page is read. @default every page */
  readonly isRead?: (index: number) => boolean;
}

/**
 * @param visit receives each page with all layers; if the document has layers, then also each page with those shown
 * @throws EngineFailure `too-complex` if the pages have too many glyphs
 */
export async function readEachPage(
  bytes: Uint8Array,
  options: ReadOptions,
  visit: (page: ReadPage) => void,
): Promise<void> {
  if (await readLayers(bytes, options, true, visit)) await readLayers(bytes, options, false, visit);
}

/** @returns true if the document has layers */
async function readLayers(
  bytes: Uint8Array,
  { heapLimitBytes, signal, isRead = () => true }: ReadOptions,
  showsAllLayers: boolean,
  visit: (page: ReadPage) => void,
): Promise<boolean> {
  const options = { heapLimitBytes, showsAllLayers };
  const document = MupdfDocument.open(await Mupdf.create(options), bytes, options);
  let count = 0;
  try {
    for (let index = 0; index < document.pageCount; index++) {
      if (!isRead(index)) continue;
      await yieldBetweenPages({ index }, signal);
      if (document.engine.heapBytes > heapLimitBytes * (1 - SPARE_PART)) await document.reopen();
      const page = new MupdfPage(document, index);
      try {
        const toUser = inverse(page.transform);
        if (!toUser) continue;
        const glyphs = page.glyphs();
        count += glyphs.count;
        if (count > LIMITS.redactionGlyphs)
          throw new EngineFailure("too-complex", "too many glyphs", { why: TOO_MANY });
        visit({ index, ...withoutGuesses(glyphs), hasAllLayers: showsAllLayers, toUser });
      } finally {
        page.close();
      }
    }
    return document.hasLayers;
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

/** Collects the pages that cannot be searched, or not completely. */
export class UnreadablePages {
  /** Indexes of pages that have glyphs without a known character. */
  readonly #unknown = new Set<number>();
  /** Indexes of pages without glyphs. */
  readonly #empty = new Set<number>();

  look({ index, glyphs, isUnreadable, hasAllLayers }: ReadPage): void {
    if (!hasAllLayers) return;
    if (isUnreadable) this.#unknown.add(index);
    if (glyphs.count === 0) this.#empty.add(index);
  }

  get notices(): readonly Notice[] {
    return ofPages("text-unreadable", this.#unknown);
  }

  /** Returns a notice about the pages that consist of images. */
  pictured(file: PdfFile, pages: readonly SourcePage[]): readonly Notice[] {
    const isImage = (one: Value) => file.name(file.dictionary(one)?.get("Subtype")) === "Image";
    const pictured = [...this.#empty].filter((index) =>
      resourcesIn(file, pageDictionary(file, pages[index]!).get("Resources")).some((resources) =>
        file.dictionary(resources.get("XObject"))?.values().some(isImage),
      ),
    );
    return ofPages("pixels-unread", pictured);
  }
}

/** Returns a notice about pages, by their indexes. */
export function ofPages(code: NoticeCode, indexes: Iterable<number>): readonly Notice[] {
  const sorted = [...indexes].sort((a, b) => a - b);
  return namedNotices(
    code,
    sorted.map((index) => ({ name: String(index + 1) })),
  );
}
