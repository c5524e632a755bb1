// The edge's own operation, for what the container's engines export.

import { z } from "zod";
import { type LimitImagesParams, limitImages } from "../../src/operations/limit-images.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<LimitImagesParams> = z.object({
  maxImageDpi: z.int().min(1).exactOptional(),
  lossless: z.boolean(),
});

export const hostedLimitImages = edgeOperation(limitImages, params);
