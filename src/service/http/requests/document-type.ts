// Detects the document type of an input of /pdf, which determines the engine. The content decides; for ambiguous text,
// the file name extension decides. The client's Content-Type is ignored. The engine decides whether the document is
// valid.
import { EngineFailure } from "../../../document/contract/failure.ts";
import { behindComments, detectMediaType } from "../../../document/contract/media-type.ts";
import type { Input } from "../../../document/contract/operation.ts";
import { isShortcut } from "../../../document/contract/web-url.ts";
import { PROPERTIES } from "../../../document/formats/msg/properties.ts";
import { isSvg } from "../../../document/formats/svg/drawing.ts";
import { pairedZeros } from "../../../document/formats/text/utf16.ts";
import { isHtmlPart, isSource, isWebArchive } from "../../../document/formats/text-formats.ts";
import { readContents } from "../../../document/formats/zip/contents.ts";
import { mayBeOffice, websiteIn } from "../../../document/formats/zip/website.ts";
import { type DocumentType, expectedType } from "./document-types.ts";
import { isNamedText, textKindOf } from "./text-type.ts";

/** Number of bytes to read: enough for a file signature, and for an HTML page that starts with a long comment. */
const SNIFFED_BYTES = 4096;

/** Document types by media type. The media type is detected from the content alone. */
const BY_CONTENT: Readonly<Record<string, DocumentType>> = {
  // LibreOffice detects the format inside a zip or OLE file.
  "application/zip": "office",
  "application/x-ole-storage": "office",
  "application/rtf": "office",
  "application/postscript": "postscript",
  "application/pdf": "none",
  "image/avif": "heif",
  "image/bmp": "image",
  "image/gif": "image",
  "image/heic": "heif",
  "image/jpeg": "image",
  "image/png": "image",
  "image/tiff": "tiff",
  "image/webp": "webp",
};

/** A text file with such a name is HTML, independent of its content. */
const HTML_NAME = /\.html?$/i;
/** Matches the start of a PDF (ISO 32000-1, 7.5.2 and 7.3.10): a header, followed soon by an indirect object. */
const PDF_BEGIN = /^\s*%PDF-\d[\s\S]*?\d+ \d+ obj\b/;

/**
 * Names of files that Office opens even if they contain HTML. With the names of the next two lists, a file can also be
 * a web archive or plain text.
 */
const OFFICE_NAME = /\.(doc|docx|xls|xlsx|ppt|pptx)$/i;
const ARCHIVE_THAT_OFFICE_OPENS = /\.(doc|xls)$/i;
const TEXT_THAT_OFFICE_OPENS = /\.(doc|xls)$/i;

/**
 * First bytes, in hexadecimal, of Office files that are older than OLE, by file name extension. `doc`: Word for DOS,
 * Word for Windows 1 and 2, and Word for the Macintosh. `xls`: sheets of Excel 2 to 5 (BOF record, [MS-XLS] 2.4.21, and
 * its predecessors).
 */
const BEFORE_OLE: Readonly<Record<string, RegExp>> = {
  doc: /^(31be0000|(9b|db|dc)a5|fe3[247]00)/,
  xls: /^090[0248](0[4-9a-f]|10)00/,
};

/** Names of drawings. The name is needed if the first element comes late, or the drawing is compressed. */
const SVG_NAME = /\.svgz?$/i;

/** Names of PostScript files. The name is needed, because a PostScript program can lack a signature. */
const POSTSCRIPT_NAME = /\.(ps|eps)$/i;

/**
 * Matches Office formats that are a single XML file: WordprocessingML and SpreadsheetML of Office 2003, flat OPC
 * packages, and flat OpenDocument.
 */
const OFFICE_XML = /mso-application|schemas-microsoft-com:office|schemas\.microsoft\.com\/office\/|office:document/;
const HTML_BEGIN = /^<(!doctype\s+html|html|head|body|meta|title|table|div|p|h1)[\s>]/i;

export async function documentTypeOf(input: Input): Promise<DocumentType> {
  if (input.type !== undefined) return expectedType(input.name);
  const start = await startOf(input);
  const type = typeOfStart(start, input.name);
  return type === "office" && mayBeWebsite(start) ? await typeOfArchive(input) : type;
}

/** Names of the parts with which Office programs start a file. */
const FIRST_OFFICE_PART = /^(\[Content_Types\]\.xml$|_rels\/|docProps\/|customXml\/|(word|xl|ppt|visio)\/|mimetype$)/;

/** Reports whether the first entry of a zip archive is no part of an Office document (APPNOTE.TXT 4.3.7). */
function mayBeWebsite(start: Uint8Array): boolean {
  const header = Buffer.from(start);
  if (header.length < 30 || header.readUInt32LE(0) !== 0x04034b50) return false;
  const name = header.toString("utf8", 30, 30 + header.readUInt16LE(26));
  return !FIRST_OFFICE_PART.test(name);
}

