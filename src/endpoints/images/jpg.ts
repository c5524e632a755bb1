// Declares /jpg, which renders the pages of a PDF, or a web page, as JPEG images.
import { pictureEndpoint } from "./image-endpoint.ts";

export const jpg = pictureEndpoint("jpg", "JPEG");
