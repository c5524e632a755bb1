// The edge's own operation, for documents too large for an isolate: the same code, with more memory.

import { z } from "zod";
import { type MergePdfsParams, mergePdfs } from "../../src/operations/merge-pdfs.ts";
import { edgeOperation } from "./edge-operation.ts";
import { pageSelection } from "./page-selection.ts";

const params: z.ZodType<MergePdfsParams> = z.object({ pages: z.array(pageSelection) });

export const hostedMergePdfs = edgeOperation(mergePdfs, params);
