// Declares /pdf-with-converted-colors, which converts the colors of a PDF to one color space.
import { mayBePdf } from "../document/contract/media-type.ts";
import { convertColors } from "../operations/convert-colors.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, outOfRange } from "../service/http/contract/errors.ts";
import { edgeJob } from "../service/placement/placement.ts";

export const pdfWithConvertedColors = defineEndpoint({
  path: "/pdf-with-converted-colors",
  ...{ verb: "convertColors", title: "Convert colors", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Converts all colors of a PDF to one color space.",
  example: { color_profile: "acrobat9-cmyk" },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    profile: { kind: "one", description: "an ICC profile for custom", isOptional: true, isUnlisted: true },
  },
  operation: convertColors,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    ...[fieldRequired("color_profile"), outOfRange("color_profile", "adobe-rgb")],
    ...[fieldRequired("profile"), outOfRange("profile", "broken.icc")],
  ],
  createJob(params, { isSent, inputs }) {
    const isGiven = inputs.length > 1 || ["profile", "profile_id", "profile_url"].some(isSent);
    if (params.colorProfile === "custom" && !isGiven) throw fieldRequired("profile");
    return edgeJob(convertColors, params);
  },
});
