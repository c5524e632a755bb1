// Declares /pdf, which converts documents of many types to PDF.

import type { OperationDeclaration } from "../document/contract/operation.ts";
import { parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { addressIn } from "../document/contract/web-url.ts";
import { ASSET, htmlToPdf } from "../operations/to-pdf/html-to-pdf.ts";
import { imageToPdf } from "../operations/to-pdf/image-to-pdf.ts";
import { officeToPdf } from "../operations/to-pdf/office-to-pdf.ts";
import { postscriptToPdf } from "../operations/to-pdf/postscript-to-pdf.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { notAWebPage, outOfRange, unreachable, unsupportedFile, wrongType } from "../service/http/contract/errors.ts";
import {
  type DocumentType,
  documentTypeOf,
  mediaTypeOfInput,
  typeOfStart,
} from "../service/http/requests/document-type.ts";
import { mismatch } from "../service/http/requests/mismatch.ts";
import { containerJob, edgeJob, streamingJobWithFallback } from "../service/placement/placement.ts";
import { ASSETS, HTML_ERRORS, HTML_FIELDS, printing } from "./pdf/html-fields.ts";

/** Operations for the document types that only the container can convert. */
const CONTAINER_ONLY: { readonly [type in DocumentType]?: Pick<OperationDeclaration<unknown>, "internet"> } = {
  office: officeToPdf,
  postscript: postscriptToPdf,
  html: htmlToPdf,
  "html-archive": htmlToPdf,
  "web-page": htmlToPdf,
};

const TAKES =
  "Word, Excel, PowerPoint, PostScript or EPS document, HTML, a zip archive with index.html, or an image (JPEG, PNG, TIFF, BMP)";
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
  ...HTML_FIELDS,
};

export const pdf = defineEndpoint({
  path: "/pdf",
  ...{ verb: "pdf", title: "Convert to PDF", group: "Make a PDF" },
  keeps: "pages",
  variants: ["private", "keyed"],
  summary: "Converts a document to PDF.",
  example: { file: "report.docx", compression: "lossless" },
  inputs: {
    file: { kind: "one", webPages: true, description: TAKES, othersAs: "asset_files" },
    asset_files: { kind: "one", description: ASSETS, role: ASSET, isOptional: true, isList: true },
  },
  parameters,
  output: { kind: "files", naming: "name", type: "application/pdf" },
  extraFields: ["substitutedFonts"],
  errors: [
    outOfRange("downsample", "100"),
    unsupportedFile("lossless JPEG"),
    unreachable(),
    notAWebPage(),
    ...HTML_ERRORS,
  ],
  failures: {
    damaged: () => wrongType(UNREADABLE),
    unsupported: ({ feature }) => (feature === undefined ? wrongType(UNREADABLE) : unsupportedFile(feature)),
  },
  prewarmFor: (start, name) => CONTAINER_ONLY[typeOfStart(start, name)],
  async createJob(values, { inputs: [input], isSent }) {
    const { compression, downsample, tagged_pdf } = values;
    // Called for every document type, because it also validates the margins.
    const html = {
      ...printing(values, { isSent }),
      tagged: tagged_pdf,
      lossless: compression === "lossless",
      ...(downsample === "off" ? {} : { maxImageDpi: Number(downsample) }),
    };
    switch (input ? await documentTypeOf(input) : "html") {
      case "office":
        return containerJob(officeToPdf, {
          tagged: tagged_pdf,
          lossless: compression === "lossless",
          ...(downsample === "off" ? {} : { maxImageDpi: Number(downsample) }),
        });
      case "postscript":
        return containerJob(postscriptToPdf, {
          lossless: compression === "lossless",
          ...(downsample === "off" ? {} : { maxImageDpi: Number(downsample) }),
        });
      case "image":
        return streamingJobWithFallback(imageToPdf, {});
      case "tiff":
        return edgeJob(imageToPdf, {});
      case "html":
        return containerJob(htmlToPdf, html);
      case "html-archive":
        return containerJob(htmlToPdf, { ...html, isArchive: true });
      case "web-page": {
        const url = addressIn(new TextDecoder().decode(await input!.bytes()));
        if (url === undefined) throw wrongType();
        return containerJob(htmlToPdf, { ...html, url });
      }
      case "none":
        throw isSent("url")
          ? notAWebPage()
          : mismatch({ name: input!.name, size: input!.size, type: await mediaTypeOfInput(input!) }, TAKES);
    }
  },
});
