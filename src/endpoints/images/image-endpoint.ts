// Declares the parts that the five image endpoints have in common (spec, "Image endpoints").

import { mayBePdf } from "../../document/contract/media-type.ts";
import type { Parameters, Params } from "../../document/contract/parameter.ts";
import { MEDIA_TYPES, type RasterFormat, type RasterizeParams, rasterizePdf } from "../../operations/rasterize-pdf.ts";
import { ASSET } from "../../operations/to-pdf/html-to-pdf.ts";
import { defineEndpoint, type Endpoint } from "../../service/http/contract/endpoint.ts";
import { notAWebPage, unreachable, wrongType } from "../../service/http/contract/errors.ts";
import { imageExposure } from "../../service/http/contract/image-fields.ts";
import { edgeJob } from "../../service/placement/placement.ts";
import { checkFonts, FONT_FILES } from "../pdf/font-files.ts";
import { ASSETS, HTML_ERRORS } from "../pdf/html-fields.ts";
import { visitIn } from "../pdf/visit-fields.ts";
import { onePerPage, pageImages, TOO_SHARP } from "./page-images.ts";
import { mayBePage, PAGES_AND_PDF, PICTURE_FIELDS, pictureJob, prewarmForPage } from "./page-pictures.ts";

export const imageEndpoint = (format: RasterFormat, formatName: string): Endpoint =>
  defineEndpoint({
    ...pageImages(format, formatName, MEDIA_TYPES[format]),
    summary: `${onePerPage(formatName)}.`,
    inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
    operation: rasterizePdf,
    ...imageExposure(format),
    errors: [TOO_SHARP],
  });

/** The endpoint of a format in which the service also takes pictures of web pages. */
export const pictureEndpoint = (format: "png" | "jpg", formatName: string): Endpoint => {
  const { names, fixed, narrowed } = imageExposure(format);
  return defineEndpoint({
    ...pageImages(format, formatName, MEDIA_TYPES[format]),
    summary: `${onePerPage(formatName)}, or a web page to one ${formatName} file.`,
    inputs: {
      file: {
        ...{ kind: "one", description: PAGES_AND_PDF, accepts: mayBePdf },
        ...{ acceptsAlso: mayBePage, webPages: true, othersAs: "asset_files" },
      },
      asset_files: { kind: "one", description: ASSETS, role: ASSET, isOptional: true, isList: true },
      ...FONT_FILES,
    },
    visitIn,
    operation: { ...rasterizePdf, parameters: { ...rasterizePdf.parameters, ...PICTURE_FIELDS } },
    ...{ names: { ...names }, fixed: { ...fixed }, narrowed: { ...narrowed } },
    errors: [TOO_SHARP, unreachable(), notAWebPage(), wrongType(), ...HTML_ERRORS],
    async createJob({ jpegQuality, ...params }, { inputs }) {
      checkFonts(inputs);
      const quality = jpegQuality === undefined ? {} : { quality: jpegQuality };
      const picture = await pictureJob({ ...params, format, ...quality }, { inputs });
      return (
        picture ??
        edgeJob(rasterizePdf, rasterParams({ ...params, ...(jpegQuality === undefined ? {} : { jpegQuality }) }))
      );
    },
    prewarmFor: prewarmForPage,
  });
};

/** Leaves out the parameters of pictures of web pages. */
function rasterParams(params: Params<Parameters>): RasterizeParams {
  const entries = Object.entries(params).filter(([name]) => Object.hasOwn(rasterizePdf.parameters, name));
  return Object.fromEntries(entries) as RasterizeParams;
}
