// Declares /watermarked-pdf, which adds a text or a page of another PDF to pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addWatermark } from "../operations/add-watermark.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { eitherRequired, outOfRange } from "../service/http/contract/errors.ts";
import { edgeJob } from "../service/placement/placement.ts";

export const watermarkedPdf = defineEndpoint({
  path: "/watermarked-pdf",
  ...{ verb: "watermark", title: "Add a watermark", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Adds a text, or a page of another PDF, to pages of a PDF.",
  example: { watermark_text: "DRAFT" },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    watermark_file: {
      ...{ kind: "one", description: "a PDF", accepts: mayBePdf, insteadOf: "watermark_text" },
      ...{ id: "watermark_file_id", url: "watermark_file_url" },
    },
  },
  operation: addWatermark,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    eitherRequired("watermark_text", "watermark_file"),
    eitherRequired("text_color_rgb", "text_color_cmyk"),
    outOfRange("pages", "9"),
  ],
  createJob(params) {
    if (params.textColorRgb && params.textColorCmyk) throw eitherRequired("text_color_rgb", "text_color_cmyk");
    return edgeJob(addWatermark, params);
  },
});
