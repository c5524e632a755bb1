// Adds recognized text to pages of a PDF as invisible text. The second input is the text in JSON. Yields one output.
import * as z from "zod";
import { IDENTITY, inverse, multiply } from "../../document/content/matrix.ts";
import { defineOperation } from "../../document/contract/operation.ts";
import { withdrawClaims } from "../../document/pages/claims.ts";
import { pdfToPdf } from "../../document/pages/open-pdf.ts";
import { Overlay } from "../../document/pages/overlay/overlay.ts";
import { InvisibleFont } from "../../document/pdfa/content/text/invisible-text.ts";
import type { RecognizedLine } from "../../document/recognition/hocr.ts";
import type { PagePicture } from "../../document/recognition/page-picture.ts";
import { invisibleLayer } from "../../document/recognition/text-layer.ts";

/** The text of a page, in pixels of its picture. */
export interface RecognizedPage extends Pick<PagePicture, "matrix"> {
  readonly pageNumber: number;
  readonly lines: readonly RecognizedLine[];
}

/** Claims that stay true: their standards allow invisible text in a font that is not embedded. */
const KEPT_CLAIMS: ReadonlySet<string> = new Set(["PDF/A", "PDF/UA"]);

const run = pdfToPdf<object>(async (pdf, _, { others, signal }) => {
  const pages: readonly RecognizedPage[] = JSON.parse(new TextDecoder().decode(await others[0]!.bytes()));
  const overlay = new Overlay(pdf.file);
  const font = new InvisibleFont(pdf.file);
  for (const { pageNumber, matrix, lines } of pages) {
    signal.throwIfAborted();
    const { height } = overlay.sizeOf(pageNumber);
    const toPage = multiply(inverse(matrix) ?? IDENTITY, [1, 0, 0, -1, 0, height]);
    const name = overlay.nameOf(pageNumber, "Font", font.reference);
    overlay.write(pageNumber, invisibleLayer(lines, toPage, { font, name }));
  }
  overlay.finish();
  font.finish();
  pdf.notices.push(...withdrawClaims(pdf.file, (family) => !KEPT_CLAIMS.has(family)));
});

export const addRecognizedText = defineOperation({ name: "add-recognized-text", params: z.object({}), run });
