// Declares /pdf-with-added-shapes, which draws lines and rectangles on pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addShapes } from "../operations/add-shapes.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange } from "../service/http/contract/errors.ts";

const rectangle = { type: "rectangle", page: 1, x: 72, y: 72, width: 200, height: 50, stroke_color_rgb: "200,0,0" };

export const pdfWithAddedShapes = defineEndpoint({
  path: "/pdf-with-added-shapes",
  ...{ verb: "addShapes", title: "Add shapes", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Draws lines and rectangles on pages of a PDF.",
  example: { shape_objects: JSON.stringify([{ ...rectangle, stroke_width: 2 }]) },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: addShapes,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("shape_objects"), fieldTooLarge("shape_objects"), outOfRange("shape_objects.0.page", "9")],
});
