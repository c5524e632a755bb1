// Declares /tif, which renders the pages of a PDF as TIFF images.
import { imageEndpoint } from "./image-endpoint.ts";

export const tif = imageEndpoint("tif", "TIFF");
