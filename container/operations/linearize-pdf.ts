// The edge's own operation, for documents too large for an isolate: the same code, with more memory.

import { z } from "zod";
import { linearizePdf } from "../../src/operations/linearize-pdf.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<Record<string, never>> = z.object({});

export const hostedLinearizePdf = edgeOperation(linearizePdf, params);
