// Reads bytes of an unknown encoding as text.
import { decodeTextString } from "../../objects/text-strings.ts";
import { latin1Of, PdfString } from "../../objects/values.ts";

const UTF_8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export function textOf(bytes: Uint8Array): string {
  if ((bytes[0] === 0xfe && bytes[1] === 0xff) || (bytes[0] === 0xff && bytes[1] === 0xfe)) {
    return decodeTextString(new PdfString(bytes));
  }
  try {
    return UTF_8.decode(bytes);
  } catch {
    return latin1Of(bytes);
  }
}

/** Decodes an XML document, which is in UTF-16 if its first character, `<`, takes two bytes (XML 1.0, appendix F). */
export function xmlOf(bytes: Uint8Array): string {
  if (bytes[0] === 0 && bytes[1] !== 0) return new TextDecoder("utf-16be").decode(bytes);
  if (bytes[0] !== 0 && bytes[1] === 0) return new TextDecoder("utf-16le").decode(bytes);
  return textOf(bytes);
}

/** Decodes the escapes of an address (RFC 3986, 2.1); undefined if there are none. */
export function unescapedAddress(latin1: string): string | undefined {
  if (!/%[\da-f]{2}/i.test(latin1)) return undefined;
  const bytes = latin1.replace(/%([\da-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
  return textOf(Buffer.from(bytes.replaceAll("+", " "), "latin1"));
}

/** Returns a script as its strings read: joined, without escapes (ECMA-262, 12.9.4). */
export const unescapedScript = (script: string): string =>
  script
    .replace(/(["'`])\s{0,64}\+\s{0,64}\1/g, "")
    .replace(/\\(?:u([\da-f]{4})|u\{([\da-f]{1,6})\}|x([\da-f]{2})|([\s\S]))/gi, (_, unit, point, byte, other) => {
      const code = Number.parseInt(unit ?? point ?? byte ?? "", 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : /[nrt]/.test(other ?? "") ? " " : (other ?? "");
    });

/** Reports whether bytes are a text: presets would find numbers in anything else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the signs of other data
export const isReadable = (text: string): boolean => !/[\0-\x08\x0e-\x1f]/.test(text.slice(0, 1000));

/** Returns the bytes after the last control character. */
export function readableEnd(bytes: Uint8Array): Uint8Array {
  let start = bytes.length;
  while (start > 0 && isReadable(String.fromCharCode(bytes[start - 1]!))) start--;
  return bytes.subarray(start);
}
