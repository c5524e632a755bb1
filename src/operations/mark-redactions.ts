// Marks matches of expressions with Redact annotations, and records the expressions in the document. Yields one output.
import { OutOfRange } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { countedNotices } from "../document/contract/notice.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { writeFile } from "../document/objects/writer.ts";
import { isClassic, withdrawClaims } from "../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { placesOf } from "../document/pages/page-tree.ts";
import { countElsewhere } from "../document/redaction/clean-document.ts";
import { expressions, Finder } from "../document/redaction/expressions/expressions.ts";
import { type Mark, Marker, newMarks, writeRecord } from "../document/redaction/marks.ts";
import { readEachPage, UnreadablePages } from "../document/redaction/page-reader.ts";
import { quadsOf } from "../document/redaction/quads.ts";
import { readableCopy } from "../document/redaction/readable-copy.ts";
import { findOnPage } from "../document/redaction/readings.ts";

const parameters = {
  redactions: parameter("JSON with the texts to redact: literals, regular expressions and presets.", {
    ...json(expressions, { name: "Redactions" }),
    isSecret: true,
  }),
};
export type MarkRedactionsParams = Params<typeof parameters>;

const TOO_MANY = `A request marks at most ${LIMITS.redactionMarks} matches.`;

/** @throws OutOfRange if there are too many matches; EngineFailure; before any output */
const run: Run<MarkRedactionsParams> = async function* ([input], { redactions }, context) {
  const bytes = await input!.bytes();
  const finder = new Finder(redactions);
  const marks = new Map<number, Mark[]>();
  const unreadable = new UnreadablePages();
  let count = 0;
  await readEachPage(await readableCopy(bytes, context), context, (page) => {
    unreadable.look(page);
    const known = marks.get(page.index) ?? [];
    const ranges = findOnPage(page, finder);
    const found = newMarks(
      known,
      ranges.map((range) => quadsOf(page.glyphs, range, page.toUser)),
    );
    count += found.length;
    if (count > LIMITS.redactionMarks) throw new OutOfRange("redactions", String(count), TOO_MANY);
    const visible = found.filter((mark) => mark.length > 0);
    if (visible.length > 0) marks.set(page.index, [...known, ...visible]);
  });
  using pdf = await openPdf(bytes, context);
  const { file, notices } = pdf;
  const places = placesOf(file);
  const elsewhere = await countElsewhere(file, places, finder, context.signal);
  const marker = new Marker(file, writeRecord(file, places, redactions));
  for (const [index, found] of marks) marker.add(places[index]!, found);
  notices.push(
    ...withdrawClaims(file, () => true),
    ...countedNotices("matches-elsewhere", elsewhere),
    ...countedNotices("no-matches", Number(count + elsewhere === 0)),
    ...unreadable.notices,
    ...unreadable.pictured(file, places),
  );
  yield pdfOutput(writeFile(file, marker, { classic: isClassic(file) }), notices);
};

export const markRedactions = defineOperation({ name: "mark-redactions", parameters, run });
