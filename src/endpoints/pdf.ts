// Declares /pdf, which converts documents of many types to PDF.

import type { Input, OperationDeclaration } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { length } from "../document/contract/parameters/length.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { orientation, PAPER_NAMES, paperSize } from "../document/contract/parameters/paper.ts";
import { addressIn } from "../document/contract/web-url.ts";
import { heifToPdf } from "../operations/to-pdf/heif-to-pdf.ts";
import { type HtmlToPdfParams, htmlToPdf } from "../operations/to-pdf/html-to-pdf.ts";
import { imageToPdf } from "../operations/to-pdf/image-to-pdf.ts";
import { officeToPdf } from "../operations/to-pdf/office-to-pdf.ts";
import { postscriptToPdf } from "../operations/to-pdf/postscript-to-pdf.ts";
import { svgToPdf } from "../operations/to-pdf/svg-to-pdf.ts";
import { defineEndpoint, type PrepareContext } from "../service/http/contract/endpoint.ts";
import { notAWebPage, outOfRange, unreachable, unsupportedFile, wrongType } from "../service/http/contract/errors.ts";
import {
  type DocumentType,
  documentTypeOf,
  mediaTypeOfInput,
  typeOfStart,
} from "../service/http/requests/document-type.ts";
import { mismatch } from "../service/http/requests/mismatch.ts";
import { containerJob, edgeJob, type JobPlan, streamingJobWithFallback } from "../service/placement/placement.ts";

/** Operations for the document types that only the container can convert. */
const CONTAINER_ONLY: { readonly [type in DocumentType]?: Pick<OperationDeclaration<unknown>, "internet"> } = {
  office: officeToPdf,
  postscript: postscriptToPdf,
  html: htmlToPdf,
  "web-page": htmlToPdf,
  heif: heifToPdf,
  svg: svgToPdf,
};

/** Minimum width and height between the margins, in points: a smaller area cannot contain a single letter. */
const MIN_ROOM = 9;

/** Without web_layout, the document's CSS for paper (`@page`) determines the page size. */
const OWN_PAGE = "If web_layout is not sent, a document made for paper keeps its own @page";

const TAKES =
  "Word, Excel, PowerPoint, PostScript or EPS document, HTML, or an image (JPEG, PNG, TIFF, BMP, GIF, WebP, HEIC, AVIF, SVG)";
const UNREADABLE = "It is damaged, or its content is not what its name says.";

const parameters = {
  compression: parameter("Compression of images.", choice(["lossy", "lossless"]), "lossy"),
  downsample: parameter(
    "Maximum resolution of images, in dots per inch; off keeps their resolution.",
    choice(["75", "150", "300", "600", "1200", "off"]),
    "300",
  ),
  tagged_pdf: parameter(
    "Tags the PDF (Office documents and HTML). For HTML, this also adds an outline of the headings.",
    onOff,
    "off",
  ),
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
    `Orientation of the paper (HTML). ${OWN_PAGE} size, unless page_size or page_orientation is sent.`,
    orientation,
    "portrait",
  ),
  web_layout: parameter(
    "The device whose layout a page shows, fitted to the width of the paper (HTML). " +
      "If it is not sent, a document with @page rules or print styles of its own is not fitted: 12pt is 12pt.",
    choice(["desktop", "tablet", "mobile"]),
    "desktop",
  ),
};

export const pdf = defineEndpoint({
  path: "/pdf",
  ...{ verb: "pdf", title: "Convert to PDF", group: "Make a PDF" },
  keeps: "pages",
  variants: ["private", "keyed"],
  summary: "Converts a document to PDF.",
  example: { file: "report.docx", compression: "lossless" },
  inputs: { file: { kind: "one", webPages: true, description: TAKES } },
  parameters,
  output: { kind: "files", naming: "name", type: "application/pdf" },
  extraFields: ["substitutedFonts"],
  errors: [outOfRange("downsample", "100"), unsupportedFile("lossless JPEG"), unreachable(), notAWebPage()],
  failures: {
    damaged: () => wrongType(UNREADABLE),
    unsupported: ({ feature }) => (feature === undefined ? wrongType(UNREADABLE) : unsupportedFile(feature)),
  },
  prewarmFor: (start, name) => CONTAINER_ONLY[typeOfStart(start, name)],
  async createJob(values, { inputs: [input], isSent }) {
    const images = {
      lossless: values.compression === "lossless",
      ...(values.downsample === "off" ? {} : { maxImageDpi: Number(values.downsample) }),
    };
    // Called for every document type, because it also validates the margins.
    const html = { ...printing(values, isSent), ...images };
    const type = input ? await documentTypeOf(input) : "html";
    if (type !== "none") return JOBS[type]({ values, images, html, input });
    throw isSent("url")
      ? notAWebPage()
      : mismatch({ name: input!.name, size: input!.size, type: await mediaTypeOfInput(input!) }, TAKES);
  },
});

/** A request to convert a document. */
interface Conversion {
  readonly values: Params<typeof parameters>;
  readonly images: Pick<HtmlToPdfParams, "lossless" | "maxImageDpi">;
  readonly html: HtmlToPdfParams;
  /** Undefined if only the fields are validated. */
  readonly input: Input | undefined;
}

/** The job for each document type. */
const JOBS: {
  readonly [type in Exclude<DocumentType, "none">]: (conversion: Conversion) => JobPlan | Promise<JobPlan>;
} = {
  office: ({ values, images }) => containerJob(officeToPdf, { tagged: values.tagged_pdf, ...images }),
  postscript: ({ images }) => containerJob(postscriptToPdf, images),
  image: () => streamingJobWithFallback(imageToPdf, {}),
  tiff: () => edgeJob(imageToPdf, {}),
  webp: ({ images: { lossless } }) => edgeJob(imageToPdf, { lossless }),
  heif: ({ images: { lossless } }) => containerJob(heifToPdf, { lossless }),
  svg: ({ images }) => containerJob(svgToPdf, images),
  html: ({ html }) => containerJob(htmlToPdf, html),
  async "web-page"({ html, input }) {
    const url = addressIn(new TextDecoder().decode(await input!.bytes()));
    if (url === undefined) throw wrongType();
    return containerJob(htmlToPdf, { ...html, url });
  },
};

/** @throws ServiceError 400 if the margins leave too little space */
function printing(
  fields: Params<typeof parameters>,
  isSent: PrepareContext["isSent"],
): Omit<HtmlToPdfParams, "lossless" | "maxImageDpi"> {
  const paper = paperSize(fields.page_size, fields.page_orientation);
  const { points: margin, text } = fields.page_margin;
  if (Math.min(paper.width, paper.height) - 2 * margin < MIN_ROOM) throw outOfRange("page_margin", text);
  return {
    paper,
    margin,
    ...(isSent("web_layout") ? { layout: fields.web_layout } : {}),
    ownPages: { size: !isSent("page_size") && !isSent("page_orientation"), margin: !isSent("page_margin") },
    tagged: fields.tagged_pdf,
  };
}
