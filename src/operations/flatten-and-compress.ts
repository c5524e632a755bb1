// Declares the operation that flattens the transparency of a PDF before it compresses it. Its code is in the folder
// container-only.
import { signature } from "../core/operation.ts";
import { compressPdf } from "./compress-pdf.ts";

export const flattenAndCompress = signature({ name: "flatten-and-compress", params: compressPdf.params });
