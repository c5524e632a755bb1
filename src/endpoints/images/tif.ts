// Declares /tif, which draws the pages of a PDF as TIFF images.
import { imageEndpoint } from "./image-endpoint.ts";

export const tif = imageEndpoint({
  format: "tif",
  formatName: "TIFF",
  colorModels: ["rgb", "rgba", "cmyk", "lab", "gray"],
});
