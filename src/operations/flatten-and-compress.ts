// Declares the operation that flattens the transparency of a PDF and compresses it. Its code is in container-only/.
import { declareOperation } from "../document/contract/operation.ts";
import { compressPdf } from "./compress-pdf.ts";

export const flattenAndCompress = declareOperation({ name: "flatten-and-compress", params: compressPdf.params });
