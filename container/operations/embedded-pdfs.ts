// Hosted for what becomes PDF/A: parameters in.

import { z } from "zod";
import { type ExtractPdfsParams, extractPdfs } from "../../src/operations/pdfa-steps/extract-pdfs.ts";
import { type ReplacePdfsParams, replacePdfs } from "../../src/operations/pdfa-steps/replace-pdfs.ts";
import { edgeOperation } from "./edge-operation.ts";

const extractParams: z.ZodType<ExtractPdfsParams> = z.object({ most: z.int() });
const replaceParams: z.ZodType<ReplacePdfsParams> = z.object({ indexes: z.array(z.int()) });

export const hostedExtractPdfs = edgeOperation(extractPdfs, extractParams);
export const hostedReplacePdfs = edgeOperation(replacePdfs, replaceParams);
