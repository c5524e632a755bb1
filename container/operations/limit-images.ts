// The edge's own operation, for the PDFs that the container's engines export.

import { createReadStream } from "node:fs";
import { z } from "zod";
import { type LimitImagesParams, limitImages, mayChange } from "../../src/operations/limit-images.ts";
import { edgeOperation } from "./edge-operation.ts";

const params: z.ZodType<LimitImagesParams> = z.object({
  maxImageDpi: z.int().min(1).exactOptional(),
  lossless: z.boolean(),
  onlyBilevel: z.boolean().exactOptional(),
});

export const hostedLimitImages = edgeOperation(limitImages, params);

const STRETCH_BYTES = 2 ** 20;
/** Overlap of consecutive chunks: a searched text may be cut by a chunk boundary, and is no longer than this. */
const OVERLAP_BYTES = 64;

/** Does the same as {@link mayChange} for a file that need not fit into memory. */
export async function fileMayChange(path: string, images: LimitImagesParams): Promise<boolean> {
  let before = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: STRETCH_BYTES })) {
    const stretch = Buffer.concat([before, chunk]);
    if (mayChange(stretch, images)) return true;
    before = stretch.subarray(-OVERLAP_BYTES);
  }
  return false;
}
