// Lays pages on paper for a printer: their annotations become content, and each page is turned, scaled and centered on a
// page of its own. Yields one output.
import { drawAnnotations } from "../document/annotations/draw-annotations.ts";
import { defineOperation, type Run, yieldBetweenPages } from "../document/contract/operation.ts";
import { selectPages } from "../document/contract/pages.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { number } from "../document/contract/parameters/number.ts";
import { trueFalse } from "../document/contract/parameters/on-off.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { PAPER_NAMES, paperSize } from "../document/contract/parameters/paper.ts";
import { Imposition } from "../document/imposition/impose.ts";
import type { PdfFile } from "../document/objects/pdf-file.ts";
import { Dictionary } from "../document/objects/values.ts";
import { writeFile } from "../document/objects/writer.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { displayedSize, quarterTurns } from "../document/pages/page-size.ts";
import { completePage, placesOf } from "../document/pages/page-tree.ts";
import type { SourcePage } from "../document/pages/pages.ts";
import { ANNOTATION_FLAGS } from "../document/visibility/annotation-flags.ts";

export const PRINT_PAGES = {
  pages: parameter("The pages, in this order.", listedPages, "all"),
  printAnnotations: parameter("Draws comments and other annotations that are meant for print.", trueFalse, "true"),
  rotate: parameter("Turns each page clockwise by 90 degrees, with its paper.", trueFalse, "false"),
  scale: parameter(
    "Factor for the content of the pages, about their center; the paper keeps its size.",
    number({ min: 0.01, max: 100 }),
    "1",
  ),
  shrinkToFit: parameter("Makes pages smaller that are larger than the paper.", trueFalse, "false"),
  pageSize: optional("Paper; the size of each page if left out.", choice(PAPER_NAMES)),
};
export type LayPrintPagesParams = Params<typeof PRINT_PAGES>;

/** @throws OutOfRange `pages` */
const run: Run<LayPrintPagesParams> = async function* ([input], params, context) {
  using pdf = await openPdf(await input!.bytes(), context);
  const { file, notices } = pdf;
  const places = placesOf(file);
  const selected = selectPages(params.pages, places.length, { parameter: "pages" });
  for (const place of places) preparePage(file, place, params);
  const { typefaces, signal } = context;
  notices.push(...(await drawAnnotations(pdf, { isChosen: () => true, typefaces, signal })));
  const imposition = new Imposition(file);
  for (const [index, number] of selected.entries()) {
    await yieldBetweenPages({ index }, signal);
    const page = places[number - 1]!;
    const size = displayedSize(file, completePage(file, page));
    const { pageSize } = params;
    const sheet = pageSize ? paperSize(pageSize, size.width > size.height ? "landscape" : "portrait") : size;
    const fitting = Math.min(sheet.width / size.width, sheet.height / size.height);
    const scale = params.shrinkToFit ? Math.min(params.scale, fitting) : params.scale;
    const [x, y] = [(sheet.width - size.width * scale) / 2, (sheet.height - size.height * scale) / 2];
    imposition.add(sheet, [{ page, place: [x, y, sheet.width - x, sheet.height - y] }]);
  }
  const { catalog } = file;
  // Everything else describes the former pages, or is not printed.
  file.catalog = Dictionary.of({ Type: catalog.get("Type"), OCProperties: catalog.get("OCProperties") });
  yield pdfOutput(writeFile(file, imposition.finish(places)), notices);
};

export const layPrintPages = defineOperation({ name: "lay-print-pages", parameters: PRINT_PAGES, run });

/** Turns a page, and leaves only the annotations that are printed (ISO 32000-1, 12.5.3). */
function preparePage(file: PdfFile, place: SourcePage, { rotate, printAnnotations }: LayPrintPagesParams): void {
  const page = completePage(file, place);
  const annotations = (file.array(page.get("Annots")) ?? []).flatMap((value) => {
    const annotation = file.dictionary(value);
    const flags = file.number(annotation?.get("F")) ?? 0;
    const isPrinted = printAnnotations || file.name(annotation?.get("Subtype")) === "Widget";
    if (!annotation || !isPrinted || (flags & ANNOTATION_FLAGS.print) === 0) return [];
    if ((flags & ANNOTATION_FLAGS.noView) === 0) return [value];
    return [file.add(annotation.clone().set("F", flags & ~ANNOTATION_FLAGS.noView))];
  });
  const turns = quarterTurns(file, page) + (rotate ? 1 : 0);
  file.put(place.reference, page.set("Annots", annotations).set("Rotate", (turns % 4) * 90));
}
