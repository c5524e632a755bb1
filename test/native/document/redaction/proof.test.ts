// The proof fails if a document still has a match, whatever removed the others: here, it looks at documents from which
// nothing was removed.
// Contract: docs/api.md#pdf-with-redacted-text-applied
import { describe, expect, test } from "vitest";
import { openPdf } from "../../../../src/document/pages/open-pdf.ts";
import { placesOf } from "../../../../src/document/pages/page-tree.ts";
import { Finder } from "../../../../src/document/redaction/expressions/expressions.ts";
import { marksOf } from "../../../../src/document/redaction/marks.ts";
import { prove } from "../../../../src/document/redaction/proof.ts";
import { HELVETICA } from "../../../fixtures/form-pdfs.ts";
import { corpusDir, corpusFile } from "../../../support/corpus.ts";
import { onePage, stream } from "../../../support/hostile-pdfs.ts";
import { CONTEXT, reasonOf } from "../../../support/operations.ts";
import { apply, literal, mark, type Redactions } from "../../../support/redactions.ts";

/** Proves that bytes have no match, with the marks of a preview. */
async function reasonOfProof(finished: Uint8Array, marked: Uint8Array, redactions: Redactions): Promise<string> {
  using pdf = await openPdf(marked, CONTEXT);
  const pages = placesOf(pdf.file);
  const found = pages.map((page) => [page.index, marksOf(pdf.file, page)] as const);
  const redacted = {
    finder: new Finder(redactions),
    marks: new Map(found.filter(([, marks]) => marks.length > 0)),
    kept: new Set<string>(),
    joined: new Set<string>(),
    names: new Set<string>(),
  };
  return await reasonOf(() => prove(finished, redacted, CONTEXT, () => {}));
}

test.skipIf(!corpusDir).each([
  ["amt_handbook_sample", "bearing"],
  ["Seige_of_Vicksburg_Sample_OCR", "Johnston"],
  ["form-xobjects-out", "scale"],
  ["hello-world", "World"],
  ["validAvoir_FR_type380_BASICWL", "moulin"],
  ["cropped_text", "Goodbye"],
  ["fancy_fields", "Lightning"],
])("a real document: %s without %s", { timeout: 60_000 }, async (name, word) => {
  const [pdf, redactions] = [corpusFile(`pdf/${name}.pdf`)!, literal(word)];
  const marked = await mark(pdf, redactions);
  expect(await reasonOfProof(pdf, marked, redactions)).toBe("crashed");
  expect(await reasonOfProof(await apply(marked), marked, redactions)).toBe("none");
});

const SECRET = "Kestrel";
const FONT = "/Font<</F 5 0 R>>";
const TEXT = `BT /F 12 Tf 72 700 Td (${SECRET}) Tj ET`;
const DRAWN = "q 1 0 0 1 0 0 cm /X Do Q";
const form = stream(TEXT, `/Type/XObject/Subtype/Form/BBox[0 0 612 792]/Resources<<${FONT}>>`);
const note = `/Annots[<</Type/Annot/Subtype/Text/Rect[9 9 30 30]/Contents(The ${SECRET})>>]`;

describe("a match that is left", () => {
  test.each([
    ["on a page", onePage(TEXT, FONT, [HELVETICA])],
    ["in a form", onePage(DRAWN, `${FONT}/XObject<</X 6 0 R>>`, [HELVETICA, form])],
    ["in a form that no page draws", onePage("", `${FONT}/XObject<</X 6 0 R>>`, [HELVETICA, form])],
    ["in a replacement text", onePage(`/Span<</ActualText(${SECRET})>>BDC EMC`, FONT, [HELVETICA])],
    ["in an annotation", onePage("", FONT, [HELVETICA], note)],
    [
      "in an array that MuPDF ignores",
      onePage(`BT /F 9 Tf [(${SECRET.slice(0, 4)}) 0 Tc (${SECRET.slice(4)})] TJ ET`, FONT, [HELVETICA]),
    ],
    ["in invisible text", onePage(`3 Tr ${TEXT}`, FONT, [HELVETICA])],
  ])("%s", async (_, pdf) => {
    const redactions = literal(SECRET);
    const marked = await mark(pdf, redactions);
    expect(await reasonOfProof(pdf, marked, redactions)).toBe("crashed");
    expect(await reasonOfProof(await apply(marked), marked, redactions)).toBe("none");
  });

  test("under a mark of another program", async () => {
    const area = "/Annots[<</Type/Annot/Subtype/Redact/Rect[60 690 200 720]>>]";
    const pdf = onePage(TEXT, FONT, [HELVETICA], area);
    expect(await reasonOfProof(pdf, pdf, literal("another"))).toBe("crashed");
    expect(await reasonOfProof(await apply(pdf), pdf, literal("another"))).toBe("none");
  });

  test("except under a mark that a person deleted", async () => {
    const pdf = onePage(TEXT, FONT, [HELVETICA]);
    expect(await reasonOfProof(pdf, pdf, literal(SECRET))).toBe("none");
  });
});
