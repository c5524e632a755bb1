// Declares /zugferd-pdf, which makes a PDF/A-3 of an electronic invoice.
import { mayBePdf } from "../../document/contract/media-type.ts";
import { stepOf } from "../../document/contract/operation.ts";
import { drawInvoice } from "../../operations/draw-invoice.ts";
import { pdfToPdfa } from "../../operations/pdf-to-pdfa.ts";
import { defineEndpoint } from "../../service/http/contract/endpoint.ts";
import {
  nonconforming,
  notAnInvoice,
  outOfRange,
  tooMuchContent,
  unreadableImage,
} from "../../service/http/contract/errors.ts";
import { stepsJob } from "../../service/placement/placement.ts";

const LEVEL = { part: 3, conformance: "b" } as const;
const isXml = (type: string) => /^(?:text\/(?!html)|application\/(?:xml|octet-stream)$)/.test(type);
const isImage = (type: string) => /^image\/(?:jpeg|png|tiff|gif)$/.test(type);

export const zugferdPdf = defineEndpoint({
  path: "/zugferd-pdf",
  ...{ verb: "makeInvoice", title: "Make an invoice", group: "Make a PDF" },
  variants: ["private", "keyed"],
  summary: "Makes a PDF/A-3 of an electronic invoice in XML: ZUGFeRD, Factur-X or XRechnung.",
  example: { file: "invoice.xml" },
  inputs: {
    file: { kind: "one", description: "an invoice in XML", accepts: isXml },
    pdf_file: { kind: "one", description: "a PDF with the pages of the invoice", accepts: mayBePdf, isOptional: true },
    logo_file: { kind: "one", description: "a JPEG, PNG, TIFF or GIF", accepts: isImage, isOptional: true },
  },
  operation: drawInvoice,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  errors: [
    ...[outOfRange("render_options", "{}"), outOfRange("regenerate_pdf", "on")],
    ...[notAnInvoice(), unreadableImage(), nonconforming(), tooMuchContent()],
  ],
  createJob: (params) => stepsJob([stepOf(drawInvoice, params), stepOf(pdfToPdfa, { level: LEVEL, rasterize: false })]),
});
