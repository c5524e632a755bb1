// Proves that no match is left: MuPDF and a reader without any code of MuPDF search the finished file.
import { contentOf, decodeContent } from "../content/page-content.ts";
import { EngineFailure } from "../contract/failure.ts";
import { type Context, yieldBetweenPages } from "../contract/operation.ts";
import type { Dictionary } from "../objects/values.ts";
import { openPdf } from "../pages/open-pdf.ts";
import { pageDictionary, readPages } from "../pages/pages.ts";
import { BrokenMatches } from "./breaks/broken-match.ts";
import { countElsewhere } from "./clean-document.ts";
import type { Finder } from "./expressions/expressions.ts";
import { fold } from "./expressions/fold.ts";
import { FontTexts, UNKNOWN } from "./font-text.ts";
import { GlyphCenters, pointNearOrigin } from "./glyph-centers.ts";
import type { Mark } from "./marks.ts";
import { type ReadPage, readEachPage } from "./page-reader.ts";
import { isInside } from "./quads.ts";
import { withAddedUnicode } from "./readable-copy.ts";
import { findOnPage, textOf } from "./readings.ts";
import { formsIn } from "./shown-streams.ts";
import { piecesOf } from "./stream-text.ts";

/** Minimum distance in points from the sides of a mark: glyphs beside a match can touch it. */
const WELL_INSIDE = 0.5;

export interface Redacted {
  readonly finder: Finder;
  /** Marks by page index. */
  readonly marks: ReadonlyMap<number, readonly Mark[]>;
  /**
   * Folded matches that stay because nobody marked them, for example because a reader deleted the mark. The proof adds
   * those in the contents of pages without marks.
   */
  readonly kept: Set<string>;
  /** Folded texts, without spaces, of matches that arise only because a text between them is removed. */
  readonly joined: Set<string>;
  /** Names that matched. */
  readonly names: ReadonlySet<string>;
}

/**
 * @param visit receives the pages without marks
 * @throws EngineFailure `crashed` if a match is left
 */
export async function prove(
  finished: Uint8Array,
  redacted: Redacted,
  context: Context,
  visit: (page: ReadPage) => void,
): Promise<void> {
  const left = new Map<string, number>();
  const bytes = await withAddedUnicode(finished, context);
  await readEachPage(bytes, context, (page) => {
    const marks = redacted.marks.get(page.index);
    const broken = new BrokenMatches(page, marks?.flat() ?? []);
    if (marks) proveMarks(page, redacted);
    else visit(page);
    const { glyphs, index } = page;
    for (const range of findOnPage(page, redacted.finder)) {
      const text = fold(textOf(glyphs, range)).text;
      if (redacted.finder.isReplaced(text)) continue;
      if (!marks && range.first < glyphs.contentCount) redacted.kept.add(text);
      else if (isKnown(text, redacted)) {
        const parts = broken.parts(range);
        if (parts.length > 1 && !parts.some((part) => isMatch(part, redacted))) redacted.joined.add(compact(text));
        else left.set(text, index);
      }
    }
  });
  for (const [text, index] of left) if (isKnown(text, redacted)) throw isLeft(`on page ${index + 1}`);
  using pdf = await openPdf(bytes, context);
  const { file } = pdf;
  const { pages } = readPages(file);
  if ((await countElsewhere(file, pages, redacted.finder, context.signal, redacted.names)) > 0)
    throw isLeft("outside of pages");
  const fonts = new FontTexts(file);
  const proven = new Set<number>();
  for (const page of pages) {
    await yieldBetweenPages(page, context.signal);
    const dictionary = pageDictionary(file, page);
    const resources = file.dictionary(dictionary.get("Resources"));
    const search = (bytes: Uint8Array, own: Dictionary | undefined) => {
      const hasMatch = piecesOf(file, bytes, own, fonts).some((piece) => isMatch(piece, redacted));
      if (hasMatch) throw isLeft(`in the content of page ${page.index + 1}`);
    };
    search(contentOf(file, dictionary.get("Contents")), resources);
    for (const form of formsIn(file, resources, proven)) {
      proven.add(form.number);
      const stream = file.stream(form)!;
      search(decodeContent(stream), file.dictionary(stream.dictionary.get("Resources")) ?? resources);
    }
    await file.relieve();
  }
}

function proveMarks(page: ReadPage, { marks }: Redacted): void {
  const centers = new GlyphCenters(page, page.glyphs.count);
  for (const quad of marks.get(page.index)!.flat()) {
    const isUnder = (glyph: number) => isInside(quad, ...pointNearOrigin(page, glyph), 0);
    if (centers.inside(quad, WELL_INSIDE).some(isUnder)) throw isLeft(`under a mark of page ${page.index + 1}`);
  }
}

const isMatch = (piece: string, redacted: Redacted): boolean =>
  redacted.finder.find(piece).some(({ start, end }) => isKnown(fold(piece.slice(start, end)).text, redacted));

/** Reports whether the text of a match is neither a replacement, nor kept, nor joined by removal, nor one of unknown characters. */
function isKnown(text: string, { finder, kept, joined }: Redacted): boolean {
  if (kept.has(text) || joined.has(compact(text)) || finder.isReplaced(text)) return false;
  return !text.includes(UNKNOWN) || finder.find(text.replaceAll(UNKNOWN, "")).length > 0;
}

/** The second reader does not know all gaps. */
const compact = (text: string): string => text.replaceAll(" ", "");

/** Hides the text: it is a secret. */
const isLeft = (where: string) => new EngineFailure("crashed", `a match is left ${where}`);
