// Detects the media type by content, then by file name extension, never by the client's Content-Type.

const ascii = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Magic bytes at the start of a file, the longest and most reliable ones first. */
const SIGNATURES: readonly (readonly [Uint8Array, string])[] = [
  [ascii("\x89PNG\r\n\x1a\n"), "image/png"],
  [ascii("\xff\xd8\xff"), "image/jpeg"],
  [ascii("GIF87a"), "image/gif"],
  [ascii("GIF89a"), "image/gif"],
  [ascii("II*\0"), "image/tiff"],
  [ascii("MM\0*"), "image/tiff"],
  [ascii("II+\0"), "image/tiff"],
  [ascii("MM\0+"), "image/tiff"],
  [ascii("{\\rtf"), "application/rtf"],
  [ascii("%FDF-"), "application/vnd.fdf"],
  // The fifth byte is zero, because a font has few tables, and a collection has the version 1 or 2.
  [ascii("\0\x01\0\0\0"), "font/ttf"],
  [ascii("true\0"), "font/ttf"],
  [ascii("OTTO\0"), "font/otf"],
  [ascii("ttcf\0"), "font/collection"],
];

/**
 * Media types by extension, for files without distinctive magic bytes: text formats, and documents in a zip or OLE
 * container.
 */
const EXTENSIONS: Readonly<Record<string, string>> = {
  bmp: "image/bmp",
  css: "text/css",
  csv: "text/csv",
  doc: "application/msword",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  eml: "message/rfc822",
  eps: "application/postscript",
  fdf: "application/vnd.fdf",
  htm: "text/html",
  html: "text/html",
  json: "application/json",
  markdown: "text/markdown",
  md: "text/markdown",
  mht: "multipart/related",
  mhtml: "multipart/related",
  msg: "application/vnd.ms-outlook",
  pdf: "application/pdf",
  ppt: "application/vnd.ms-powerpoint",
  pptx: "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  ps: "application/postscript",
  rtf: "application/rtf",
  svg: "image/svg+xml",
  tsv: "text/tab-separated-values",
  txt: "text/plain",
  xdp: "application/vnd.adobe.xdp+xml",
  xfd: "application/vnd.adobe.xfd+xml",
  xfdf: "application/vnd.adobe.xfdf",
  xls: "application/vnd.ms-excel",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  xml: "application/xml",
  zip: "application/zip",
};
const ZIP_BASED = new Set(["docx", "pptx", "xlsx"]);
const OLE_BASED = new Set(["doc", "msg", "ppt", "xls"]);

/** ISO 32000-1 Annex H, implementation note 13: readers accept the header anywhere in the first 1024 bytes. */
const PDF_HEADER_WITHIN = 1024;

/**
 * Returns the media type of a file.
 * @param start the first bytes of the file
 * @param name file name with extension
 */
export function detectMediaType(start: Uint8Array, name: string): string {
  for (const [signature, type] of SIGNATURES) if (startsWith(start, signature)) return type;
  if (startsWith(start, ascii("RIFF")) && startsWith(start.subarray(8), ascii("WEBP"))) return "image/webp";
  const heif = heifType(start);
  if (heif) return heif;
  if (indexOf(start.subarray(0, PDF_HEADER_WITHIN + 5), ascii("%PDF-")) >= 0) return "application/pdf";
  if (isPostscript(start)) return "application/postscript";
  if (isBitmap(start)) return "image/bmp";
  const extension = /\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  if (startsWith(start, ascii("PK\x03\x04")) || startsWith(start, ascii("PK\x05\x06"))) {
    return ZIP_BASED.has(extension) ? EXTENSIONS[extension]! : "application/zip";
  }
  if (startsWith(start, ascii("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"))) {
    return OLE_BASED.has(extension) ? EXTENSIONS[extension]! : "application/x-ole-storage";
  }
  if (/^<(!doctype\s+html|html|head|body)[\s>]/i.test(behindComments(latin1(start)))) return "text/html";
  const byName = EXTENSIONS[extension];
  const isBinaryByName =
    ZIP_BASED.has(extension) ||
    OLE_BASED.has(extension) ||
    extension === "pdf" ||
    extension === "bmp" ||
    extension === "zip";
  return byName && !isBinaryByName ? byName : "application/octet-stream";
}

/** Returns the extension of a media type, without the dot; undefined for an unknown type. */
export const extensionOf = (type: string): string | undefined =>
  SIGNED_EXTENSIONS[type] ?? Object.keys(EXTENSIONS).find((extension) => EXTENSIONS[extension] === type);

