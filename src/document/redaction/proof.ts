// Proves that no match is left: MuPDF and a reader without any code of MuPDF search the finished file.

import { apply } from "../content/matrix.ts";
import { contentOf, decodeContent } from "../content/page-content.ts";
import { EngineFailure } from "../contract/failure.ts";
import type { Context } from "../contract/operation.ts";
import { openPdf } from "../pages/open-pdf.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { countElsewhere } from "./clean-document.ts";
import { centerOf, isSpace } from "./covered-text.ts";
import type { Finder } from "./expressions/expressions.ts";
import { fold } from "./expressions/fold.ts";
import { FontTexts, UNKNOWN } from "./font-text.ts";
import type { Mark } from "./marks.ts";
import { type ReadPage, readEachPage } from "./page-reader.ts";
import { isInside } from "./quads.ts";
import { findOnPage, textOf } from "./readings.ts";
import { formsIn } from "./shown-streams.ts";
import { piecesOf } from "./stream-text.ts";

/** Minimum distance in points from the sides of a mark: glyphs beside a match can touch it. */
const WELL_INSIDE = 0.5;

export interface Redacted {
  readonly finder: Finder;
  /** Marks by page index. */
  readonly marks: ReadonlyMap<number, readonly Mark[]>;
  /** Folded matches that stay because nobody marked them, for example because a reader deleted the mark. */
  readonly kept: ReadonlySet<string>;
  /** Names that matched. */
  readonly names: ReadonlySet<string>;
}

/** @throws EngineFailure `crashed` if a match is left */
export async function prove(bytes: Uint8Array, redacted: Redacted, context: Context): Promise<void> {
  await readEachPage(bytes, context.heapLimitBytes, context.signal, (page) => provePage(page, redacted));
  using pdf = await openPdf(bytes, context);
  const { file } = pdf;
  const { pages } = readPages(file);
  if ((await countElsewhere(file, pages, redacted.finder, context.signal, redacted.names)) > 0)
    throw isLeft("outside of pages");
  const fonts = new FontTexts(file);
  const proven = new Set<number>();
  for (const page of pages) {
    context.signal.throwIfAborted();
    const dictionary = pageDictionary(file, page);
    const resources = file.dictionary(dictionary.get("Resources"));
    const pieces = piecesOf(file, contentOf(file, dictionary.get("Contents")), resources, fonts);
    for (const form of formsIn(file, resources, proven)) {
      proven.add(form.number);
      const stream = file.stream(form)!;
      const own = file.dictionary(stream.dictionary.get("Resources")) ?? resources;
      pieces.push(...piecesOf(file, decodeContent(stream), own, fonts));
    }
    if (pieces.some((piece) => isMatch(piece, redacted))) throw isLeft(`in the content of page ${page.index + 1}`);
    await file.relieve();
  }
}

function provePage({ index, glyphs, toUser }: ReadPage, redacted: Redacted): void {
  const found = findOnPage(glyphs, redacted.finder);
  const texts = found.map((range) => fold(textOf(glyphs, range)).text);
  if (texts.some((text) => isKnown(text, redacted))) throw isLeft(`on page ${index + 1}`);
  const quads = (redacted.marks.get(index) ?? []).flat();
  for (let glyph = 0; glyph < glyphs.contentCount && quads.length > 0; glyph++) {
    if (isSpace(glyphs, glyph)) continue;
    const point = apply(toUser, ...centerOf(glyphs.corners(glyph)));
    if (quads.some((quad) => isInside(quad, ...point, WELL_INSIDE))) throw isLeft(`under a mark of page ${index + 1}`);
  }
}

const isMatch = (piece: string, redacted: Redacted): boolean =>
  redacted.finder.find(piece).some(({ start, end }) => isKnown(fold(piece.slice(start, end)).text, redacted));

/** Reports whether the text of a match is neither a replacement, nor kept, nor one of unknown characters. */
function isKnown(text: string, { finder, kept }: Redacted): boolean {
  if (kept.has(text) || finder.isReplaced(text)) return false;
  return !text.includes(UNKNOWN) || finder.find(text.replaceAll(UNKNOWN, "")).length > 0;
}

/** Hides the text: it is a secret. */
const isLeft = (where: string) => new EngineFailure("crashed", `a match is left ${where}`);
