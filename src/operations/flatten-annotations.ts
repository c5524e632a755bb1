// Draws annotations into the content of their pages, and removes them. Form fields stay. Yields one output.
import { drawAnnotations } from "../document/annotations/draw-annotations.ts";
import { defineOperation } from "../document/contract/operation.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";

const run = pdfToPdf<object>(async (pdf, _, { signal }) => {
  pdf.notices.push(...(await drawAnnotations(pdf, { isChosen: (type) => type !== "Widget", signal })));
});

export const flattenAnnotations = defineOperation({ name: "flatten-annotations", parameters: {}, run });
