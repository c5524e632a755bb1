// Shortens a content stream without visible changes (ISO 32000-1, 7.8.2): removes comments and unneeded white space,
// and shortens numbers.
import { inlineDictionary, skipInlineData } from "../content/content.ts";
import { KEYWORDS, VALUE_KEYWORDS } from "../content/operators.ts";
import { Lexer, type TokenKind } from "../objects/parsing/lexer.ts";
import { latin1Of } from "../objects/values.ts";
import { ContentRounding, isPlainNumber, type Rounding } from "./content-rounding.ts";

const SPACE = 0x20;
/** Kinds of tokens that need no white space around them. */
const CLOSED = new Set(["[", "]", "<<", ">>", "string", "hex"]);

/** A token of an operation. */
interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** True for a number whose precision depends on the operator. */
  readonly isOperand: boolean;
}

/** @returns undefined if the meaning of the bytes is uncertain: the stream is damaged, or continues another stream */
export function minifyContent(bytes: Uint8Array, rounding: Rounding): Uint8Array | undefined {
  const lexer = new Lexer(bytes);
  const written = new ShorterContent(bytes, rounding);
  let tokens: Token[] = [];
  let depth = 0;
  let dictionaries = 0;
  while (lexer.next() !== "end") {
    const { kind, start, end } = lexer;
    if (!isWhole(lexer)) return undefined;
    if (kind === "[" || kind === "<<") depth++;
    else if (kind === "]" || kind === ">>") depth--;
    if (kind === "<<") dictionaries++;
    else if (kind === ">>") dictionaries--;
    if (depth < 0) return undefined;
    tokens.push({ kind, start, end, isOperand: kind === "number" && dictionaries === 0 });
    if (kind !== "keyword") continue;
    const operator = lexer.text;
    if (!KEYWORDS.has(operator)) return undefined;
    if (VALUE_KEYWORDS.has(operator)) continue;
    if (!written.put(tokens, operator)) return undefined;
    tokens = [];
    if (operator !== "BI") continue;
    if (depth > 0) return undefined;
    skipInlineData(lexer, inlineDictionary(lexer));
    if (lexer.end >= bytes.length && !endsWithImage(bytes)) return undefined;
    written.copy(end, lexer.end);
  }
  return depth === 0 && written.put(tokens, "") ? written.result() : undefined;
}

class ShorterContent {
  readonly #bytes: Uint8Array;
  readonly #out: Uint8Array;
  readonly #rounding: ContentRounding;
  #size = 0;
  #needsSpace = false;

  constructor(bytes: Uint8Array, rounding: Rounding) {
    this.#bytes = bytes;
    this.#out = new Uint8Array(bytes.length + 64);
    this.#rounding = new ContentRounding(rounding);
  }

  /** @returns false if a number is ambiguous, or the result is already longer than the original */
  put(tokens: readonly Token[], operator: string): boolean {
    const numbers = tokens.filter(({ isOperand }) => isOperand).map(({ start, end }) => this.#text(start, end));
    const rounded = this.#rounding.round(operator, numbers);
    let next = 0;
    for (const { kind, start, end, isOperand } of tokens) {
      if (this.#size + (end - start) + 32 > this.#out.length) return false;
      // A name starts with `/`, which ends any token before it.
      if (this.#needsSpace && !CLOSED.has(kind) && kind !== "name") this.#out[this.#size++] = SPACE;
      if (kind === "number") {
        const text = shorterNumber(isOperand ? rounded[next++]! : this.#text(start, end));
        if (text === undefined) return false;
        for (let index = 0; index < text.length; index++) this.#out[this.#size++] = text.charCodeAt(index);
      } else {
        this.copy(start, end);
      }
      this.#needsSpace = !CLOSED.has(kind);
    }
    return true;
  }

  copy(start: number, end: number): void {
    this.#out.set(this.#bytes.subarray(start, end), this.#size);
    this.#size += end - start;
  }

  /** @returns undefined if the result is not shorter */
  result(): Uint8Array | undefined {
    return this.#size < this.#bytes.length ? this.#out.slice(0, this.#size) : undefined;
  }

  #text(start: number, end: number): string {
    return latin1Of(this.#bytes.subarray(start, end));
  }
}

const endsWithImage = (bytes: Uint8Array) => bytes.at(-2) === 0x45 && bytes.at(-1) === 0x49;

/** Reports whether a delimited token is complete in this stream. */
function isWhole({ kind, bytes, start, end }: Lexer): boolean {
  if (kind === "hex") return bytes[end - 1] === 0x3e;
  if (kind !== "string") return true;
  // Only the last token of the stream can continue in the next stream.
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

/** @returns undefined for a number that readers might interpret differently */
function shorterNumber(text: string): string | undefined {
  if (!isPlainNumber(text)) return undefined;
  let short = text.replace(/^\+/, "");
  if (!short.includes(".")) return short.replace(/^(-?)0+(?=\d)/, "$1").replace(/^-0$/, "0");
  short = short
    .replace(/(?<!0)0+$/, "")
    .replace(/\.$/, "")
    .replace(/^(-?)0+(?=\d*\.|\d)/, "$1");
  return short === "" || short === "-" || short === "-0" ? "0" : short;
}
