// Splits PDF syntax (ISO 32000-1, 7.2 and 7.3) into tokens with offsets, for content streams and files. Never throws:
// unknown text becomes a keyword.
import { Dictionary, latin1Of, Name, PdfString, Reference, type Value } from "../values.ts";

export type TokenKind =
  | "number"
  | "name"
  | "string"
  | "hex"
  | "["
  | "]"
  | "<<"
  | ">>"
  /** Operators, `true`, `null`, `obj`, `R`..., and all unknown text. */
  | "keyword"
  | "end";

const WHITE = 1;
const DELIMITER = 2;
/** Class of each byte (7.2.2): white space, delimiter, or 0 for a regular character. */
const CLASSES = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) CLASSES[code] = WHITE;
for (const character of "()<>[]{}/%") CLASSES[character.charCodeAt(0)] = DELIMITER;
/**
 * Bytes of number tokens. A sign inside a number is invalid but occurs; readers ignore the number's rest from there on.
 */
const NUMERIC = new Uint8Array(256);
for (const character of "0123456789+-.") NUMERIC[character.charCodeAt(0)] = 1;

const code = (character: string) => character.charCodeAt(0);
const [PERCENT, SLASH, OPEN, CLOSE, LESS, GREATER, LEFT, RIGHT, BACKSLASH] = [..."%/()<>[]\\"].map(code);
const [RETURN, NEWLINE] = [13, 10];
/** Maximum depth of nested containers. */
const MAX_DEPTH = 500;

export const isWhite = (byte: number): boolean => CLASSES[byte] === WHITE;
/** Reports whether a token ends before this byte. */
export const isBoundary = (byte: number | undefined): boolean => byte === undefined || CLASSES[byte] !== 0;

/** Reads bytes token by token. */
export class Lexer {
  readonly bytes: Uint8Array;
  /** Kind of the last token. */
  kind: TokenKind = "end";
  /** Start offset of the last token, and the offset after it. */
  start = 0;
  end = 0;

  constructor(bytes: Uint8Array, start = 0) {
    this.bytes = bytes;
    this.end = start;
  }

  /** Moves to the next token. Comments count as white space. */
  next(): TokenKind {
    const { bytes } = this;
    const size = bytes.length;
    let at = this.end;
    for (; at < size; at++) {
      const byte = bytes[at]!;
      if (byte === PERCENT) while (at + 1 < size && bytes[at + 1] !== RETURN && bytes[at + 1] !== NEWLINE) at++;
      else if (CLASSES[byte] !== WHITE) break;
    }
    this.start = at;
    if (at >= size) {
      this.end = size;
      this.kind = "end";
    } else {
      this.kind = this.#token(bytes[at]!);
    }
    return this.kind;
  }

