// Text of XML files with form data.
import type { Element } from "@xmldom/xmldom";
import { parseXml } from "../formats/xml.ts";

/** Larger files have no form data that a reader could use: a form has thousands of fields, not millions. */
const LIMITS = { characters: 32 * 2 ** 20, nodes: 500_000, depth: 200 };
const DECLARED_WITHIN = 200;

/** An ampersand that begins no reference. */
const BARE_AMPERSAND = /&(?!(?:#\d+|#x[\da-f]+|[a-z_][\w.-]*);)/gi;

/** The characters that XML forbids (XML 1.0, 2.2). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the characters that XML forbids
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/;
const ALL_FORBIDDEN = new RegExp(FORBIDDEN, "g");

export interface XmlReading {
  /** Rejects bytes that are not in the encoding, and characters that XML forbids. @default false */
  readonly isStrict?: boolean;
}

/** @returns the outermost element; undefined if the file is not well-formed, or too large */
export function readXml(bytes: Uint8Array, { isStrict = false }: XmlReading = {}): Element | undefined {
  const text = decode(bytes, isStrict);
  const root = rootOf(text);
  const content = isStrict && root ? `${text}${root.textContent}` : "";
  return FORBIDDEN.test(content) || !content.isWellFormed() ? undefined : root;
}

/** Like {@link readXml}, but accepts bare ampersands, which viewers of forms accept, too. */
export function readLooseXml(bytes: Uint8Array): Element | undefined {
  return rootOf(decode(bytes, false)?.replace(BARE_AMPERSAND, "&amp;"));
}

const rootOf = (text: string | undefined): Element | undefined =>
  (text === undefined ? undefined : parseXml(text, LIMITS))?.documentElement ?? undefined;

export const isXml = (text: string): boolean => parseXml(text, LIMITS) !== undefined;

/** Decodes XML in the encoding of its byte order mark or declaration (XML 1.0, 4.3.3), or UTF-8. */
function decode(bytes: Uint8Array, isStrict: boolean): string | undefined {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xfe && second === 0xff) || (first === 0xff && second === 0xfe);
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, DECLARED_WITHIN));
  const declared = /^(?:\xef\xbb\xbf)?<\?xml[^>]*encoding\s*=\s*["']([\w-]+)["']/.exec(start)?.[1];
  try {
    const encoding = isUtf16 ? (first === 0xfe ? "utf-16be" : "utf-16le") : declared;
    return new TextDecoder(encoding, { fatal: isStrict, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

const REFERENCES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/**
 * Escapes text for elements and attributes. Parsers would change a carriage return, so it becomes a reference. Leaves out
 * characters that XML forbids (XML 1.0, 2.2).
 */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(ALL_FORBIDDEN, "")
    .replace(/[&<>"]/g, (character) => REFERENCES[character]!)
    .replace(/[\r\t\n]/g, (character) => (character === "\r" ? "&#13;" : character));

export const xmlBytes = (body: string): Uint8Array =>
  new TextEncoder().encode(`<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`);
