// Names of media types in error messages.

const NAMES: Readonly<Record<string, string>> = {
  "application/json": "a JSON file",
  "application/msword": "a Word document",
  "application/pdf": "a PDF",
  "application/postscript": "a PostScript file",
  "application/rtf": "an RTF document",
  "application/vnd.adobe.xfdf": "a file of form data",
  "application/vnd.fdf": "a file of form data",
  "application/vnd.ms-excel": "an Excel workbook",
  "application/vnd.ms-outlook": "an Outlook item",
  "application/vnd.ms-powerpoint": "a PowerPoint presentation",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "a PowerPoint presentation",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "an Excel workbook",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "a Word document",
  "application/x-ole-storage": "an Office document of an unknown kind",
  "application/xml": "an XML file",
  "application/zip": "a ZIP archive",
  "image/bmp": "a BMP image",
  "image/gif": "a GIF image",
  "image/jpeg": "a JPEG image",
  "image/png": "a PNG image",
  "image/svg+xml": "an SVG image",
  "image/tiff": "a TIFF image",
  "message/rfc822": "an e-mail",
  "multipart/related": "a web archive",
  "text/css": "a style sheet",
  "text/csv": "a CSV file",
  "text/html": "an HTML page",
  "text/markdown": "a Markdown text",
  "text/plain": "a plain text",
  "text/tab-separated-values": "a TSV file",
};

/** Returns a media type with its article, as in `report.docx is a Word document`. */
export const typeName = (type: string): string => NAMES[type] ?? "of no known type";
