// Metadata by the names that ExifTool gives them.

import { TEXT_ENTRIES } from "../document/facts/info-entries.ts";
import type { FormErrors } from "./fields.ts";

/** Members of /pdf-with-metadata, in lower case. */
const MEMBERS: Readonly<Record<string, string>> = {
  title: "title",
  author: "author",
  subject: "subject",
  keywords: "keywords",
  creator: "creator",
  producer: "producer",
  creationdate: "creation_date",
  createdate: "creation_date",
  moddate: "modified_date",
  modifydate: "modified_date",
};
/** Entries that follow from the document, which Gotenberg does not write either. */
const DERIVED = ["pdfversion", "pagecount", "filename", "directory", "filetype", "mimetype", "linearized"];

/** Returns metadata for /pdf-with-metadata. Entries without a standard name become entries of the Info dictionary. */
export function metadataOf(given: Readonly<Record<string, unknown>>, errors: FormErrors): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  const custom: Record<string, string> = {};
  for (const [key, value] of Object.entries(given)) {
    const name = key.slice(key.lastIndexOf(":") + 1);
    const member = MEMBERS[name.toLowerCase()];
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    if (DERIVED.includes(name.toLowerCase())) continue;
    if (!isList && !["string", "number", "boolean"].includes(typeof value)) {
      errors.add(
        `form field 'metadata' is invalid (the value of '${name}' is no text, number, boolean or list of texts)`,
      );
    } else if (name === "Trapped") {
      if (value !== "Unknown")
        errors.add("form field 'metadata' is not supported with another 'Trapped' than 'Unknown'");
    } else if (member === "keywords" && isList) metadata[member] = value;
    else if (member?.endsWith("_date")) metadata[member] = isoDate(String(value));
    else if (member !== undefined) metadata[member] = String(value);
    else custom[name] = String(value);
  }
  return { ...metadata, ...(Object.keys(custom).length > 0 ? { custom } : {}) };
}

/** Writes a date of ExifTool, such as `2006:09:18 16:27:50-04:00`, in ISO 8601. */
const isoDate = (text: string): string =>
  text
    .trim()
    .replace(/^(\d{4}):(\d\d):(\d\d)/, "$1-$2-$3")
    .replace(/^(\S{10})\s+/, "$1T");

const exifDate = (text: string): string =>
  text
    .replace(/^(\d{4})-(\d\d)-(\d\d)T?/, "$1:$2:$3 ")
    .replace(/Z$/, "+00:00")
    .trim();

/** The questions of /pdf-info whose answers {@link exifEntries} needs. */
export const QUESTIONS =
  "title,subject,author,producer,creator,keywords,creation_date,modified_date,custom_metadata,page_count,pdf_version";

/** Returns the answers of /pdf-info as ExifTool would. Entries that are missing or empty are left out. */
export function exifEntries(answers: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  const texts = Object.entries(TEXT_ENTRIES).flatMap(([query, entry]) =>
    answers[query] ? [[entry, answers[query]]] : [],
  );
  const { creation_date, modified_date, custom_metadata, page_count, pdf_version } = answers;
  return {
    ...{ FileName: name, FileType: "PDF", FileTypeExtension: "pdf", MIMEType: "application/pdf" },
    ...(pdf_version ? { PDFVersion: Number.parseFloat(String(pdf_version)) } : {}),
    PageCount: page_count,
    ...(custom_metadata as object | null),
    ...Object.fromEntries(texts),
    ...(creation_date ? { CreateDate: exifDate(String(creation_date)) } : {}),
    ...(modified_date ? { ModDate: exifDate(String(modified_date)) } : {}),
  };
}
