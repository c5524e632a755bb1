// Reads objects of very large documents without the engine, which takes ten times as long and must be replaced when its
// heap has grown. Accepts only syntax that all readers interpret alike; the engine reads all other objects.

import { Dictionary, Name, PdfStream, PdfString, Reference, type Value } from "../values.ts";
import { type CrossReferences, IN_USE, PACKED, readCrossReferences } from "./hybrid.ts";
import { isBoundary, isWhite, Lexer } from "./lexer.ts";

/** Limits of an object. The engine reads objects that exceed them, and has its own limits. */
const WINDOW_BYTES = 64 * 1024;
const MAX_ELEMENTS = 5000;
const MAX_DEPTH = 50;
const MAX_NAME_BYTES = 100;
/** Maximum size of an object stream. The engine reads larger object streams. */
const MAX_PACKED_BYTES = 1024 * 1024;
/** Number of decoded object streams in the cache, and maximum number of times to decode a stream. */
const KEPT_STREAMS = 8;
const MAX_DECODINGS = 16;

/** Recently read names by hash. Most names repeat, and a hit avoids decoding their bytes. */
const RECENT_NAMES = 1024;
const recentNames: (Name | undefined)[] = new Array(RECENT_NAMES).fill(undefined);

const HEADER = /^\s*(\d{1,10})\s+\d{1,5}\s+obj$/;
const HEADER_BYTES = 24;
const MAX_DIGITS = 9;
const INTEGER = /^[+-]?\d{1,9}$/;
const FRACTION = /^[+-]?(?:\d{1,9}\.\d{0,9}|\.\d{1,9})$/;
const HEX = /^<[\da-fA-F\s]*>$/;
const [NUMBER_SIGN, DIGIT_0, DIGIT_9, LETTER_R, LETTER_J] = [0x23, 0x30, 0x39, 0x52, 0x6a];

/** A decoded object stream (ISO 32000-1, 7.5.7). */
interface Packed {
  readonly bytes: Uint8Array;
  readonly numbers: readonly number[];
  /** Offset of each object, and of the end of the bytes. */
  readonly starts: readonly number[];
}

/** Objects of a file that is neither encrypted nor repaired. */
export class UnencryptedObjects {
  readonly #bytes: Uint8Array;
  readonly #references: CrossReferences;
  /** Object streams by number, the oldest first; undefined for a stream that the engine must read. */
  readonly #packed = new Map<number, Packed | undefined>();
  readonly #decodings = new Map<number, number>();

  private constructor(bytes: Uint8Array, references: CrossReferences) {
    this.#bytes = bytes;
    this.#references = references;
  }

  /** @returns undefined if the file's cross-references cannot be read */
  static of(bytes: Uint8Array): UnencryptedObjects | undefined {
    const references = readCrossReferences(bytes);
    return references && new UnencryptedObjects(bytes, references);
  }

  /**
   * @param streamOf loads an object stream
   * @returns undefined for an object that the engine must read, such as any stream
   */
  load(number: number, streamOf: (number: number) => unknown): Value | undefined {
    const { kinds, places, indexes } = this.#references;
    const offset = places[number]!;
    if (kinds[number] === IN_USE) return this.#unpacked(number, offset);
    if (kinds[number] !== PACKED) return undefined;
    const packed = this.#objectStream(offset, streamOf);
    const index = indexes[number]!;
    if (packed?.numbers[index] !== number) return undefined;
    return only(packed.bytes.subarray(packed.starts[index], packed.starts[index + 1]), kinds.length);
  }

  #unpacked(number: number, offset: number): Value | undefined {
    const window = this.#bytes.subarray(offset, offset + WINDOW_BYTES);
    const header = window.subarray(0, HEADER_BYTES).indexOf(LETTER_J) + 1;
    if (HEADER.exec(textOf(window, header))?.[1] !== String(number)) return undefined;
    const lexer = new Lexer(window, header);
    lexer.next();
    const value = plainValue(lexer, this.#references.kinds.length, 0);
    if (value === undefined || lexer.next() !== "keyword" || lexer.text !== "endobj") return undefined;
    return value;
  }

  #objectStream(number: number, streamOf: (number: number) => unknown): Packed | undefined {
    const known = this.#packed.get(number);
    const decodings = this.#decodings.get(number) ?? 0;
    if (known || decodings >= MAX_DECODINGS) return known;
    this.#decodings.set(number, decodings + 1);
    const packed = unpack(streamOf(number));
    if (!packed) this.#decodings.set(number, MAX_DECODINGS);
    else this.#packed.set(number, packed);
    if (this.#packed.size > KEPT_STREAMS) this.#packed.delete(this.#packed.keys().next().value!);
    return packed;
  }
}

function unpack(stream: unknown): Packed | undefined {
  if (!(stream instanceof PdfStream)) return undefined;
  const [count, first] = [stream.dictionary.get("N"), stream.dictionary.get("First")];
  if (typeof count !== "number" || typeof first !== "number" || count > MAX_ELEMENTS) return undefined;
  let bytes: Uint8Array;
  try {
    bytes = stream.body.decoded(MAX_PACKED_BYTES);
  } catch {
    // The engine reads the object instead, and reports the error.
    return undefined;
  }
  const lexer = new Lexer(bytes.subarray(0, first));
  const numbers: number[] = [];
  const starts: number[] = [];
  for (let index = 0; index < count; index++) {
    for (const list of [numbers, starts]) {
      if (lexer.next() !== "number" || !INTEGER.test(lexer.text)) return undefined;
      list.push(Number(lexer.text) + (list === starts ? first : 0));
    }
    if (index > 0 && starts[index]! < starts[index - 1]!) return undefined;
  }
  starts.push(bytes.length);
  return { bytes, numbers, starts };
}

