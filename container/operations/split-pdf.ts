// The edge's own operation, for documents too large for an isolate: the same code, with more memory.

import { z } from "zod";
import { type SplitPdfParams, splitPdf } from "../../src/operations/split-pdf.ts";
import { edgeOperation } from "./edge-operation.ts";
import { pageSelection } from "./page-selection.ts";

const params: z.ZodType<SplitPdfParams> = z.object({ pages: z.array(pageSelection).exactOptional() });

export const hostedSplitPdf = edgeOperation(splitPdf, params);
