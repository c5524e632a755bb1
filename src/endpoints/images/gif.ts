// Declares /gif, which renders the pages of a PDF as GIF images.
import { imageEndpoint } from "./image-endpoint.ts";

export const gif = imageEndpoint("gif", "GIF");
