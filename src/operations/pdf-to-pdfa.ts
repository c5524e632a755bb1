// Declares the operation that converts a PDF to PDF/A. The container runs it, because the container has the validator.
import { declareOperation } from "../document/contract/operation.ts";
import { optional, type Params, parameter } from "../document/contract/parameter.ts";
import { choice, wordFor } from "../document/contract/parameters/choice.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { PROFILES } from "../document/invoices/profiles.ts";
import { type TargetLevel, targetLevelSchema } from "../document/pdfa/level.ts";

const LEVELS: Readonly<Record<string, TargetLevel>> = {
  "PDF/A-1a": { part: 1, conformance: "a" },
  "PDF/A-1b": { part: 1, conformance: "b" },
  "PDF/A-2a": { part: 2, conformance: "a" },
  "PDF/A-2b": { part: 2, conformance: "b" },
  "PDF/A-2u": { part: 2, conformance: "u" },
  "PDF/A-3a": { part: 3, conformance: "a" },
  "PDF/A-3b": { part: 3, conformance: "b" },
  "PDF/A-3u": { part: 3, conformance: "u" },
  "PDF/A-4": { part: 4, conformance: "" },
};

const parameters = {
  level: parameter(
    "Version of PDF/A. Level b preserves the appearance; level u also requires Unicode values for all text, level a also tags.",
    wordFor(LEVELS, targetLevelSchema),
  ),
  rasterize: parameter("Replaces a page that cannot be converted by an image of it.", onOff, "off"),
  invoiceProfile: optional(
    "Profile of the invoice to attach. It follows from the invoice; another value is an error.",
    choice(PROFILES),
  ),
};
export type PdfToPdfaParams = Params<typeof parameters>;

/** Role of the file to embed, which only PDF/A-3 allows. */
export const ATTACHMENT = "attachment";

export const pdfToPdfa = declareOperation({ name: "pdf-to-pdfa", parameters });
