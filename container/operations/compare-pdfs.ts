// Hosted for what becomes PDF/A: parameters in.

import { z } from "zod";
import { type CompareParams, comparePdfs } from "../../src/operations/pdfa-steps/compare-pdfs.ts";
import { lookAtPdf } from "../../src/operations/pdfa-steps/look-at-pdf.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<CompareParams> = z.object({ timeMs: z.number() });

export const hostedComparePdfs = edgeOperation(comparePdfs, params);
export const hostedLookAtPdf = edgeOperation(lookAtPdf, params);
