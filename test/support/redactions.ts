// Marks texts of PDFs for redaction, and removes them.
import { applyRedactions } from "../../src/operations/apply-redactions.ts";
import { type MarkRedactionsParams, markRedactions } from "../../src/operations/mark-redactions.ts";
import { outputsOf } from "./operations.ts";
import { uncompressed } from "./pdf-readers.ts";

export type Redactions = MarkRedactionsParams["redactions"];
export const literal = (value: string): Redactions => [{ type: "literal", value }];

export const mark = async (pdf: Uint8Array, redactions: Redactions) =>
  (await outputsOf(markRedactions, [pdf], { redactions }))[0]!;
export const apply = async (pdf: Uint8Array, rgbColor: readonly number[] = [0, 0, 0]) =>
  (await outputsOf(applyRedactions, [pdf], { rgbColor }))[0]!;
export const redact = async (pdf: Uint8Array, redactions: Redactions, color?: readonly number[]) =>
  apply(await mark(pdf, redactions), color);
export const marksIn = (pdf: Uint8Array): number => uncompressed(pdf).split("/Subtype /Redact").length - 1;
