// A content stream in fewer bytes that draws the same (ISO 32000-1, 7.8.2): no comments, one space where one is needed, numbers in
// their shortest form. Knows no resources.
import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { KEYWORDS } from "../content/operators.ts";
import { Lexer } from "../objects/lexer.ts";

/** How numbers are rounded: to so many digits, of which at least and at most so many are behind the point. */
export interface Precision {
  readonly digits: number;
  readonly least: number;
  readonly most: number;
}

/** Readers have floats of 32 bits, and a millionth is one of the unit that a page's content begins with. */
export const ALL_DIGITS: Precision = { digits: 7, least: 0, most: 6 };
/** A two thousandth of that unit, and of a scale what moves the far end of a page by a fortieth. */
export const VISIBLE_DIGITS: Precision = { digits: 5, least: 3, most: 5 };

const SPACE = 0x20;
/** Tokens that need nothing before or behind them. */
const CLOSED = new Set(["[", "]", "<<", ">>", "string", "hex"]);

/** @returns undefined where it is not certain what the bytes mean: a stream that is a piece of another, or damaged */
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
    // A name begins with what ends every other token.
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

/** Whether a token that has an end has it here, and not in the next stream. */
function isWhole({ kind, bytes, start, end }: Lexer): boolean {
  if (kind === "hex") return bytes[end - 1] === 0x3e;
  if (kind !== "string") return true;
  // At the end of the stream only, as what runs to there may go on.
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

/** @returns undefined for what readers may understand in different ways */
function shorterNumber(text: string, { digits, least, most }: Precision): string | undefined {
  if (!/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text)) return undefined;
  let short = text.replace(/^\+/, "");
  const point = short.indexOf(".");
  if (point < 0) return short.replace(/^(-?)0+(?=\d)/, "$1");
  if (short.length - point - 1 > most || short.length > digits + 2) {
    const value = Number(short);
    const whole = Math.max(0, Math.floor(Math.log10(Math.abs(value) || 1)) + 1);
    const places = Math.max(least, Math.min(most, digits - whole));
    // What is smaller than all places keeps its digits: it may be a scale.
    if (Math.abs(value) >= 0.1 || value === 0) short = value.toFixed(places);
  }
  if (!short.includes(".")) return short.replace(/^-0$/, "0");
  short = short
    .replace(/(?<!0)0+$/, "")
    .replace(/\.$/, "")
    .replace(/^(-?)0+(?=\d*\.|\d)/, "$1");
  return short === "" || short === "-" || short === "-0" ? "0" : short;
}
