// Decodes text files of any encoding, which they rarely declare.

import { analyse } from "chardet";
import { pairedZeros } from "./utf16.ts";

/** Bytes that the detection of an encoding reads. */
const ANALYZED_BYTES = 2 ** 18;
/** Least confidence, in percent, of a detected encoding with several bytes for a character. */
const SURE_OF_WIDE = 40;
/** The encoding of Western Windows, of which ISO 8859-1 is a part. Every sequence of bytes is valid. */
const WESTERN = "windows-1252";

/** Names of the detector that `TextDecoder` reads as another encoding, or does not know. */
const DECODED_AS: Readonly<Record<string, string>> = {
  ascii: "utf-8",
  "iso-8859-1": WESTERN,
  "iso-8859-9": "windows-1254",
};
const WIDE = /^(shift_jis|euc-jp|euc-kr|big5|gb18030|iso-2022-)/i;

/** Returns the text of a file, without its byte order mark. @param declared a declared encoding, if there is one */
export function decodeText(bytes: Uint8Array, declared?: string): string {
  return new TextDecoder(encodingOf(bytes, declared)).decode(bytes);
}

/** Returns the name of an encoding for `TextDecoder`. */
export function encodingOf(bytes: Uint8Array, declared?: string): string {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const start = bytes.subarray(0, ANALYZED_BYTES);
  const wide = pairedZeros(start);
  if (wide) return wide;
  const known = declared === undefined ? undefined : nameOf(declared);
  // The declaration itself can be read as ASCII, so it is no UTF-16.
  if (known && !known.startsWith("utf-16")) return known;
  if (isUtf8(start)) return hasJapaneseEscapes(start) ? "iso-2022-jp" : "utf-8";
  return detected(start);
}

function nameOf(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function isUtf8(start: Uint8Array): boolean {
  try {
    // The last character can be incomplete.
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function hasJapaneseEscapes(start: Uint8Array): boolean {
  const text = new TextDecoder("latin1").decode(start);
  return text.includes("\u001b$B") || text.includes("\u001b$@");
}

/**
 * Returns the most likely encoding that can decode the whole text: the detector compares frequencies only, so its first
 * choice can have invalid bytes.
 */
function detected(start: Uint8Array): string {
  for (const { name, confidence } of analyse(start)) {
    const encoding = nameOf(DECODED_AS[name.toLowerCase()] ?? name);
    if (encoding === undefined || encoding.startsWith("utf-")) continue;
    if (WIDE.test(encoding) && (confidence < SURE_OF_WIDE || !decodes(start, encoding))) continue;
    return encoding;
  }
  return WESTERN;
}

function decodes(start: Uint8Array, encoding: string): boolean {
  try {
    new TextDecoder(encoding, { fatal: true, ignoreBOM: false }).decode(start, { stream: true });
    return true;
  } catch {
    return false;
  }
}
