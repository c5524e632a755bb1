// Declares the operation that validates an electronic invoice: a PDF, or XML. The container runs it, because the
// container has the validators. Yields one output, an object in JSON.
import { declareOperation } from "../document/contract/operation.ts";
import type { JsonSchema } from "../document/contract/parameter.ts";
import { PROFILES, type Profile } from "../document/invoices/profiles.ts";

export const validateInvoice = declareOperation({ name: "validate-invoice", parameters: {} });

/** A broken rule, or advice. */
export interface InvoiceFinding {
  readonly validator: "veraPDF" | "Mustang";
  /** The part of the document: the PDF with its metadata, or the invoice in XML. */
  readonly part: "pdf" | "xml";
  readonly severity: "error" | "warning" | "notice";
  /** The broken rule, such as `BR-CO-10`, or clause and test of PDF/A. Missing if the validator has no name for it. */
  readonly rule?: string;
  readonly message: string;
  /** Path of the element in XML. */
  readonly location?: string;
  /** Pages that break the rule, from 1. */
  readonly pages?: readonly number[];
}

export interface InvoiceReport {
  /** True if no finding is an error. */
  readonly valid: boolean;
  /** Present for a PDF. */
  readonly pdf_valid?: boolean;
  /** Present for a PDF that declares a level of PDF/A. */
  readonly pdfa?: string;
  readonly xml_valid: boolean;
  /** Present if the document has an invoice. */
  readonly syntax?: "CII" | "UBL";
  readonly guideline?: string;
  /** Present if the guideline is one of Factur-X, ZUGFeRD or XRechnung. */
  readonly profile?: Profile;
  readonly findings: readonly InvoiceFinding[];
}

const BOOLEAN: JsonSchema = { type: "boolean" };
const TEXT: JsonSchema = { type: "string" };

/** Schemas of the members of an {@link InvoiceReport}. */
export const REPORT_SCHEMAS: Readonly<Record<keyof InvoiceReport, JsonSchema>> = {
  valid: BOOLEAN,
  pdf_valid: BOOLEAN,
  pdfa: TEXT,
  xml_valid: BOOLEAN,
  syntax: { type: "string", enum: ["CII", "UBL"] },
  guideline: TEXT,
  profile: { type: "string", enum: PROFILES },
  findings: {
    type: "array",
    items: {
      type: "object",
      properties: {
        validator: { type: "string", enum: ["veraPDF", "Mustang"] },
        part: { type: "string", enum: ["pdf", "xml"] },
        severity: { type: "string", enum: ["error", "warning", "notice"] },
        ...{ rule: TEXT, message: TEXT, location: TEXT },
        pages: { type: "array", items: { type: "integer", minimum: 1 } },
      },
      required: ["validator", "part", "severity", "message"],
    },
  },
};
