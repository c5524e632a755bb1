// Declares /webp, which renders the pages of a PDF as WebP images.
import { webImageEndpoint } from "./web-image-endpoint.ts";

export const webp = webImageEndpoint("webp", "WebP");
