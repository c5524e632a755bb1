// Finds the bytes of large streams in a file. Reading a scan of 30 MB with the engine would copy it once more, and
// enlarge the engine's heap, which never shrinks. Streams with an ambiguous offset are not found.

import { serialize, sortEntries } from "../serialize.ts";
import { Dictionary } from "../values.ts";
import { isWhite, Lexer } from "./lexer.ts";

/** Minimum length of a stream. The engine reads smaller streams. */
const LARGE_BYTES = 2 * 1024 * 1024;
/** Maximum number of objects to remember. A scanned book has fewer. */
const MAX_OBJECTS = 50_000;
/** Maximum length of the object number, the generation and the white space before `obj`. */
const HEADER_BYTES = 24;

/** The offsets of streams in an unencrypted file. */
export class StreamOffsets {
  readonly #bytes: Uint8Array;
  /** The offset after `obj` of each version of an object, by object number. Collected on first use. */
  #objects: Map<number, number[]> | undefined;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /**
   * @param dictionary the stream dictionary as MuPDF reads it, with its Length
   * @param length the resolved length
   * @returns a view of the stream's bytes in the file; undefined if the stream is small or its offset is ambiguous
   */
  find(number: number, dictionary: Dictionary, length: number): Uint8Array | undefined {
    if (length < LARGE_BYTES || length >= this.#bytes.length) return undefined;
    this.#objects ??= this.#scan();
    const wanted = textOf(dictionary);
    const found = (this.#objects.get(number) ?? [])
      .map((start) => this.#streamAt(start, wanted, length))
      .filter((stream) => stream !== undefined);
    return found.length === 1 ? found[0] : undefined;
  }

  #streamAt(start: number, wanted: string, length: number): Uint8Array | undefined {
    const bytes = this.#bytes;
    const lexer = new Lexer(bytes, start);
    if (lexer.next() !== "<<") return undefined;
    const dictionary = lexer.value(true);
    if (!(dictionary instanceof Dictionary) || textOf(dictionary) !== wanted) return undefined;
    if (lexer.next() !== "keyword" || lexer.text !== "stream") return undefined;
    // CR LF or LF follows the keyword (ISO 32000-1, 7.3.8.1).
    let from = lexer.end;
    if (bytes[from] === 13 && bytes[from + 1] === 10) from += 2;
    else if (bytes[from] === 10) from++;
    else return undefined;
    const behind = new Lexer(bytes, from + length);
    const isEnd = behind.next() === "keyword" && behind.text === "endstream" && behind.start - from - length <= 2;
    return isEnd ? bytes.subarray(from, from + length) : undefined;
  }

  #scan(): Map<number, number[]> {
    const objects = new Map<number, number[]>();
    const file = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length);
    let count = 0;
    for (let at = file.indexOf("obj", 0, "latin1"); at >= 0; at = file.indexOf("obj", at + 3, "latin1")) {
      const isHeader = at > 0 && (isWhite(file[at - 1]!) || isDigit(file[at - 1]!));
      const header = isHeader ? HEADER.exec(file.toString("latin1", Math.max(0, at - HEADER_BYTES), at)) : null;
      if (!header) continue;
      if (++count > MAX_OBJECTS) return new Map();
      const number = Number(header[1]);
      const places = objects.get(number);
      if (places) places.push(at + 3);
      else objects.set(number, [at + 3]);
    }
    return objects;
  }
}

const HEADER = /(?:^|[^\d])(\d{1,10})\s+\d{1,5}\s*$/;
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;
const textOf = (dictionary: Dictionary) => serialize(sortEntries(dictionary), ({ number }) => number);
