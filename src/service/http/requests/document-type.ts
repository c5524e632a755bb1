// Detects the document type of an input of /pdf, which determines the engine: by content first, by file name extension
// if text is ambiguous, never by the client's Content-Type. The engine decides whether the document is valid.
import { behindComments, detectMediaType } from "../../../document/contract/media-type.ts";
import type { Input } from "../../../document/contract/operation.ts";
import { isShortcut } from "../../../document/contract/web-url.ts";
import { isHtmlPart, isSource, isWebArchive } from "../../../document/formats/text-formats.ts";

/** A document family. TIFF is separate from other images because its parts can be anywhere in the file. */
export type DocumentType = "office" | "postscript" | "image" | "tiff" | "html" | "web-page" | "none";

/** Number of bytes to read: enough for a signature, and for the head of an HTML page behind a comment. */
const SNIFFED_BYTES = 4096;

/** Document types by media type, as determined from the content alone, without a name. */
const BY_CONTENT: Readonly<Record<string, DocumentType>> = {
  // LibreOffice determines what a zip or OLE file contains.
  "application/zip": "office",
  "application/x-ole-storage": "office",
  "application/rtf": "office",
  "application/postscript": "postscript",
  "application/pdf": "none",
  "image/bmp": "image",
  "image/gif": "none",
  "image/jpeg": "image",
  "image/png": "image",
  "image/tiff": "tiff",
};

/** Text in files with these names is HTML, independent of its first bytes. */
const HTML_NAME = /\.html?$/i;
/** Matches the start of a PDF (ISO 32000-1, 7.5.2 and 7.3.10): a header, followed soon by an indirect object. */
const PDF_BEGIN = /^\s*%PDF-\d[\s\S]*?\d+ \d+ obj\b/;

/** Names with which Office itself opens HTML; with some of them also web archives and plain text. */
const OFFICE_NAME = /\.(doc|docx|xls|xlsx|ppt|pptx)$/i;
const ARCHIVE_THAT_OFFICE_OPENS = /\.(doc|xls)$/i;
const TEXT_THAT_OFFICE_OPENS = /\.(doc|xls|csv)$/i;

/**
 * First bytes, in hexadecimal and by extension, of Office files from before OLE: Word for DOS, Windows 1 and 2, and the
 * Macintosh; sheets of Excel 2 to 5 ([MS-XLS] 2.4.21, BOF, and its predecessors).
 */
const BEFORE_OLE: Readonly<Record<string, RegExp>> = {
  doc: /^(31be0000|(9b|db|dc)a5|fe3[247]00)/,
  xls: /^090[0248](0[4-9a-f]|10)00/,
};

/** Names of PostScript files. PostScript programs need no signature. */
const POSTSCRIPT_NAME = /\.(ps|eps)$/i;

/** Matches WordprocessingML and SpreadsheetML of Office 2003, packages in one file of XML, and flat OpenDocument. */
const OFFICE_XML = /mso-application|schemas-microsoft-com:office|schemas\.microsoft\.com\/office\/|office:document/;
const HTML_BEGIN = /^<(!doctype\s+html|html|head|body|meta|title|table|div|p|h1)[\s>]/i;

export async function documentTypeOf(input: Input): Promise<DocumentType> {
  return typeOfStart(await startOf(input), input.name);
}

/** Returns the media type of an input. */
export const mediaTypeOfInput = async (input: Input): Promise<string> =>
  detectMediaType(await startOf(input), input.name);

/** @param start first bytes of the document; too few of them can change the result */
export function typeOfStart(start: Uint8Array, name: string): DocumentType {
  const text = textOf(start);
  if (HTML_NAME.test(name)) {
    const html = text ?? htmlOf(start);
    if (html && !PDF_BEGIN.test(html)) return "html";
  }
  const found = BY_CONTENT[detectMediaType(start, "")];
  if (found) return found;
  if (isBeforeOle(start, name)) return "office";
  if (text === undefined) return "none";
  // MIME is a byte format: no program reads it in UTF-16.
  if (isUtf16(start) && isWebArchive(text)) return "none";
  return textTypeOf(text, name);
}

function isBeforeOle(start: Uint8Array, name: string): boolean {
  const extension = /\.(doc|xls)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return BEFORE_OLE[extension]?.test(Buffer.from(start.subarray(0, 4)).toString("hex")) === true;
}

function textTypeOf(text: string, name: string): DocumentType {
  if (isShortcut(text)) return "web-page";
  const markup = behindComments(text);
  if (/^<(\?xml|[\w.-]*:?package\s)/.test(markup) && OFFICE_XML.test(markup)) return "office";
  const isHtml = HTML_BEGIN.test(markup) || (markup.startsWith("<?xml") && /<html[\s>]/i.test(markup));
  if (isHtml) return OFFICE_NAME.test(name) ? "office" : "html";
  if (ARCHIVE_THAT_OFFICE_OPENS.test(name) && isHtmlPart(markup)) return "office";
  if (POSTSCRIPT_NAME.test(name)) return "postscript";
  if (ARCHIVE_THAT_OFFICE_OPENS.test(name) && isSource(text)) return isWebArchive(text) ? "office" : "none";
  return TEXT_THAT_OFFICE_OPENS.test(name) && markup !== "" ? "office" : "none";
}

/**
 * @returns undefined if the bytes are not text. Text has no zero bytes, except UTF-16, which starts with a byte order
 * mark
 */
function textOf(start: Uint8Array): string | undefined {
  if (isUtf16(start)) return new TextDecoder(start[0] === 0xff ? "utf-16le" : "utf-16be").decode(start);
  return start.includes(0) ? undefined : new TextDecoder().decode(start);
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Control characters that text does not have (MIME Sniffing, 3: binary data bytes), other than U+0000. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const BINARY = /[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const TAG = /<(?:!doctype|!--|\/?[a-z][a-z0-9]*[\s/>])/i;

/**
 * Returns the text of HTML with zero bytes, which browsers ignore (HTML, 13.2.5); undefined for other data, and for
 * UTF-16 without a byte order mark, whose source browsers show.
 */
function htmlOf(start: Uint8Array): string | undefined {
  const text = new TextDecoder().decode(start);
  if (BINARY.test(text)) return undefined;
  const isSparse = start.filter((byte) => byte === 0).length <= start.length / 10;
  return TAG.test(text) || isSparse ? text : undefined;
}

async function startOf(input: Input): Promise<Uint8Array> {
  const start = new Uint8Array(Math.min(SNIFFED_BYTES, input.size));
  let at = 0;
  if (start.length === 0) return start;
  for await (const chunk of input.stream()) {
    const part = chunk.subarray(0, start.length - at);
    start.set(part, at);
    at += part.length;
    if (at === start.length) break;
  }
  return start;
}
