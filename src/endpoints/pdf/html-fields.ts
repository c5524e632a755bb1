// Declares the fields of /pdf that apply to HTML and web pages: the paper, headers and footers, and the visit.

import { LIMITS } from "../../document/contract/limits.ts";
import { optional, type Params, parameter } from "../../document/contract/parameter.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { length } from "../../document/contract/parameters/length.ts";
import { integer, number } from "../../document/contract/parameters/number.ts";
import { onOff } from "../../document/contract/parameters/on-off.ts";
import { listedPages } from "../../document/contract/parameters/pages.ts";
import { orientation, PAPER_NAMES, paperSize } from "../../document/contract/parameters/paper.ts";
import { text } from "../../document/contract/parameters/text.ts";
import type { HtmlToPdfParams } from "../../operations/to-pdf/html-to-pdf.ts";
import type { PrepareContext } from "../../service/http/contract/endpoint.ts";
import { faultyPage, outOfRange, unmetCondition } from "../../service/http/contract/errors.ts";
import { VISIT_FIELDS, visiting } from "./visit-fields.ts";

/** Minimum width and height between the margins, in points: a smaller area cannot contain a single letter. */
const MIN_ROOM = 9;

/** Without web_layout, the document's CSS for paper (`@page`) determines the page size. */
const OWN_PAGE = "If web_layout is not sent, a document made for paper keeps its own @page";

const template = text({ max: LIMITS.pageTemplateLength });
const PLACEHOLDERS = "pageNumber, totalPages, title, date and url are filled in";

export const HTML_FIELDS = {
  page_size: parameter(
    `Paper (HTML). ${OWN_PAGE} size, unless page_size or page_orientation is sent.`,
    choice(PAPER_NAMES),
    "letter",
  ),
  page_margin: parameter(
    `Margin on all sides, in inches or millimeters (HTML); at least ${MIN_ROOM} points must remain between margins. ` +
      `${OWN_PAGE} margin, unless page_margin is sent.`,
    length,
    "1in",
  ),
  page_orientation: parameter(
    `Orientation of the paper (HTML, spreadsheets). ${OWN_PAGE} size, unless page_size or page_orientation is sent; a ` +
      "sheet keeps its own orientation, unless page_orientation is sent.",
    orientation,
    "portrait",
  ),
  web_layout: parameter(
    "The device whose layout a page shows, fitted to the width of the paper (HTML). " +
      "If it is not sent, a document with @page rules or print styles of its own is not fitted: 12pt is 12pt.",
    choice(["desktop", "tablet", "mobile"]),
    "desktop",
  ),
  header_html: optional(
    `HTML in the top margin of each page (HTML). Elements of the classes ${PLACEHOLDERS}.`,
    template,
  ),
  footer_html: optional(
    `HTML in the bottom margin of each page (HTML). Elements of the classes ${PLACEHOLDERS}.`,
    template,
  ),
  scale: optional(
    "Factor for the lengths of the page, instead of fitting it to the width of the paper (HTML); 1 is the size that " +
      "a browser prints.",
    number({ min: 0.1, max: 2 }),
  ),
  pages: optional("The pages to keep, in this order; all if left out.", { ...listedPages, joint: "," }),
  media: parameter(
    "The medium whose styles apply (HTML). With screen, print styles and @page rules do not.",
    choice(["print", "screen"]),
    "print",
  ),
  background: parameter("Prints background colors and images (HTML).", onOff, "on"),
  toc: parameter("Inserts a table of contents with page numbers before the content (HTML).", onOff, "off"),
  toc_title: parameter("Title of the table of contents (HTML).", text({ max: 200 }), "Contents"),
  toc_depth: parameter("Levels of headings in the table of contents (HTML).", integer({ min: 1, max: 6 }), "3"),
  ...VISIT_FIELDS,
};

/** Describes the further files of a page. */
export const ASSETS = "the style sheets, pictures, fonts and scripts to which an HTML file refers by name";

export const HTML_ERRORS = [unmetCondition(), faultyPage()];

type Sent = Pick<PrepareContext, "isSent">;

/** @throws ServiceError 400 if the margins leave too little space */
export function printing(fields: Params<typeof HTML_FIELDS>, { isSent }: Sent): Omit<HtmlToPdfParams, "lossless"> {
  const paper = paperSize(fields.page_size, fields.page_orientation);
  const { points: margin, text } = fields.page_margin;
  if (Math.min(paper.width, paper.height) - 2 * margin < MIN_ROOM) throw outOfRange("page_margin", text);
  return {
    paper,
    margin,
    ...(isSent("web_layout") ? { layout: fields.web_layout } : {}),
    ownPages: { size: !isSent("page_size") && !isSent("page_orientation"), margin: !isSent("page_margin") },
    ...(fields.header_html === undefined ? {} : { header: fields.header_html }),
    ...(fields.footer_html === undefined ? {} : { footer: fields.footer_html }),
    ...(fields.scale === undefined ? {} : { scale: fields.scale }),
    ...(fields.toc ? { contents: { title: fields.toc_title, depth: fields.toc_depth } } : {}),
    ...{ media: fields.media, background: fields.background },
    visit: visiting(fields),
  };
}
