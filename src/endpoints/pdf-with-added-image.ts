// Declares /pdf-with-added-image, which adds images to pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addImage } from "../operations/add-image.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { eitherRequired, fieldRequired, outOfRange, unreadableImage } from "../service/http/contract/errors.ts";
import { edgeJob } from "../service/placement/placement.ts";

const isImage = (type: string) => /^image\/(jpeg|png|tiff|gif)$/.test(type);
/** An image that an operation adds to a PDF. */
export const image = { kind: "one", description: "a JPEG, PNG, TIFF or GIF", accepts: isImage } as const;

export const pdfWithAddedImage = defineEndpoint({
  path: "/pdf-with-added-image",
  ...{ verb: "addImage", title: "Add an image", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Adds images to pages of a PDF.",
  example: { image_file: "logo.png", x: 72, y: 72, page: "1" },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    image_file: { ...image, insteadOf: "image_files" },
    image_files: { ...image, isList: true, isOptional: true },
  },
  operation: addImage,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("x"), eitherRequired("x", "image_objects"), outOfRange("page", "9"), unreadableImage()],
  createJob(params) {
    const sent = (["x", "y", "page"] as const).filter((name) => params[name] !== undefined);
    if (params.imageObjects && sent[0]) throw eitherRequired(sent[0], "image_objects");
    const missing = (["x", "y", "page"] as const).find((name) => !params.imageObjects && !sent.includes(name));
    if (missing) throw fieldRequired(missing);
    return edgeJob(addImage, params);
  },
});
