// Declares /jpg, which draws the pages of a PDF as JPEG images.
import { integer } from "../../service/http/contract/fields.ts";
import { imageEndpoint } from "./image-endpoint.ts";

export const jpg = imageEndpoint({
  format: "jpg",
  formatName: "JPEG",
  colorModels: ["rgb", "cmyk", "gray"],
  jpegQuality: integer("Higher gives better quality and larger files.", { min: 1, max: 100 }, 75),
});
