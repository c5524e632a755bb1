// Declares /jpg, which renders the pages of a PDF as JPEG images.
import { imageEndpoint } from "./image-endpoint.ts";

export const jpg = imageEndpoint("jpg", "JPEG");
