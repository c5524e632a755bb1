// Declares the operation that flattens the transparency of a PDF before it compresses it. Its code is in the folder
// container-only.
import { declareOperation } from "../document/contract/operation.ts";
import { compressPdf } from "./compress-pdf.ts";

export const flattenAndCompress = declareOperation({
  name: "flatten-and-compress",
  parameters: compressPdf.parameters,
});
