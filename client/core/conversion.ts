// Decides which documents become PDFs before an operation that takes PDFs only. The workbench imports it, too.

/** Media type of a file whose content the service does not know. */
const UNKNOWN = "application/octet-stream";

/** @param file its name and media type, as the service tells them */
export function needsConversion({ name, type }: { readonly name: string; readonly type: string }): boolean {
  // A PDF that is damaged from its start is the service's to tell.
  return type !== "application/pdf" && !(type === UNKNOWN && /\.pdf$/i.test(name));
}
