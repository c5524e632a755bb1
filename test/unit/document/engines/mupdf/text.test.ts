// Tests the extraction of a page's text, visible or not.
import { expect, test } from "vitest";
import { MupdfDocument } from "../../../../../src/document/engines/mupdf/document.ts";
import { Mupdf } from "../../../../../src/document/engines/mupdf/instance/mupdf.ts";
import { MupdfPage, readingTank } from "../../../../../src/document/engines/mupdf/page.ts";
import { PdfBuilder } from "../../../../fixtures/pdf-builder.ts";
import { onePage } from "../../../../support/hostile-pdfs.ts";
import { reasonOf } from "../../../../support/operations.ts";

const OPTIONS = { heapLimitBytes: 64 * 2 ** 20 };

async function linesOf(pdf: Uint8Array): Promise<string[]> {
  const document = MupdfDocument.open(await Mupdf.create(OPTIONS), pdf, OPTIONS);
  const page = new MupdfPage(document, 0);
  try {
    return page
      .text()
      .map(({ characters }) => String.fromCodePoint(...characters.map(({ codePoint }) => codePoint)).trim());
  } finally {
    page.close();
    document.close();
  }
}

/** Returns recognized text in a font whose glyph has no outline, as the only content between BT and ET; and a stamp. */
function recognizedPdf(): Uint8Array {
  const builder = new PdfBuilder();
  const map = builder.stream(
    "begincmap 1 begincodespacerange <00> <ff> endcodespacerange 1 beginbfchar <20> <0041> endbfchar endcmap",
  );
  const font = builder.add("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
  const recognized = builder.add(`<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode ${map}>>`);
  const look = builder.stream(
    "BT /F 9 Tf 0 4 Td (note) Tj ET",
    `/Type/XObject/Subtype/Form/BBox[0 0 90 20]/Resources<</Font<</F ${font}>>>>`,
  );
  const stamp = builder.add(`<</Type/Annot/Subtype/Stamp/F 4/Rect[10 10 100 30]/AP<</N ${look}>>>>`);
  const form = builder.stream(
    "BT /R 20 Tf 3 Tr 10 100 Td (   ) Tj ET",
    `/Type/XObject/Subtype/Form/BBox[0 0 300 200]/Resources<</Font<</R ${recognized}>>>>`,
  );
  builder.page("%()\n/X Do", `/Annots[${stamp}]`, `/XObject<</X ${form}>>`);
  return builder.bytes();
}

test("text of which no mode shows anything is read, and that of annotations", async () => {
  expect(await linesOf(recognizedPdf())).toEqual(["AAA", "note"]);
});

test("a page that can be drawn can be too complex to be read", async () => {
  const options = { ...OPTIONS, effort: 0.02 };
  const ask = async (isRead: boolean): Promise<string> => {
    const document = MupdfDocument.open(await Mupdf.create(options), onePage("q Q ".repeat(150_000)), options);
    const tank = isRead ? readingTank(document.engine) : document.engine.tank();
    return reasonOf(async () => new MupdfPage(document, 0, tank).glyphs());
  };
  expect([await ask(true), await ask(false)]).toEqual(["too-complex", "none"]);
});