/**
 * Reads the directory, which is at the end of the file.
 * @returns `none` for a file called `.zip` that is neither a web page nor an Office document
 * @throws EngineFailure `too-complex`
 */
async function typeOfArchive(input: Input): Promise<DocumentType> {
  try {
    const entries = await readContents(input);
    if (websiteIn(entries)) return "html-archive";
    return /\.zip$/i.test(input.name) && !mayBeOffice(entries) ? "none" : "office";
  } catch (error) {
    // LibreOffice reports a damaged archive.
    if (error instanceof EngineFailure && error.reason === "damaged") return "office";
    throw error;
  }
}

/** Returns the media type of an input. */
export const mediaTypeOfInput = async (input: Input): Promise<string> =>
  detectMediaType(await startOf(input), input.name);

/** @param start first bytes of the document. If there are fewer than SNIFFED_BYTES, the result can be different */
export function typeOfStart(start: Uint8Array, name: string): DocumentType {
  const text = textOf(start);
  if (HTML_NAME.test(name)) {
    const html = text ?? htmlOf(start);
    if (html && !PDF_BEGIN.test(html)) return "html";
  }
  const found = BY_CONTENT[detectMediaType(start, "")];
  if (found === "office" && isOutlookItem(start, name)) return "msg";
  if (found) return found;
  if (isBeforeOle(start, name)) return "office";
  if (SVG_NAME.test(name) && (start[0] === 0x1f || (text?.trimStart() ?? "").startsWith("<"))) return "svg";
  if (text === undefined) return unmarkedTypeOf(start, name);
  // A web archive is MIME, which programs read only in ASCII-compatible encodings, not in UTF-16.
  if (isUtf16(start) && isWebArchive(text)) return "none";
  return textTypeOf(text, name);
}

/** Returns the type of UTF-16 without a byte order mark. */
function unmarkedTypeOf(start: Uint8Array, name: string): DocumentType {
  const encoding = pairedZeros(start);
  if (encoding === undefined || HTML_NAME.test(name)) return "none";
  return textKindOf(new TextDecoder(encoding).decode(start), name) ?? "none";
}

/** Reports whether an OLE file is an item of Outlook. The name decides if the list of its parts is not at the start. */
function isOutlookItem(start: Uint8Array, name: string): boolean {
  const bytes = Buffer.from(start.buffer, start.byteOffset, start.length);
  if (bytes.readUInt32LE(0) !== OLE_BEGIN) return false;
  return /\.(msg|oft)$/i.test(name) || bytes.includes(Buffer.from(PROPERTIES, "utf16le"));
}

/** First bytes of an OLE file, as a number. */
const OLE_BEGIN = 0xe011cfd0;

function isBeforeOle(start: Uint8Array, name: string): boolean {
  const extension = /\.(doc|xls)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return BEFORE_OLE[extension]?.test(Buffer.from(start.subarray(0, 4)).toString("hex")) === true;
}

function textTypeOf(text: string, name: string): DocumentType {
  if (isShortcut(text)) return "web-page";
  if (isSvg(text) && !isNamedText(name)) return "svg";
  const markup = behindComments(text);
  if (/^<(\?xml|[\w.-]*:?package\s)/.test(markup) && OFFICE_XML.test(markup)) return "office";
  if (isNamedText(name)) return textKindOf(text, name) ?? "none";
  const isHtml = HTML_BEGIN.test(markup) || (markup.startsWith("<?xml") && /<html[\s>]/i.test(markup));
  if (isHtml) return OFFICE_NAME.test(name) ? "office" : "html";
  if (ARCHIVE_THAT_OFFICE_OPENS.test(name) && isHtmlPart(markup)) return "office";
  if (POSTSCRIPT_NAME.test(name)) return "postscript";
  if (ARCHIVE_THAT_OFFICE_OPENS.test(name) && isSource(text)) return isWebArchive(text) ? "office" : "none";
  if (TEXT_THAT_OFFICE_OPENS.test(name)) return markup === "" ? "none" : "office";
  return textKindOf(text, name) ?? "none";
}

/**
 * @returns undefined if the bytes are not text. Text in UTF-16 starts with a byte order mark; other text contains no
 *   zero bytes
 */
function textOf(start: Uint8Array): string | undefined {
  if (isUtf16(start)) return new TextDecoder(start[0] === 0xff ? "utf-16le" : "utf-16be").decode(start);
  return start.includes(0) ? undefined : new TextDecoder().decode(start);
}

const isUtf16 = ([first, second]: Uint8Array): boolean =>
  (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);

/** Matches control characters that text does not contain ("binary data bytes" of MIME Sniffing, 3), except U+0000. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const BINARY = /[\x01-\x08\x0b\x0e-\x1a\x1c-\x1f]/;
const TAG = /<(?:!doctype|!--|\/?[a-z][a-z0-9]*[\s/>])/i;

/**
 * Returns the text of HTML that contains zero bytes, which browsers ignore (HTML, 13.2.5). Returns undefined for other
 * data, and for UTF-16 without a byte order mark, because browsers show the source of such a file.
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
