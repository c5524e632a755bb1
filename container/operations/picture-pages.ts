// Hosted for what becomes PDF/A: parameters in.

import { z } from "zod";
import { type PicturePagesParams, picturePages } from "../../src/operations/pdfa-steps/picture-pages.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<PicturePagesParams> = z.object({
  pages: z.union([z.array(z.int().min(1)), z.literal("all")]).exactOptional(),
  inRgb: z.boolean(),
  flatAnnotations: z.boolean().exactOptional(),
});

export const hostedPicturePages = edgeOperation(picturePages, params);
