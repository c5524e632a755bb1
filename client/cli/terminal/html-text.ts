// Detects HTML, so that the command `html` does not store another type of document as HTML.
import { PagewrightError } from "../../core/error.ts";

/** Patterns for the first bytes of documents that are not HTML, with the name of their type. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^\s*%PDF-/, "a PDF"],
  [/^\s*%!/, "a PostScript file"],
  [/^\{\\rtf/, "an RTF document"],
  [/^PK\p{Cc}{2}/u, "an Office document or a ZIP archive"],
  [/^(From|MIME-Version|Message-ID|Received|Return-Path|Date):? .*\r?\n[\w-]+:/i, "an e-mail or a web archive"],
];
/** XML is HTML only if it contains an `html` element. Flat OpenDocument and Office XML contain none. */
const XML = /^\s*<\?xml\b/;
const HTML_ELEMENT = /<(!doctype\s+)?html[\s>]/i;

/**
 * Returns the HTML of a file.
 * @param shown name of the file in messages
 * @throws PagewrightError if the file is another type of document, or not text
 */
export function htmlIn(bytes: Uint8Array, shown: string): string {
  const start = Buffer.from(bytes.subarray(0, 4096)).toString("latin1");
  const other = OTHERS.find(([begins]) => begins.test(start))?.[1];
  const isOtherXml = XML.test(start) && !HTML_ELEMENT.test(start);
  if (other !== undefined || isOtherXml) throw notHtml(shown, `is ${other ?? "an XML file"}, not HTML`);
  const text = textIn(bytes);
  if (text === undefined) throw notHtml(shown, "is not text in UTF-8 or UTF-16");
  return text;
}

const notHtml = (shown: string, reason: string) =>
  new PagewrightError(0, `${shown} ${reason}. To convert a document, name the format: pagewright pdf ${shown}`);

/** @returns undefined if the bytes are not text, for example because they contain U+0000 */
function textIn(bytes: Uint8Array): string | undefined {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}
