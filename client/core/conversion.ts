// Decides which documents must be converted to PDF before an operation that accepts only PDFs. The workbench imports
// it, too.

/** Media type of a file whose content the service does not know. */
const UNKNOWN = "application/octet-stream";

/** @param file name and media type as reported by the service */
export function needsConversion({ name, type }: { readonly name: string; readonly type: string }): boolean {
  // A file named .pdf with a damaged header is not converted: the service reports the damage.
  return type !== "application/pdf" && !(type === UNKNOWN && /\.pdf$/i.test(name));
}
