// Declares /avif, which renders the pages of a PDF as AVIF images.
import { webImageEndpoint } from "./web-image-endpoint.ts";

export const avif = webImageEndpoint("avif", "AVIF");
