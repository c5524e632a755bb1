// The edge's own operation, for pictures too large for an isolate: the same code, with more memory.

import { z } from "zod";
import { imageToPdf } from "../../src/operations/image-to-pdf.ts";
import { edgeOperation } from "./edge-operation.ts";

export const hostedImageToPdf = edgeOperation(imageToPdf, z.strictObject({}));
