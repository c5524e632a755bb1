// Decides which documents must be converted to PDF before an operation that accepts only PDFs. The workbench imports
// this file, too.

/** Media type of a file whose content the service does not recognize. */
const UNKNOWN = "application/octet-stream";

/** @param file name and media type as reported by the service */
export function needsConversion({ name, type }: { readonly name: string; readonly type: string }): boolean {
  // A file named `.pdf` with unrecognized content is probably a damaged PDF. It is not converted, so that the service
  // reports the damage.
  return type !== "application/pdf" && !(type === UNKNOWN && /\.pdf$/i.test(name));
}
