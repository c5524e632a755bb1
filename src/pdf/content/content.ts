// Content streams (ISO 32000-1, 7.8.2) as operations with the places where they stand: what is not touched can be copied byte for
// byte. Knows operators only as far as inline images need it.
import { isBoundary, isWhite, Lexer } from "../objects/lexer.ts";
import { Dictionary, type Value } from "../objects/values.ts";
import { KEYWORDS, VALUE_KEYWORDS } from "./operators.ts";

export interface ContentOperation {
  readonly operator: string;
  readonly operands: readonly Value[];
  /** The first byte of the operands, and the one behind the operator. */
  readonly start: number;
  readonly end: number;
  /** Of an inline image (8.9.7), whose operator is `BI` and whose only operand is its dictionary: where its data is. */
  readonly data?: { readonly start: number; readonly end: number };
}

/** Operands that are kept: a page with more has lost an operator. */
const MAX_OPERANDS = 1024;

/** The operations of a content stream, in their order. Operands without an operator at the end are no operation. */
export function* readOperations(bytes: Uint8Array): Generator<ContentOperation> {
  const lexer = new Lexer(bytes);
  let operands: Value[] = [];
  let start = -1;
  while (lexer.next() !== "end") {
    if (start < 0) start = lexer.start;
    const isOperator = lexer.kind === "keyword" && !VALUE_KEYWORDS.has(lexer.text);
    if (!isOperator) {
      const value = lexer.value();
      if (value !== undefined && operands.length < MAX_OPERANDS) operands.push(value);
      continue;
    }
    const operator = lexer.text;
    if (operator === "BI") {
      const dictionary = inlineDictionary(lexer);
      const data = skipInlineData(lexer, dictionary);
      yield { operator, operands: [dictionary], start, end: lexer.end, data };
    } else {
      yield { operator, operands, start, end: lexer.end };
    }
    operands = [];
    start = -1;
  }
}

/** Reads from behind `BI` to `ID`. */
export function inlineDictionary(lexer: Lexer): Dictionary {
  const dictionary = new Dictionary();
  while (lexer.next() !== "end") {
    if (lexer.kind === "keyword" && lexer.text === "ID") break;
    if (lexer.kind !== "name") continue;
    const key = lexer.nameText;
    lexer.next();
    const value = lexer.value();
    if (value !== undefined) dictionary.set(key, value);
    else if (lexer.text === "ID") break;
  }
  return dictionary;
}

/** How far behind an `EI` is looked whether a content stream goes on there, and how many tokens must be right. */
const LOOKED_AT_BYTES = 256;
const LOOKED_AT_TOKENS = 8;

/**
 * Goes from behind `ID` to behind `EI`. The data can contain `EI`: it is the end where white space is before it and the rest of a
 * content stream behind it.
 */
export function skipInlineData(lexer: Lexer, dictionary: Dictionary): { start: number; end: number } {
  const { bytes } = lexer;
  // One white space character separates the data from ID (8.9.7); writers for Windows put two.
  const start = Math.min(lexer.end + (isWhite(bytes[lexer.end] ?? 0) ? 1 : 0), bytes.length);
  const length = dictionary.get("L") ?? dictionary.get("Length");
  let from = start;
  if (typeof length === "number" && length > 0 && start + length <= bytes.length) from = start + Math.floor(length);
  for (let pass = from > start ? 0 : 1; pass < 2; pass++, from = start) {
    for (let at = from; at + 1 < bytes.length; at++) {
      if (bytes[at] !== 0x45 || bytes[at + 1] !== 0x49) continue;
      if (at > start && !isWhite(bytes[at - 1]) && at !== from) continue;
      if (!isBoundary(bytes[at + 2]) || !looksLikeContent(bytes, at + 2)) continue;
      lexer.end = at + 2;
      return { start, end: at > start && isWhite(bytes[at - 1]) ? at - 1 : at };
    }
  }
  lexer.end = bytes.length;
  return { start, end: bytes.length };
}

function looksLikeContent(bytes: Uint8Array, start: number): boolean {
  const end = Math.min(bytes.length, start + LOOKED_AT_BYTES);
  const lexer = new Lexer(bytes.subarray(0, end), start);
  for (let tokens = 0; tokens < LOOKED_AT_TOKENS && lexer.next() !== "end"; tokens++) {
    // The last token may have been cut off.
    if (lexer.end === end && end < bytes.length) return true;
    if (lexer.kind === "keyword" && !KEYWORDS.has(lexer.text)) return false;
    if (lexer.kind === "name" && /[^\x21-\x7e]/.test(lexer.text)) return false;
  }
  return true;
}
