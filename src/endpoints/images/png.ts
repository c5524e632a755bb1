// Declares /png, which renders the pages of a PDF as PNG images.
import { imageEndpoint } from "./image-endpoint.ts";

export const png = imageEndpoint("png", "PNG");
