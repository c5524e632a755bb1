// Declares the parts that the five image endpoints have in common (spec, "Image endpoints").

import { mayBePdf } from "../../document/contract/media-type.ts";
import { MEDIA_TYPES, type RasterFormat, rasterizePdf } from "../../operations/rasterize-pdf.ts";
import { defineEndpoint, type Endpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";
import { imageExposure } from "../../service/http/contract/image-fields.ts";

export const imageEndpoint = (format: RasterFormat, formatName: string): Endpoint =>
  defineEndpoint({
    path: `/${format}`,
    ...{ verb: format, title: formatName, group: "Draw the pages" },
    variants: ["private", "keyed"],
    summary: `Converts a PDF to ${formatName} files, one per selected page.`,
    example: { resolution: 150, pages: "1" },
    inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
    operation: rasterizePdf,
    openPasswordAlias: "password",
    ...imageExposure(format),
    output: { kind: "files", naming: "prefix", type: MEDIA_TYPES[format] },
    errors: [outOfRange("resolution", "9")],
  });
