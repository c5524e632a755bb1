// Places several pages on each sheet, also in the order of a booklet. Yields one output.
import { drawAnnotations } from "../document/annotations/draw-annotations.ts";
import { removeFormActions } from "../document/annotations/form-actions.ts";
import { OutOfRange } from "../document/contract/failure.ts";
import { defineOperation, type Run, yieldBetweenPages } from "../document/contract/operation.ts";
import { selectPages } from "../document/contract/pages.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { number } from "../document/contract/parameters/number.ts";
import { listedPages } from "../document/contract/parameters/pages.ts";
import { orientation, PAPER_NAMES, type PageSize, paperSize } from "../document/contract/parameters/paper.ts";
import { Imposition } from "../document/imposition/impose.ts";
import { LAYOUTS, placesOn, sheetsOf, usualOrientation } from "../document/imposition/sheets.ts";
import type { PdfFile } from "../document/objects/pdf-file.ts";
import { writeFile } from "../document/objects/writer.ts";
import { withdrawClaims } from "../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { pageSize } from "../document/pages/page-size.ts";
import { placesOf } from "../document/pages/page-tree.ts";
import type { SourcePage } from "../document/pages/pages.ts";

const distance = number({ min: 0, max: 1000 });
const parameters = {
  layout: parameter("The number of pages on each sheet, or the order of a booklet.", choice(LAYOUTS)),
  pages: parameter("The pages, in this order.", listedPages, "all"),
  pageSize: optional("Size of the sheets; that of the first page if left out.", choice(PAPER_NAMES)),
  pageOrientation: optional("Orientation of the sheets; if left out, the one that suits the layout.", orientation),
  margin: parameter("Distance of the pages from the edges of the sheet, in points.", distance, "0"),
  gap: parameter("Distance between pages, in points.", distance, "0"),
};
export type ImposePagesParams = Params<typeof parameters>;

/** Entries of the catalog that describe the former pages. */
const OF_PAGES = ["AcroForm", "StructTreeRoot", "MarkInfo", "PageLabels", "Threads", "DPartRoot"];

/** @throws OutOfRange `pages`, `margin` or `gap`, before the output */
const run: Run<ImposePagesParams> = async function* ([input], params, context) {
  using pdf = await openPdf(await input!.bytes(), context);
  const { file, notices } = pdf;
  const pages = placesOf(file);
  const selected = selectPages(params.pages, pages.length, { parameter: "pages" }).map((one) => pages[one - 1]!);
  const sheet = { ...sheetSize(file, selected[0]!, params), margin: params.margin, gap: params.gap };
  const places = placesOn(sheet, params.layout);
  if (!places) throw noSpace(sheet, params);
  const { typefaces, signal } = context;
  notices.push(...(await drawAnnotations(pdf, { isChosen: (type) => type !== "Link", typefaces, signal })));
  if (file.catalog.has("AcroForm")) notices.push(...(await removeFormActions(file, signal)));
  const imposition = new Imposition(file);
  for (const [index, side] of sheetsOf(selected, params.layout).entries()) {
    await yieldBetweenPages({ index }, signal);
    imposition.add(
      sheet,
      side.flatMap((page, at) => (page ? [{ page, place: places[at]! }] : [])),
    );
  }
  notices.push(...withdrawClaims(file, () => true));
  const catalog = file.catalog.clone();
  for (const key of OF_PAGES) catalog.delete(key);
  file.catalog = catalog;
  yield pdfOutput(writeFile(file, imposition.finish(pages)), notices);
};

export const imposePages = defineOperation({ name: "impose-pages", parameters, run });

/** Names the margin if it leaves no space even without a gap. */
function noSpace(sheet: Parameters<typeof placesOn>[0], { layout, margin, gap }: ImposePagesParams): OutOfRange {
  const why = "It leaves no space for pages.";
  if (placesOn({ ...sheet, gap: 0 }, layout)) return new OutOfRange("gap", String(gap), why);
  return new OutOfRange("margin", String(margin), why);
}

function sheetSize(file: PdfFile, first: SourcePage, params: ImposePagesParams): PageSize {
  const turned = params.pageOrientation ?? usualOrientation(params.layout);
  if (params.pageSize) return paperSize(params.pageSize, turned);
  const { width, height } = pageSize(file, first);
  const [short, long] = [Math.min(width, height), Math.max(width, height)];
  return turned === "landscape" ? { width: long, height: short } : { width: short, height: long };
}
