// Declares the fields of drawn pages (spec, "Image endpoints"), for the image endpoints and for pages by URL.

import type { ColorModel } from "../../../document/contract/raster.ts";
import { choice, integer } from "./fields.ts";

const drawn = <M extends ColorModel>(...colorModels: readonly (M | "rgb")[]) => ({
  resolution: integer("Dots per inch.", { min: 12, max: 2400 }, 300),
  color_model: choice("The color model of the files.", colorModels, "rgb"),
});

/** The fields of each format, besides `output` and `pages`. */
export const IMAGE_FIELDS = {
  png: drawn("rgb", "rgba", "gray"),
  jpg: {
    ...drawn("rgb", "cmyk", "gray"),
    jpeg_quality: integer("Higher gives better quality and larger files.", { min: 1, max: 100 }, 75),
  },
  gif: drawn("rgb", "gray"),
  tif: drawn("rgb", "rgba", "cmyk", "lab", "gray"),
  bmp: drawn("rgb", "gray"),
} as const;
