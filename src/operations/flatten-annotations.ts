// Draws annotations into the content of their pages, and removes them. Form fields and marks for redaction
// stay. Yields one output.
import { drawAnnotations } from "../document/annotations/draw-annotations.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";

/** A drawn mark would no longer redact. */
const KEPT = new Set(["Widget", "Redact"]);

const run = pdfToPdf<object>(async (pdf, _, { typefaces, signal }) => {
  pdf.notices.push(...(await drawAnnotations(pdf, { isChosen: (type) => !KEPT.has(type), typefaces, signal })));
});

export const flattenAnnotations = defineOperation({ name: "flatten-annotations", parameters: {}, run });
