// Declares the common parts of the five image endpoints (spec, "Image endpoints").

import { mayBePdf } from "../../document/contract/media-type.ts";
import type { ColorModel } from "../../document/contract/raster.ts";
import { MEDIA_TYPES, type RasterizeParams, rasterizePdf } from "../../operations/rasterize-pdf.ts";
import { defineEndpoint, type Endpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";
import { choice, type Field, integer, outputName, pages } from "../../service/http/contract/fields.ts";
import { edgeJob } from "../../service/placement/placement.ts";

/** @param extra additional fields of this format */
export function imageEndpoint(declaration: {
  readonly format: RasterizeParams["format"];
  readonly formatName: string;
  readonly colorModels: readonly ColorModel[];
  readonly jpegQuality?: Field<number>;
}): Endpoint {
  const { format, formatName, colorModels, jpegQuality } = declaration;
  return defineEndpoint({
    path: `/${format}`,
    variants: ["private", "keyed"],
    summary: `Converts a PDF to ${formatName} files, one per selected page.`,
    example: { resolution: 150, pages: "1" },
    input: { kind: "one", description: "PDF", accepts: mayBePdf },
    fields: {
      output: outputName("Prefix of the files' names, without extension; a number from 1 is appended to each."),
      pages: pages("The pages to convert, in this order.", "1-last"),
      resolution: integer("Dots per inch.", { min: 12, max: 2400 }, 300),
      color_model: choice("The color model of the files.", colorModels, "rgb"),
      ...(jpegQuality ? { jpeg_quality: jpegQuality } : {}),
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
