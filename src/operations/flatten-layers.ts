// Removes the layers of a PDF with everything that is hidden. Yields one output.
import { defineOperation } from "../document/contract/operation.ts";
import { flattenLayers as flatten } from "../document/layers/flatten-layers.ts";
import { pdfToPdf } from "../document/pages/open-pdf.ts";

const run = pdfToPdf<object>(({ file }, _, { signal }) => flatten(file, signal));

export const flattenLayers = defineOperation({ name: "flatten-layers", parameters: {}, run });
