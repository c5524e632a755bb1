// Removes for good what Redact annotations cover, and every match of the recorded expressions elsewhere. Yields one
// output, after two engines have found no match in it.
import { countedNotices } from "../document/contract/notice.ts";
import { type Context, defineOperation, type Run, yieldBetweenPages } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { rgb } from "../document/contract/parameters/color.ts";
import { type CoveredAreas, withoutCoveredContent } from "../document/engines/mupdf/redaction.ts";
import { writeFile } from "../document/objects/writer.ts";
import { isClassic, withdrawClaims } from "../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { placesOf } from "../document/pages/page-tree.ts";
import { fillMarks, removeMarks } from "../document/redaction/boxes.ts";
import { cleanDocument } from "../document/redaction/clean-document.ts";
import { removeMarkedAnnotations } from "../document/redaction/covered/annotations.ts";
import { hasTellingPatterns } from "../document/redaction/covered/patterns.ts";
import { CoveredText } from "../document/redaction/covered/text.ts";
import { restoreDeviceColors } from "../document/redaction/device-colors.ts";
import { Finder } from "../document/redaction/expressions/expressions.ts";
import { fold } from "../document/redaction/expressions/fold.ts";
import { addUnicode } from "../document/redaction/fonts/added-unicode.ts";
import { type Mark, marksOf, readRecord } from "../document/redaction/marks.ts";
import { ofPages, readEachPage, UnreadablePages } from "../document/redaction/page-reader.ts";
import { prove } from "../document/redaction/proof.ts";
import { type GlyphRange, grown } from "../document/redaction/quads.ts";
import { repairText, written } from "../document/redaction/readable-copy.ts";
import { findOnPage, textOf } from "../document/redaction/readings.ts";
import { type ExplicitForms, makeLinesExplicit } from "../document/redaction/repairs/explicit-lines.ts";
import { joinContents } from "../document/redaction/repairs/joined-contents.ts";
import { readWhole } from "./in-memory.ts";

/** Distance to which outlines of marked text stand out of a mark, in heights of the mark, and in points. */
const OUTLINE_OVERHANG = 0.25;
const MAX_OVERHANG = 6;

const parameters = {
  rgbColor: parameter("Color of the boxes in place of the removed content.", rgb, "0,0,0"),
};
export type ApplyRedactionsParams = Params<typeof parameters>;

/** @throws EngineFailure `crashed` if a match is left; before any output */
const run: Run<ApplyRedactionsParams> = async function* ([input], { rgbColor }, context) {
  const { bytes, readable, marks, finder, names, notices } = await prepare(await input!.bytes(), context);
  const kept = new Set<string>();
  const unreadable = new UnreadablePages();
  const areas = new Map<number, CoveredAreas>();
  const { heapLimitBytes, signal } = context;
  await readEachPage(readable, { ...context, isRead: (index) => marks.has(index) }, (page) => {
    unreadable.look(page);
    const whole = marks.get(page.index)!.flat();
    const covered = new CoveredText(page, whole);
    if (page.hasAllLayers) {
      const ofPaths = whole.map((quad) => grown(quad, OUTLINE_OVERHANG, MAX_OVERHANG));
      areas.set(page.index, { ofText: covered.areas, whole, ofPaths });
    }
    for (const range of findOnPage(page, finder)) {
      if (range.first >= page.glyphs.contentCount || isEveryGlyph(range, (glyph) => covered.covers(glyph))) continue;
      kept.add(fold(textOf(page.glyphs, range)).text);
    }
  });
  const redacted = areas.size > 0 ? await withoutCoveredContent(bytes, heapLimitBytes, areas, signal) : bytes;
  const whole = await withBoxes(redacted, marks, rgbColor, context);
  await prove(whole, { finder, marks, kept, joined: new Set(), names }, context, (page) => unreadable.look(page));
  yield pdfOutput(whole, [...notices, ...countedNotices("matches-kept", kept.size), ...unreadable.notices]);
};

export const applyRedactions = defineOperation({ name: "apply-redactions", parameters, run });

/**
 * Returns a copy without matches outside of pages, the same copy with the characters of all fonts, and what remains to
 * be done on pages.
 */
async function prepare(bytes: Uint8Array, context: Context) {
  using pdf = await openPdf(bytes, context);
  const { file, notices } = pdf;
  const pages = placesOf(file);
  const recorded = readRecord(file, pages);
  const finder = new Finder(recorded);
  const marks = new Map<number, readonly Mark[]>();
  const forms: ExplicitForms = new Map();
  const patterned = new Set<number>();
  for (const page of pages) {
    await yieldBetweenPages(page, context.signal);
    joinContents(file, page);
    const found = marksOf(file, page);
    if (found.length === 0) continue;
    marks.set(page.index, found);
    makeLinesExplicit(file, page, forms);
    if (hasTellingPatterns(file, page)) patterned.add(page.index);
  }
  removeMarks(file, pages);
  const { fonts } = await repairText(file, pages, context.signal);
  const annotations = removeMarkedAnnotations(file, pages, marks);
  const cleaned = await cleanDocument(file, pages, finder, context.signal);
  notices.push(
    ...withdrawClaims(file, () => true),
    ...cleaned.notices,
    ...countedNotices("marked-annotations-removed", annotations),
    ...countedNotices("nothing-marked", Number(marks.size + recorded.length === 0)),
    ...countedNotices("only-areas-redacted", Number(marks.size > 0 && recorded.length === 0)),
    ...ofPages("patterns-kept", patterned),
  );
  const clean = await readWhole(writeFile(file, undefined, { classic: isClassic(file) }));
  const isReadable = marks.size === 0 || !addUnicode(file, fonts, context.signal);
  return {
    bytes: clean,
    readable: isReadable ? clean : await written(file),
    marks,
    finder,
    names: cleaned.names,
    notices,
  };
}

async function withBoxes(
  bytes: Uint8Array,
  marks: ReadonlyMap<number, readonly Mark[]>,
  color: readonly number[],
  context: Context,
): Promise<Uint8Array> {
  using pdf = await openPdf(bytes, context);
  const done = new Set<number>();
  for (const page of placesOf(pdf.file)) {
    await yieldBetweenPages(page, context.signal);
    if (marks.has(page.index)) restoreDeviceColors(pdf.file, page, done);
  }
  fillMarks(pdf.file, marks, color);
  return await readWhole(writeFile(pdf.file, undefined, { classic: isClassic(pdf.file) }));
}

function isEveryGlyph({ first, last }: GlyphRange, isOne: (glyph: number) => boolean): boolean {
  for (let glyph = first; glyph <= last; glyph++) if (!isOne(glyph)) return false;
  return true;
}
