// Declares the parts that the endpoints for WebP and AVIF have in common.

import { mayBePdf } from "../../document/contract/media-type.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { drawWebImages, WEB_MEDIA_TYPES, type WebFormat } from "../../operations/draw-web-images.ts";
import { defineEndpoint, type Endpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";

export const webImageEndpoint = (format: WebFormat, formatName: string): Endpoint =>
  defineEndpoint({
    path: `/${format}`,
    ...{ verb: format, title: formatName, group: "Draw the pages" },
    variants: ["private", "keyed"],
    summary: `Converts a PDF to ${formatName} files, one per selected page.`,
    example: { resolution: 150, pages: "1" },
    inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
    operation: drawWebImages,
    openPasswordAlias: "password",
    names: { dpi: "resolution", avifQuality: "quality" },
    fixed: { format },
    narrowed: { colorModel: choice(["rgb", "rgba", "gray"]) },
    output: { kind: "files", naming: "prefix", type: WEB_MEDIA_TYPES[format] },
    errors: [outOfRange("resolution", "9")],
  });
