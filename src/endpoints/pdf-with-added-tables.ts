// Declares /pdf-with-added-tables, which adds tables to pages.
import { mayBePdf } from "../document/contract/media-type.ts";
import { addTables } from "../operations/add-tables.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange, unreadableImage } from "../service/http/contract/errors.ts";
import { image } from "./pdf-with-added-image.ts";

const row = (...texts: readonly string[]) => ({ cells: texts.map((text) => ({ text })) });

export const pdfWithAddedTables = defineEndpoint({
  path: "/pdf-with-added-tables",
  ...{ verb: "addTables", title: "Add tables", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Adds tables to pages of a PDF, and pages for rows that do not fit.",
  example: {
    table_objects: JSON.stringify([
      {
        page: 1,
        x: 72,
        y: 120,
        header_rows: [row("Milestone", "Status")],
        rows: [row("Requirements review", "Complete")],
      },
    ]),
  },
  inputs: {
    file: { kind: "one", description: "PDF", accepts: mayBePdf },
    image_files: { ...image, isList: true, isOptional: true },
  },
  operation: addTables,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [
    ...[fieldRequired("table_objects"), fieldTooLarge("table_objects"), outOfRange("table_objects.0.page", "9")],
    unreadableImage(),
  ],
});
