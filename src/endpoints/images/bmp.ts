// Declares /bmp, which renders the pages of a PDF as BMP images.
import { imageEndpoint } from "./image-endpoint.ts";

export const bmp = imageEndpoint("bmp", "BMP");
