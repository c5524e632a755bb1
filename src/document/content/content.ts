// Parses content streams (ISO 32000-1, 7.8.2) into operations with byte offsets, so that unchanged parts can be copied
// byte for byte.
import { isBoundary, isWhite, Lexer } from "../objects/parsing/lexer.ts";
import { Dictionary, type Value } from "../objects/values.ts";
import { KEYWORDS, VALUE_KEYWORDS } from "./operators.ts";

export interface ContentOperation {
  readonly operator: string;
  readonly operands: readonly Value[];
  /** Offset of the first byte of the operands, and the offset after the operator. */
  readonly start: number;
  readonly end: number;
  /**
   * Byte range of the data of an inline image (8.9.7). The operator is then `BI`, and the only operand is the
   * dictionary of the image.
   */
  readonly data?: { readonly start: number; readonly end: number };
}

/**
 * Maximum number of operands of an operation. Further operands are ignored: no operator has so many, so the content is
 * damaged.
 */
const MAX_OPERANDS = 1024;

/** Yields the operations of a content stream. Ignores operands at the end that no operator follows. */
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

/** Reads the dictionary between `BI` and `ID`. */
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

/**
 * An `EI` ends the data only if valid content follows: the maximum number of bytes parsed to check this, and the number
 * of tokens that must be valid.
 */
const LOOKED_AT_BYTES = 256;
const LOOKED_AT_TOKENS = 8;

/**
 * Moves the lexer from the end of `ID` to the end of `EI`. The data can contain the bytes `EI`, so only an `EI` between
 * white space and valid content is the operator.
 */
export function skipInlineData(lexer: Lexer, dictionary: Dictionary): { start: number; end: number } {
  const { bytes } = lexer;
  // One white space character separates `ID` from the data (8.9.7). Some Windows writers emit two (CR LF).
  const start = Math.min(lexer.end + (isWhite(bytes[lexer.end] ?? 0) ? 1 : 0), bytes.length);
  const length = dictionary.get("L") ?? dictionary.get("Length");
  let from = start;
  if (typeof length === "number" && length > 0 && start + length <= bytes.length) from = start + Math.floor(length);
  for (let pass = from > start ? 0 : 1; pass < 2; pass++, from = start) {
    for (let at = from; at + 1 < bytes.length; at++) {
      if (bytes[at] !== 0x45 || bytes[at + 1] !== 0x49) continue;
      if (at > start && !isWhite(bytes[at - 1]!) && at !== from) continue;
      if (!isBoundary(bytes[at + 2]) || !looksLikeContent(bytes, at + 2)) continue;
      lexer.end = at + 2;
      return { start, end: at > start && isWhite(bytes[at - 1]!) ? at - 1 : at };
    }
  }
  lexer.end = bytes.length;
  return { start, end: bytes.length };
}

function looksLikeContent(bytes: Uint8Array, start: number): boolean {
  const end = Math.min(bytes.length, start + LOOKED_AT_BYTES);
  const lexer = new Lexer(bytes.subarray(0, end), start);
  for (let tokens = 0; tokens < LOOKED_AT_TOKENS && lexer.next() !== "end"; tokens++) {
    // The last token can be incomplete.
    if (lexer.end === end && end < bytes.length) return true;
    if (lexer.kind === "keyword" && !KEYWORDS.has(lexer.text)) return false;
    if (lexer.kind === "name" && /[^\x21-\x7e]/.test(lexer.text)) return false;
  }
  return true;
}
