// The edge's own operation, for documents too large for an isolate: the same code, with more memory.

import { z } from "zod";
import { type RasterizeParams, rasterizePdf } from "../../src/operations/rasterize-pdf.ts";
import { edgeOperation } from "./edge-operation.ts";
import { pageSelection } from "./page-selection.ts";

const params: z.ZodType<RasterizeParams> = z.object({
  format: z.enum(["bmp", "jpg", "png", "gif", "tif"]),
  colorModel: z.enum(["rgb", "rgba", "cmyk", "lab", "gray"]),
  dpi: z.int().min(1).max(2400),
  pages: pageSelection,
  jpegQuality: z.int().min(1).max(100).exactOptional(),
});

export const hostedRasterizePdf = edgeOperation(rasterizePdf, params);
