// Declares the fields for rendering pages (spec, "Image endpoints"). The image endpoints and page images share them.

import { choice } from "../../../document/contract/parameters/choice.ts";
import { COLOR_MODELS_OF, type RasterFormat, type rasterizePdf } from "../../../operations/rasterize-pdf.ts";
import type { Exposure } from "./declaration/exposure.ts";

export const imageExposure = (format: RasterFormat): Exposure<(typeof rasterizePdf)["parameters"]> => ({
  names: { dpi: "resolution" },
  fixed: { format },
  narrowed: { colorModel: choice(COLOR_MODELS_OF[format]) },
});