  /** The last token as text, with one character per byte. */
  get text(): string {
    const { bytes, start, end } = this;
    if (end - start > 32) return latin1Of(bytes.subarray(start, end));
    let text = "";
    for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]!);
    return text;
  }

  /** The text of a name token. */
  get nameText(): string {
    const text = this.text.slice(1);
    if (!text.includes("#")) return text;
    return text.replace(/#([\da-fA-F]{2})/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  }

  /**
   * Returns the value that starts with the last token, and moves to the value's last token.
   * @param references true if `1 0 R` is a reference; false in content streams
   * @returns undefined for a keyword that is not a value
   */
  value(references = false, depth = 0): Value | undefined {
    switch (this.kind) {
      case "number":
        return (references ? this.#reference() : undefined) ?? numberOf(this.text);
      case "name":
        return Name.of(this.nameText);
      case "string":
        return new PdfString(literalBytes(this.bytes, this.start + 1, this.end - 1));
      case "hex":
        return new PdfString(hexBytes(this.text));
      case "[":
        return this.#array(references, depth);
      case "<<":
        return this.#dictionary(references, depth);
      default:
        return CONSTANTS.get(this.kind === "keyword" ? this.text : "");
    }
  }

  #token(first: number): TokenKind {
    const { bytes, start } = this;
    this.end = start + 1;
    switch (first) {
      case SLASH:
        this.end = this.#regularEnd(start + 1);
        return "name";
      case OPEN:
        this.end = this.#literalEnd(start + 1);
        return "string";
      case LEFT:
        return "[";
      case RIGHT:
        return "]";
      case LESS:
        if (bytes[start + 1] === LESS) {
          this.end = start + 2;
          return "<<";
        }
        while (this.end < bytes.length && bytes[this.end++] !== GREATER);
        return "hex";
      case GREATER:
        if (bytes[start + 1] !== GREATER) return "keyword";
        this.end = start + 2;
        return ">>";
    }
    if (CLASSES[first] === DELIMITER) return "keyword";
    this.end = this.#regularEnd(start + 1);
    for (let at = start; at < this.end; at++) if (NUMERIC[bytes[at]!] === 0) return "keyword";
    return "number";
  }

  #regularEnd(from: number): number {
    const { bytes } = this;
    let at = from;
    while (at < bytes.length && CLASSES[bytes[at]!] === 0) at++;
    return at;
  }

  #literalEnd(from: number): number {
    const { bytes } = this;
    for (let at = from, open = 1; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === BACKSLASH) at++;
      else if (byte === OPEN) open++;
      else if (byte === CLOSE && --open === 0) return at + 1;
    }
    return bytes.length;
  }

  #reference(): Reference | undefined {
    const { kind, start, end, text } = this;
    if (/^\d{1,10}$/.test(text) && this.next() === "number" && /^\d{1,5}$/.test(this.text)) {
      if (this.next() === "keyword" && this.text === "R") return new Reference(Number(text));
    }
    Object.assign(this, { kind, start, end });
    return undefined;
  }

  #array(references: boolean, depth: number): Value[] {
    const array: Value[] = [];
    while (this.next() !== "]" && this.kind !== "end") {
      const value = depth < MAX_DEPTH ? this.value(references, depth + 1) : undefined;
      if (value !== undefined) array.push(value);
    }
    return array;
  }

  #dictionary(references: boolean, depth: number): Dictionary {
    const dictionary = new Dictionary();
    while (this.next() !== ">>" && this.kind !== "end") {
      if (this.kind !== "name") continue;
      const key = this.nameText;
      if ((this.next() as TokenKind) === ">>") break;
      const value = depth < MAX_DEPTH ? this.value(references, depth + 1) : undefined;
      if (value !== undefined) dictionary.set(key, value);
    }
    return dictionary;
  }
}

const CONSTANTS = new Map<string, Value>([
  ["true", true],
  ["false", false],
  ["null", null],
]);

/**
 * Converts a number as other readers do: ignores repeated signs at its start, and everything from a later sign or
 * second point on.
 */
function numberOf(text: string): number {
  return Number.parseFloat(text.replace(/^([+-])[+-]+/, "$1")) || 0;
}

const ESCAPES = new Map([..."nrtbf"].map((letter, index) => [code(letter), [10, 13, 9, 8, 12][index]]));

/** Decodes a literal string (7.3.4.2). */
function literalBytes(bytes: Uint8Array, start: number, end: number): Uint8Array {
  // If the file ends after the opening parenthesis, the end precedes the start.
  const result = new Uint8Array(Math.max(0, end - start));
  let size = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!;
    if (byte !== BACKSLASH) {
      // Every end-of-line marker becomes a line feed.
      if (byte === RETURN && bytes[at + 1] === NEWLINE) at++;
      result[size++] = byte === RETURN ? NEWLINE : byte;
      continue;
    }
    const next = bytes[++at]!;
    if (next === RETURN || next === NEWLINE) {
      if (next === RETURN && bytes[at + 1] === NEWLINE) at++;
    } else if (next >= 0x30 && next <= 0x37) {
      let value = next - 0x30;
      for (let more = 0; more < 2 && at + 1 < end && bytes[at + 1]! >= 0x30 && bytes[at + 1]! <= 0x37; more++) {
        value = value * 8 + bytes[++at]! - 0x30;
      }
      result[size++] = value & 0xff;
    } else if (at < end) {
      result[size++] = ESCAPES.get(next) ?? next;
    }
  }
  return result.slice(0, size);
}

/** Decodes a hexadecimal string (7.3.4.3). */
function hexBytes(text: string): Uint8Array {
  const digits = text.replace(/[^\da-fA-F]/g, "");
  return new Uint8Array(Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, "hex"));
}
