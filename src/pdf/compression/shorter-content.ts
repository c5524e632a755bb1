// Shortens a content stream without changing what it draws (ISO 32000-1, 7.8.2): removes comments and unnecessary
// spaces, and shortens numbers. Knows nothing about resources.
import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { KEYWORDS } from "../content/operators.ts";
import { Lexer } from "../objects/lexer.ts";

/** The precision of rounding: the number of digits, and the minimum and maximum number of decimal places. */
export interface Precision {
  readonly digits: number;
  readonly least: number;
  readonly most: number;
}

/**
 * Keeps all digits that count: readers use 32-bit floats, and the last place is a millionth of a default user space
 * unit.
 */
export const ALL_DIGITS: Precision = { digits: 7, least: 0, most: 6 };
/** Rounds to 1/2000 of that unit. In a scale, this moves the far end of a page by at most 1/40 of the unit. */
export const VISIBLE_DIGITS: Precision = { digits: 5, least: 3, most: 5 };

const SPACE = 0x20;
/** Tokens that need no space before or after them. */
const CLOSED = new Set(["[", "]", "<<", ">>", "string", "hex"]);

/** @returns undefined if the meaning of the bytes is uncertain: part of another stream, or damaged */
export function shorterContent(bytes: Uint8Array, precision = ALL_DIGITS): Uint8Array | undefined {
  const lexer = new Lexer(bytes);
  const out = new Uint8Array(bytes.length + 64);
  let size = 0;
  let needsSpace = false;
  let depth = 0;
  const put = (from: Uint8Array) => {
    out.set(from, size);
    size += from.length;
  };
  while (lexer.next() !== "end") {
    const { kind } = lexer;
    if (size + (lexer.end - lexer.start) + 32 > out.length) return undefined;
    if (!isWhole(lexer)) return undefined;
    if (kind === "[" || kind === "<<") depth++;
    else if (kind === "]" || kind === ">>") depth--;
    else if (kind === "keyword" && !KEYWORDS.has(lexer.text)) return undefined;
    if (depth < 0) return undefined;
    // The first byte of a name ends any other token.
    if (needsSpace && !CLOSED.has(kind) && kind !== "name") out[size++] = SPACE;
    if (kind === "number") {
      const text = shorterNumber(lexer.text, precision);
      if (text === undefined) return undefined;
      for (let index = 0; index < text.length; index++) out[size++] = text.charCodeAt(index);
    } else {
      put(bytes.subarray(lexer.start, lexer.end));
    }
    needsSpace = !CLOSED.has(kind);
    if (kind !== "keyword" || lexer.text !== "BI") continue;
    if (depth > 0) return undefined;
    const from = lexer.end;
    skipInlineData(lexer, inlineDictionary(lexer));
    if (lexer.end >= bytes.length && !endsWithImage(bytes)) return undefined;
    put(bytes.subarray(from, lexer.end));
  }
  return depth === 0 && size < bytes.length ? out.slice(0, size) : undefined;
}

const endsWithImage = (bytes: Uint8Array) => bytes.at(-2) === 0x45 && bytes.at(-1) === 0x49;

/** Reports whether a delimited token ends in this stream and not in the next. */
function isWhole({ kind, bytes, start, end }: Lexer): boolean {
  if (kind === "hex") return bytes[end - 1] === 0x3e;
  if (kind !== "string") return true;
  // Only a token at the end of the stream may continue.
  return end < bytes.length || isClosed(bytes, start, end);
}

function isClosed(bytes: Uint8Array, start: number, end: number): boolean {
  let open = 0;
  for (let at = start; at < end; at++) {
    if (bytes[at] === 0x5c) at++;
    else if (bytes[at] === 0x28) open++;
    else if (bytes[at] === 0x29) open--;
  }
  return open === 0;
}

/** @returns undefined for a number that readers may interpret differently */
function shorterNumber(text: string, { digits, least, most }: Precision): string | undefined {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) return undefined;
  let short = text.replace(/^\+/, "");
  const point = short.indexOf(".");
  if (point < 0) return short.replace(/^(-?)0+(?=\d)/, "$1");
  if (short.length - point - 1 > most || short.length > digits + 2) {
    const value = Number(short);
    const whole = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
    const places = Math.max(least, Math.min(most, digits - whole));
    // Small numbers keep their digits, because they may be scales.
    if (Math.abs(value) >= 0.1 || value === 0) short = value.toFixed(places);
  }
  if (!short.includes(".")) return short.replace(/^-0$/, "0");
  short = short
    .replace(/(?<!0)0+$/, "")
    .replace(/\.$/, "")
    .replace(/^(-?)0+(?=\d*\.|\d)/, "$1");
  return short === "" || short === "-" || short === "-0" ? "0" : short;
}