/** Returns the value in the bytes; undefined if anything follows it. */
function only(bytes: Uint8Array, size: number): Value | undefined {
  const lexer = new Lexer(bytes);
  lexer.next();
  const value = plainValue(lexer, size, 0);
  return value !== undefined && lexer.next() === "end" ? value : undefined;
}

/**
 * @param size upper bound of object numbers, exclusive
 * @returns undefined for syntax that readers interpret differently
 */
function plainValue(lexer: Lexer, size: number, depth: number): Value | undefined {
  switch (lexer.kind) {
    case "number":
      return plainNumber(lexer, size);
    case "name":
      return plainName(lexer);
    case "string": {
      const { text } = lexer;
      if (text.length < 2 || text.at(-1) !== ")" || text.includes("\r")) return undefined;
      return text.includes("\\") ? lexer.value() : PdfString.ofLatin1(text.slice(1, -1));
    }
    case "hex":
      return HEX.test(lexer.text) ? lexer.value() : undefined;
    case "[":
      return depth < MAX_DEPTH ? plainArray(lexer, size, depth) : undefined;
    case "<<":
      return depth < MAX_DEPTH ? plainDictionary(lexer, size, depth) : undefined;
    default:
      return lexer.kind === "keyword" ? lexer.value() : undefined;
  }
}

function plainNumber(lexer: Lexer, size: number): Value | undefined {
  const integer = unsigned(lexer.bytes, lexer.start, lexer.end);
  if (integer === undefined) return signedOrFraction(lexer.text);
  const end = referenceEnd(lexer.bytes, lexer.end);
  if (end === undefined) return integer;
  if (integer < 1 || integer >= size) return undefined;
  lexer.end = end;
  return new Reference(integer);
}

function signedOrFraction(text: string): number | undefined {
  // Adding 0 converts -0 to 0.
  if (INTEGER.test(text)) return Number(text) + 0;
  return FRACTION.test(text) ? Math.fround(Number(text)) : undefined;
}

/** @returns undefined for anything except one to nine digits */
function unsigned(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end <= start || end - start > MAX_DIGITS) return undefined;
  let value = 0;
  for (let at = start; at < end; at++) {
    if (!isDigit(bytes[at]!)) return undefined;
    value = value * 10 + bytes[at]! - DIGIT_0;
  }
  return value;
}

const isDigit = (byte: number) => byte >= DIGIT_0 && byte <= DIGIT_9;

/** @returns the offset after a generation and `R`; undefined if these do not follow */
function referenceEnd(bytes: Uint8Array, from: number): number | undefined {
  let at = from;
  while (isWhite(bytes[at]!)) at++;
  const generation = at;
  while (isDigit(bytes[at]!)) at++;
  if (at === generation) return undefined;
  const blank = at;
  while (isWhite(bytes[at]!)) at++;
  if (at === blank || bytes[at] !== LETTER_R) return undefined;
  return isBoundary(bytes[at + 1]) ? at + 1 : undefined;
}

function plainName(lexer: Lexer): Name | undefined {
  const { bytes, start, end } = lexer;
  if (end - start > MAX_NAME_BYTES) return undefined;
  let hash = 0;
  for (let at = start + 1; at < end; at++) {
    if (bytes[at] === NUMBER_SIGN) return undefined;
    hash = (Math.imul(hash, 31) + bytes[at]!) | 0;
  }
  const slot = hash & (RECENT_NAMES - 1);
  const recent = recentNames[slot];
  if (recent && isText(recent.text, bytes, start + 1, end)) return recent;
  const name = Name.of(lexer.text.slice(1));
  recentNames[slot] = name;
  return name;
}

function isText(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[start + index]) return false;
  return true;
}

function plainArray(lexer: Lexer, size: number, depth: number): Value[] | undefined {
  const array: Value[] = [];
  while (lexer.next() !== "]") {
    const value = plainValue(lexer, size, depth + 1);
    if (value === undefined || array.length >= MAX_ELEMENTS) return undefined;
    array.push(value);
  }
  return array.slice();
}

function plainDictionary(lexer: Lexer, size: number, depth: number): Dictionary | undefined {
  const dictionary = new Dictionary();
  while (lexer.next() !== ">>") {
    const key = lexer.kind === "name" ? plainName(lexer) : undefined;
    if (!key || dictionary.size >= MAX_ELEMENTS) return undefined;
    lexer.next();
    const value = plainValue(lexer, size, depth + 1);
    if (value === undefined) return undefined;
    dictionary.set(key.text, value);
  }
  return dictionary.clone();
}

function textOf(bytes: Uint8Array, end: number): string {
  let text = "";
  for (let at = 0; at < end; at++) text += String.fromCharCode(bytes[at]!);
  return text;
}