/** Extensions of types with magic bytes, or with several extensions. */
const SIGNED_EXTENSIONS: Readonly<Record<string, string>> = {
  "application/postscript": "ps",
  "font/collection": "ttc",
  "font/otf": "otf",
  "font/ttf": "ttf",
  "image/avif": "avif",
  "image/gif": "gif",
  "image/heic": "heic",
  "image/jpeg": "jpg",
  "image/png": "png",
  "image/tiff": "tif",
  "multipart/related": "mht",
  "image/webp": "webp",
  "text/html": "html",
  "text/markdown": "md",
};

/** Returns the markup after leading white space and comments. */
export function behindComments(markup: string): string {
  let rest = markup.trimStart();
  while (rest.startsWith("<!--")) {
    const end = rest.indexOf("-->", 4);
    if (end < 0) break;
    rest = rest.slice(end + 3).trimStart();
  }
  return rest;
}

/** Brands of HEIF (ISO/IEC 23008-12, 10) with HEVC or H.264; and of AVIF. */
const HEIF_BRAND = /^(hei[cmsx]|hev[cmsx]|avci|avcs|mif[12]|msf1|miaf)$/;
const AVIF_BRAND = /^av(if|is)$/;

/** Returns the type of a HEIF file, by the brands in its first box (ISO/IEC 14496-12, 4.3). */
function heifType(start: Uint8Array): "image/heic" | "image/avif" | undefined {
  if (!startsWith(start.subarray(4), ascii("ftyp"))) return undefined;
  const size = Math.min(new DataView(start.buffer, start.byteOffset).getUint32(0), start.length, 256);
  const brands: string[] = [];
  for (let at = 8; at + 4 <= size; at += 4) if (at !== 12) brands.push(latin1(start.subarray(at, at + 4)));
  if (brands.some((brand) => AVIF_BRAND.test(brand))) return "image/avif";
  return brands.some((brand) => HEIF_BRAND.test(brand)) ? "image/heic" : undefined;
}

/**
 * Reports whether the bytes start a PostScript program, possibly after printer commands or a DOS, AppleSingle or
 * MacBinary header.
 */
function isPostscript(start: Uint8Array): boolean {
  if (startsWith(start, ascii("\xc5\xd0\xd3\xc6"))) return true;
  const blank = start.findIndex((byte) => !BLANK_BEFORE_POSTSCRIPT.has(byte));
  const text = start.subarray(Math.max(0, blank));
  if (startsWith(text, ascii("%!"))) return true;
  const isWrapped =
    startsWith(text, ascii("\x1b%-12345X")) ||
    startsWith(start, ascii("\0\x05\x16\0")) ||
    (start[0] === 0 && start[74] === 0 && startsWith(start.subarray(128), ascii("%!")));
  return isWrapped && indexOf(start, ascii("%!PS")) >= 0;
}

/**
 * Size of the bitmap file header, and accepted sizes of the second header. Usual sizes are 12 (OS/2 version 1) and 16
 * to 124 (OS/2 version 2, Windows).
 */
const BITMAP_FILE_HEADER_BYTES = 14;
const BITMAP_HEADER_BYTES = { least: 12, most: 1024 };

/**
 * Reports whether the bytes start a bitmap: the second header has a valid size, and either the reserved words are zero
 * or the pixels come after the headers. Some writers do not zero the reserved words, and others write a wrong pixel
 * offset.
 */
function isBitmap(start: Uint8Array): boolean {
  if (!startsWith(start, ascii("BM")) || start.length < BITMAP_FILE_HEADER_BYTES + 4) return false;
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const [reserved, pixels, headerBytes] = [view.getUint32(6, true), view.getUint32(10, true), view.getUint32(14, true)];
  if (headerBytes < BITMAP_HEADER_BYTES.least || headerBytes > BITMAP_HEADER_BYTES.most) return false;
  return reserved === 0 || pixels >= BITMAP_FILE_HEADER_BYTES + headerBytes;
}

/** White space, null bytes and end-of-transmission characters. */
const BLANK_BEFORE_POSTSCRIPT = new Set(ascii(" \t\r\n\f\0\x04"));

/**
 * Reports whether the content might be a PDF. Text and unrecognized content might be a damaged PDF; files of other
 * known types are not.
 */
export function mayBePdf(type: string): boolean {
  return type === "application/pdf" || type === "application/octet-stream" || /^text\/(?!html)|json$|xml$/.test(type);
}

/** Reports whether the content might be a zip archive. Other bytes can precede an archive, such as a program. */
export function mayBeZip(type: string): boolean {
  const zipBased = [...ZIP_BASED].map((extension) => EXTENSIONS[extension]);
  return type === "application/zip" || type === "application/octet-stream" || zipBased.includes(type);
}

const latin1 = (bytes: Uint8Array) => new TextDecoder("latin1").decode(bytes.subarray(0, 1024));

function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte);
}

function indexOf(bytes: Uint8Array, pattern: Uint8Array): number {
  for (let at = 0; at + pattern.length <= bytes.length; at++) {
    if (pattern.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
