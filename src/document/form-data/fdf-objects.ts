// Reads the objects of an FDF file (ISO 32000-1, 12.7.7.2). An FDF file has no cross-references that readers must obey,
// so all objects are found by their headers; later ones replace earlier ones.
import { EngineFailure } from "../contract/failure.ts";
import { inflate } from "../objects/parsing/inflate.ts";
import { Lexer } from "../objects/parsing/lexer.ts";
import type { ObjectSource } from "../objects/pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, Reference, type StreamBody } from "../objects/values.ts";

const MAX_OBJECTS = 100_000;
const MAX_NUMBER = 8_388_607;
const [RETURN, NEWLINE] = [13, 10];
const END_OF_STREAM = Buffer.from("endstream");

export class FdfObjects implements ObjectSource {
  readonly version = "1.2";
  readonly size: number;
  readonly #objects = new Map<number, PdfObject>();
  #trailer = new Dictionary();

  constructor(bytes: Uint8Array) {
    this.#read(new Lexer(bytes));
    this.size = Math.max(0, ...this.#objects.keys()) + 1;
  }

  trailer(): Dictionary {
    return this.#trailer.clone();
  }

  load(number: number): PdfObject {
    return this.#objects.get(number) ?? null;
  }

  async relieve(): Promise<void> {}

  close(): void {
    this.#objects.clear();
  }

  #read(lexer: Lexer): void {
    let number = 0;
    let before = 0;
    while (lexer.next() !== "end" && this.#objects.size < MAX_OBJECTS) {
      const { kind } = lexer;
      if (kind === "number") {
        [before, number] = [number, Number(lexer.text)];
      } else if (kind === "keyword" && lexer.text === "obj") {
        lexer.next();
        const value = lexer.value(true);
        if (value !== undefined && before > 0 && before <= MAX_NUMBER) {
          this.#objects.set(before, value instanceof Dictionary ? this.#streamOr(value, lexer) : value);
        }
      } else if (kind === "keyword" && lexer.text === "trailer") {
        lexer.next();
        const value = lexer.value(true);
        if (value instanceof Dictionary && value.get("Root") instanceof Reference) this.#trailer = value;
      }
    }
  }

  #streamOr(dictionary: Dictionary, lexer: Lexer): PdfObject {
    const { end } = lexer;
    if (lexer.next() !== "keyword" || lexer.text !== "stream") {
      lexer.end = end;
      return dictionary;
    }
    const { bytes } = lexer;
    let start = lexer.end;
    if (bytes[start] === RETURN) start++;
    if (bytes[start] === NEWLINE) start++;
    const length = dictionary.get("Length");
    const marked = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).indexOf(END_OF_STREAM, start);
    const stop = typeof length === "number" && start + length <= bytes.length ? start + length : marked;
    lexer.end = stop < 0 ? bytes.length : stop;
    return new PdfStream(dictionary, bodyOf(dictionary, bytes.subarray(start, lexer.end)));
  }
}

const bodyOf = (dictionary: Dictionary, bytes: Uint8Array): StreamBody => ({
  raw: () => bytes,
  decoded(limitBytes) {
    if (!dictionary.has("Filter")) return bytes;
    const decoded = inflate(dictionary, () => bytes, limitBytes);
    if (!decoded) throw new EngineFailure("damaged", "a stream with an unknown filter");
    return decoded;
  },
});
