// Declares /pdfa, which converts a PDF to PDF/A.
import { detectMediaType, mayBePdf } from "../document/contract/media-type.ts";
import type { PdfaLevel } from "../document/pdfa/level.ts";
import { type PdfToPdfaParams, pdfToPdfa } from "../operations/pdf-to-pdfa.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { nonconforming, outOfRange, tooMuchContent } from "../service/http/contract/errors.ts";
import { choice, outputName } from "../service/http/contract/fields.ts";
import { containerJob } from "../service/placement/placement.ts";

const LEVELS = {
  "PDF/A-1b": { part: 1, conformance: "b" },
  "PDF/A-2b": { part: 2, conformance: "b" },
  "PDF/A-2u": { part: 2, conformance: "u" },
  "PDF/A-3b": { part: 3, conformance: "b" },
  "PDF/A-3u": { part: 3, conformance: "u" },
} as const satisfies Record<string, PdfaLevel>;
type LevelName = keyof typeof LEVELS;

export const pdfa = defineEndpoint({
  path: "/pdfa",
  verb: "pdfa",
  title: "Archive as PDF/A",
  group: "Improve a PDF",
  variants: ["private", "keyed"],
  summary: "Converts a PDF to a PDF/A version.",
  example: { output_type: "PDF/A-2b" },
  input: { kind: "one", description: "PDF", accepts: mayBePdf },
  fields: {
    output: outputName("Name of the file, without extension."),
    output_type: choice(
      "Version of PDF/A. Level b preserves the appearance; level u also requires Unicode values for all text.",
      [...(Object.keys(LEVELS) as [LevelName, ...LevelName[]])],
    ),
    rasterize_if_errors_encountered: choice(
      "Replaces a page that cannot be converted by an image of it.",
      ["on", "off"],
      "off",
    ),
  },
  outputNaming: "name",
  produces: "application/pdf",
  keeps: "pages",
  errors: [outOfRange("output_type", "PDF/A-4"), nonconforming(), tooMuchContent()],
  prewarmFor: (start, name) => (mayBePdf(detectMediaType(start, name)) ? pdfToPdfa : undefined),
  createJob({ output_type, rasterize_if_errors_encountered }) {
    const params: PdfToPdfaParams = { level: LEVELS[output_type], rasterize: rasterize_if_errors_encountered === "on" };
    return containerJob(pdfToPdfa, params);
  },
});
