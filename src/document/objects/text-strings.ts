// Converts text strings (ISO 32000-1, 7.9.2.2) to text and back.
import { PdfString } from "./values.ts";

/** Characters of PDFDocEncoding from 0x18 to 0x1F and from 0x80 to 0xA0 (annex D.3). All other codes equal Latin-1. */
const LOW = "\u02d8\u02c7\u02c6\u02d9\u02dd\u02db\u02da\u02dc";
const HIGH =
  "\u2022\u2020\u2021\u2026\u2014\u2013\u0192\u2044\u2039\u203a\u2212\u2030\u201e\u201c\u201d\u2018\u2019\u201a\u2122" +
  "\ufb01\ufb02\u0141\u0152\u0160\u0178\u017d\u0131\u0142\u0153\u0161\u017e\ufffd\u20ac";

const UTF_16BE = new TextDecoder("utf-16be");
const UTF_16LE = new TextDecoder("utf-16le");
const UTF_8 = new TextDecoder("utf-8");

/** Decodes a text string. Does not remove language escape sequences (7.9.2.2), which are rare. */
export function decodeTextString({ bytes, latin1 }: PdfString): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return UTF_16BE.decode(bytes.subarray(2));
  // The standard does not allow little-endian text, but some writers use it and all readers accept it.
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return UTF_16LE.decode(bytes.subarray(2));
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return UTF_8.decode(bytes.subarray(3));
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes that differ from Latin-1
  return latin1.replace(/[\x18-\x1f\x80-\xa0]/g, (character) => {
    const code = character.charCodeAt(0);
    return code < 0x20 ? LOW[code - 0x18]! : HIGH[code - 0x80]!;
  });
}

/** Encodes text as PDFDocEncoding if all its characters have the same code there as in Latin-1; otherwise as UTF-16. */
export function encodeTextString(text: string): PdfString {
  if (/^[\t\n\r\x20-\x7e\xa1-\xac\xae-\xff]*$/.test(text) && !/^(\xfe\xff|\xff\xfe|\xef\xbb\xbf)/.test(text)) {
    return PdfString.ofLatin1(text);
  }
  const bytes = new Uint8Array(2 + text.length * 2);
  bytes.set([0xfe, 0xff]);
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes[2 + index * 2] = unit >> 8;
    bytes[3 + index * 2] = unit & 0xff;
  }
  return new PdfString(bytes);
}
