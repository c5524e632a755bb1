// Detects HTML, so that `html` does not store another kind of document as HTML.
import { PagewrightError } from "../../core/error.ts";

/** First bytes of text-like documents that are not HTML. */
const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^\s*%PDF-/, "a PDF"],
  [/^\s*%!/, "a PostScript file"],
  [/^\{\\rtf/, "an RTF document"],
  [/^PK\p{Cc}{2}/u, "an Office document or a ZIP archive"],
  [/^(From|MIME-Version|Message-ID|Received|Return-Path|Date):? .*\r?\n[\w-]+:/i, "an e-mail or a web archive"],
];
/** XML counts as HTML only with an `html` element, which flat OpenDocument and Office XML lack. */
const XML = /^\s*<\?xml\b/;
const HTML_ELEMENT = /<(!doctype\s+)?html[\s>]/i;

/**
 * Returns the HTML of a file.
 * @param shown the file, as messages show it
 * @throws PagewrightError if the file is another kind of document, or not text
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

/** @returns undefined if the bytes are not text: text contains no zero bytes */
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
