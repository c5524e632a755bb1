// Families of document types, and the types of documents that do not exist yet, such as the entries of an archive that a
// later step unpacks. Their extensions decide.

import { extensionIn } from "../../../document/contract/file-name.ts";
import type { TextKind } from "../../../operations/to-pdf/text-to-html.ts";

/** A family of document types. TIFF is separate from other images because its parts can be anywhere in the file. */
export type DocumentType =
  | "office"
  | "postscript"
  | "image"
  | "tiff"
  | "webp"
  | "heif"
  | "svg"
  | "html"
  | "html-archive"
  | "web-page"
  | TextKind
  | "none";

const EXTENSIONS: Readonly<Partial<Record<DocumentType, string>>> = {
  office:
    "doc docx docm dot dotx dotm rtf odt ott fodt xls xlsx xlsm xlt xltx xltm ods ots fods " +
    "ppt pptx pptm pot potx potm pps ppsx odp otp fodp odg otg fodg",
  postscript: "ps eps",
  image: "bmp gif jpg jpeg png",
  tiff: "tif tiff",
  webp: "webp",
  heif: "heic heif avif",
  svg: "svg svgz",
  html: "html htm",
  text: "txt text log",
  table: "csv tsv tab",
  markdown: "md markdown",
  json: "json jsonl ndjson geojson",
  xml: "xml",
  mail: "eml",
  msg: "msg",
  "web-archive": "mht mhtml",
};
const TYPES = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, list]) => list.split(" ").map((one) => [one, type as DocumentType])),
);

/** Extensions of all documents that /pdf converts. */
export const DOCUMENT_EXTENSIONS: readonly string[] = [...TYPES.keys()];

/** @param name file name with an extension */
export const expectedType = (name: string): DocumentType => TYPES.get(extensionIn(name)) ?? "none";
