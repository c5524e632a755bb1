// Declares the parts that the endpoints for WebP and AVIF have in common.

import { mayBePdf } from "../../document/contract/media-type.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { drawWebImages, WEB_MEDIA_TYPES, type WebFormat } from "../../operations/draw-web-images.ts";
import { defineEndpoint, type Endpoint } from "../../service/http/contract/endpoint.ts";
import { onePerPage, pageImages, TOO_SHARP } from "./page-images.ts";

export const webImageEndpoint = (format: WebFormat, formatName: string): Endpoint =>
  defineEndpoint({
    ...pageImages(format, formatName, WEB_MEDIA_TYPES[format]),
    summary: `${onePerPage(formatName)}.`,
    inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
    operation: drawWebImages,
    names: { dpi: "resolution", avifQuality: "quality" },
    fixed: { format },
    narrowed: { colorModel: choice(["rgb", "rgba", "gray"]) },
    errors: [TOO_SHARP],
  });
