// Declares the common parts of the five image endpoints (spec, "Image endpoints").

import { mayBePdf } from "../../document/contract/media-type.ts";
import { MEDIA_TYPES, type RasterizeParams, rasterizePdf } from "../../operations/rasterize-pdf.ts";
import { defineEndpoint, type Endpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";
import { outputName, pages } from "../../service/http/contract/fields.ts";
import { IMAGE_FIELDS } from "../../service/http/contract/image-fields.ts";
import { edgeJob } from "../../service/placement/placement.ts";

export function imageEndpoint(format: RasterizeParams["format"], formatName: string): Endpoint {
  return defineEndpoint({
    path: `/${format}`,
    verb: format,
    title: formatName,
    group: "Draw the pages",
    variants: ["private", "keyed"],
    summary: `Converts a PDF to ${formatName} files, one per selected page.`,
    example: { resolution: 150, pages: "1" },
    input: { kind: "one", description: "PDF", accepts: mayBePdf },
    fields: {
      output: outputName("Prefix of the files' names, without extension; a number from 1 is appended to each."),
      pages: pages("The pages to convert, in this order.", "1-last"),
      ...IMAGE_FIELDS[format],
    },
    outputNaming: "prefix",
    produces: MEDIA_TYPES[format],
    errors: [outOfRange("resolution", "9")],
    createJob: (values) =>
      edgeJob(rasterizePdf, {
        format,
        colorModel: values.color_model,
        dpi: values.resolution,
        pages: values.pages,
        ...("jpeg_quality" in values ? { jpegQuality: Number(values.jpeg_quality) } : {}),
      }),
  });
}
