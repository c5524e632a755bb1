// Declares /png, which renders the pages of a PDF, or a web page, as PNG images.
import { pictureEndpoint } from "./image-endpoint.ts";

export const png = pictureEndpoint("png", "PNG");
