// Declares /pdf-with-bookmarks, which sets the bookmarks of a PDF.
import { mayBePdf } from "../document/contract/media-type.ts";
import { setBookmarks } from "../operations/set-bookmarks.ts";
import { defineEndpoint } from "../service/http/contract/endpoint.ts";
import { fieldRequired, fieldTooLarge, outOfRange } from "../service/http/contract/errors.ts";

const children = [{ title: "Figures", page: 1, italic: true }];

export const pdfWithBookmarks = defineEndpoint({
  path: "/pdf-with-bookmarks",
  ...{ verb: "setBookmarks", title: "Set bookmarks", group: "Improve a PDF" },
  keeps: "document",
  variants: ["private", "keyed"],
  summary: "Replaces the bookmarks of a PDF, or adds bookmarks.",
  example: { bookmarks: JSON.stringify([{ title: "Summary", page: 1, bold: true, children }]) },
  inputs: { file: { kind: "one", description: "PDF", accepts: mayBePdf } },
  operation: setBookmarks,
  output: { kind: "files", naming: "name", type: "application/pdf", isOptional: true },
  allowsLargerUploads: true,
  errors: [fieldRequired("bookmarks"), fieldTooLarge("bookmarks"), outOfRange("bookmarks.0.page", "9")],
});
