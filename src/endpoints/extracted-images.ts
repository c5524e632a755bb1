// Declares /extracted-images, which makes files of the images in a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { extractImages } from "../operations/extract-images.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { outOfRange } from "../service/http/contract/errors.ts";

export const extractedImages = defineEndpoint({
  path: "/extracted-images",
  ...{ verb: "extractImages", title: "Extract images", group: "Read a PDF" },
  variants: ["private", "keyed"],
  summary: "Extracts the images that the pages of a PDF show.",
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: extractImages,
  output: {
    ...{ kind: "files", naming: "list", type: "image/png", isOptional: true },
    otherTypes: ["image/jpeg", "image/tiff", "image/jp2", "image/j2c"],
    description:
      "Prefix of the files' names, without extension; -img<n>-page<n> is appended to each. The input's name if left out.",
  },
  extraFields: ["files", "warning"],
  errors: [outOfRange("pages", "9")],
});
