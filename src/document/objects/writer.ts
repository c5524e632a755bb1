// Writes a PDF file with object streams and a cross-reference stream (ISO 32000-1, 7.5.7 and 7.5.8). All other streams
// are written in the order in which they are added or reached. Objects that are not reachable from the trailer are
// omitted. The same objects always produce the same bytes.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { Chunks } from "../contract/operation.ts";
import type { PdfFile, StreamSink } from "./pdf-file.ts";
import { type NumberOf, serialize } from "./serialize.ts";
import {
  Dictionary,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  Reference,
  type StreamBody,
  type Value,
} from "./values.ts";

/** The first version with object streams. */
const OLDEST = "1.5";
/** The first version that can have AES-256 as an extension (ISO 32000-2, table 20). */
const OLDEST_ENCRYPTED = "1.7";
/** Number of objects per object stream. Larger object streams compress better but make lookups slower. */
const PACKED_OBJECTS = 200;
/** Number of characters after which a new object stream starts. */
const PACKED_CHARACTERS = 256 * 1024;
/** An unfiltered stream of at least this size is deflated, if it becomes smaller than this fraction of its size. */
const DEFLATED_FROM_BYTES = 64;
const WORTHWHILE = 0.9;
/** Types of rows in a cross-reference stream (table 18). */
const FREE = 0;
const PLAIN = 1;
const PACKED = 2;
/** The generation of object 0 (7.5.4). */
const LAST_GENERATION = 65535;
/** The row of a missing object: the table needs a row for every number. */
const UNUSED: Row = [FREE, 0, LAST_GENERATION];
/** Predictor "PNG Up" (ISO 32000-1, table 10). */
const PNG_UP = 12;
const ID_BYTES = 16;
/** Approximate size of output chunks. */
const CHUNK_BYTES = 64 * 1024;
const STREAM_END = "\nendstream\nendobj\n";

/** `kept`: object numbers stay. `new`: numbers are assigned in the order in which objects are reached. */
export type Numbering = "kept" | "new";

/** Replaces objects of a file while they are written. */
export interface Rewriting {
  /** Returns a reference to the object that represents all objects equal to this one. */
  canonical(reference: Reference): Reference;
  /**
   * Returns the replacement of an object. Called once per object, immediately before it is written, so that
   * replacements need not be held in memory.
   */
  rewrite(object: PdfObject, reference: Reference): PdfObject;
}

/** Encrypts a file while it is written. */
export interface Encryption {
  /** The encryption dictionary (ISO 32000-2, 7.6.2). */
  readonly dictionary: Dictionary;
  /** Returns the encrypted bytes of a string or stream. */
  seal(bytes: Uint8Array): Uint8Array;
}

export interface WriterOptions {
  /**
   * zlib level for objects and unfiltered streams; 0 leaves streams unchanged.
   * @default zlib's default
   */
  readonly deflateLevel?: number;
  /**
   * Writes a cross-reference table (7.5.4) and no object streams, as required before version 1.5.
   * @default false
   */
  readonly classic?: boolean;
  /** True to leave unfiltered streams unchanged. @default false */
  readonly keepsStreams?: boolean;
  /** Not with `classic`, because only object streams hide the strings of other objects. @default no encryption */
  readonly encryption?: Encryption;
}

type Row = readonly [kind: number, place: number, index: number];

/** Produces the bytes of a file step by step. */
export class FileWriter implements StreamSink {
  readonly #numbering: Numbering;
  readonly #options: WriterOptions;
  #rewriting: Rewriting | undefined;
  /** Object numbers in the written file, by object number in the source. */
  readonly #numbers = new Map<number, number>();
  /** References to objects that have not been written yet. */
  readonly #waiting: Reference[] = [];
  readonly #rows: (Row | undefined)[] = [[FREE, 0, LAST_GENERATION]];
  readonly #digest = createHash("sha256");
  #packed: { readonly number: number; readonly text: string }[] = [];
  #packedLength = 0;
  #chunks: Uint8Array[] = [];
  #pendingBytes = 0;
  #offset = 0;
  #next = 1;

  /** @param version PDF version, for example `1.4`; raised to 1.5 unless the file is `classic`, to 1.7 by encryption */
  constructor(version: string, numbering: Numbering, options: WriterOptions = {}) {
    this.#numbering = numbering;
    this.#options = options;
    // Four bytes above 127 mark the file as binary (7.5.2).
    const oldest = options.encryption ? OLDEST_ENCRYPTED : OLDEST;
    this.#text(`%PDF-${version > oldest || options.classic ? version : oldest}\n%\xe2\xe3\xcf\xd3\n`);
  }

  /** Number of bytes that {@link take} will return. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** @returns the bytes produced since the previous call */
  *take(): Generator<Uint8Array> {
    const chunks = this.#chunks;
    this.#chunks = [];
    this.#pendingBytes = 0;
    let small: Uint8Array[] = [];
    let bytes = 0;
    for (const chunk of chunks) {
      if (bytes > 0 && bytes + chunk.length > CHUNK_BYTES) {
        yield concatChunks(small);
        small = [];
        bytes = 0;
      }
      small.push(chunk);
      bytes += chunk.length;
    }
    if (bytes > 0) yield concatChunks(small);
  }

  /** Writes a stream immediately. Requires the numbering `kept`. */
  writeStream(number: number, dictionary: Dictionary, body: StreamBody): void {
    this.#stream(number, dictionary, body);
  }

  /**
   * Writes a stream while its data are produced. Requires the numbering `kept`, and no encryption.
   * @param file reserves the number for the length of the stream, which follows the stream
   * @returns the bytes, in chunks as they are produced
   */
  async *writeChunks(
    file: PdfFile,
    { number }: Reference,
    dictionary: Dictionary,
    data: Chunks,
  ): AsyncGenerator<Uint8Array> {
    const length = file.reserve();
    this.#begin(number, dictionary.clone().set("Length", length));
    const start = this.#offset;
    for await (const chunk of data) {
      this.#bytes(chunk.slice());
      yield* this.take();
    }
    const bytes = this.#offset - start;
    this.#text(STREAM_END);
    this.#whole(length.number, bytes);
  }

  /**
   * Writes all remaining objects reachable from the trailer, and the end of the file.
   * @returns the bytes, in chunks as they are produced
   */
  async *finish(file: PdfFile, rewriting?: Rewriting): AsyncGenerator<Uint8Array> {
    this.#rewriting = rewriting;
    const { encryption } = this.#options;
    const encrypt = encryption ? file.reserve() : undefined;
    if (this.#numbering === "kept") this.#next = file.size;
    const trailer = Dictionary.of({ Root: indirect(file, "Root"), Info: file.trailer.get("Info") });
    // Serializing queues the objects that the trailer refers to. Writing an object queues the objects that it refers
    // to.
    serialize(trailer, this.#numberOf);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) {
      const number = this.#numberOf(next);
      if (!this.#rows[number]) {
        const object = file.get(next);
        this.#object(number, rewriting ? rewriting.rewrite(object, next) : object);
      }
      if (this.#pendingBytes < CHUNK_BYTES) continue;
      yield* this.take();
      await file.relieve();
    }
    this.#pack();
    if (encryption && encrypt) {
      trailer.set("Encrypt", encrypt);
      this.#whole(this.#numberOf(encrypt), encryption.dictionary);
    }
    this.#end(trailer, file.array(file.trailer.get("ID")));
    yield* this.take();
  }

  readonly #numberOf: NumberOf = (referred) => {
    const reference = this.#rewriting?.canonical(referred) ?? referred;
    const known = this.#numbers.get(reference.number);
    if (known !== undefined) return known;
    const number = this.#numbering === "kept" ? reference.number : this.#next++;
    this.#numbers.set(reference.number, number);
    this.#waiting.push(reference);
    return number;
  };

  #object(number: number, object: PdfObject): void {
    if (object instanceof PdfStream) {
      this.#stream(number, object.dictionary, object.body);
    } else if (object !== null && this.#options.classic) {
      this.#whole(number, object);
    } else if (object !== null) {
      const text = `${serialize(object, this.#numberOf)}\n`;
      this.#packed.push({ number, text });
      this.#packedLength += text.length;
      // The row is filled in when the object stream is written.
      this.#rows[number] = [PACKED, 0, 0];
      if (this.#packed.length >= PACKED_OBJECTS || this.#packedLength >= PACKED_CHARACTERS) this.#pack();
    }
  }

  /** Writes an object that is not in an object stream. Its strings are not encrypted. */
  #whole(number: number, object: Value): void {
    this.#rows[number] = [PLAIN, this.#offset, 0];
    this.#text(`${number} 0 obj\n${serialize(object, this.#numberOf)}\nendobj\n`);
  }

  #stream(number: number, dictionary: Dictionary, body: StreamBody): void {
    let bytes = body.raw();
    const written = dictionary.clone();
    const { deflateLevel, keepsStreams = deflateLevel === 0 } = this.#options;
    if (!keepsStreams && isWorthDeflating(dictionary, bytes)) {
      const deflated = this.#deflate(bytes);
      if (deflated.length < bytes.length * WORTHWHILE) {
        bytes = deflated;
        written.set("Filter", Name.of("FlateDecode"));
      }
    }
    this.#sealed(number, written, bytes);
  }

  #sealed(number: number, dictionary: Dictionary, bytes: Uint8Array): void {
    const { encryption } = this.#options;
    if (encryption) this.#plain(number, dictionary.map(withSealedStrings(encryption)), encryption.seal(bytes));
    else this.#plain(number, dictionary, bytes);
  }

  #plain(number: number, dictionary: Dictionary, bytes: Uint8Array): void {
    this.#begin(number, dictionary.set("Length", bytes.length));
    this.#bytes(bytes);
    this.#text(STREAM_END);
  }

  #begin(number: number, dictionary: Dictionary): void {
    this.#rows[number] = [PLAIN, this.#offset, 0];
    this.#text(`${number} 0 obj\n${serialize(dictionary, this.#numberOf)}stream\n`);
  }

  /** Writes the collected objects as an object stream (7.5.7). */
  #pack(): void {
    if (this.#packed.length === 0) return;
    const container = this.#next++;
    let places = "";
    let offset = 0;
    this.#packed.forEach(({ number, text }, index) => {
      this.#rows[number] = [PACKED, container, index];
      places += `${number} ${offset} `;
      offset += text.length;
    });
    const text = places + this.#packed.map((object) => object.text).join("");
    const dictionary = Dictionary.of({
      Type: Name.of("ObjStm"),
      N: this.#packed.length,
      First: places.length,
      Filter: Name.of("FlateDecode"),
    });
    this.#sealed(container, dictionary, this.#deflate(Buffer.from(text, "latin1")));
    this.#packed = [];
    this.#packedLength = 0;
  }

  #deflate(bytes: Uint8Array): Uint8Array {
    const { deflateLevel: level } = this.#options;
    const chunkSize = Math.min(CHUNK_BYTES, bytes.length + DEFLATED_FROM_BYTES);
    return deflateSync(bytes, { chunkSize, ...(level === undefined ? {} : { level, memLevel: 9 }) });
  }

  #end(trailer: Dictionary, sourceId: readonly Value[] | undefined): void {
    const digest = new PdfString(new Uint8Array(this.#digest.copy().digest().subarray(0, ID_BYTES)));
    const first = sourceId?.[0];
    const identified = trailer.clone().set("ID", [first instanceof PdfString ? first : digest, digest]);
    if (this.#options.classic) this.#classicTable(identified);
    else this.#tableStream(identified);
  }

  /** Writes the cross-reference table and the trailer (7.5.4 and 7.5.5). */
  #classicTable(trailer: Dictionary): void {
    const start = this.#offset;
    const size = this.#rows.length;
    let table = `xref\n0 ${size}\n`;
    for (let number = 0; number < size; number++) {
      const [kind, place, index] = this.#rows[number] ?? UNUSED;
      const generation = String(kind === FREE ? LAST_GENERATION : index).padStart(5, "0");
      table += `${String(place).padStart(10, "0")} ${generation} ${kind === FREE ? "f" : "n"} \n`;
    }
    this.#text(`${table}trailer\n${serialize(trailer.set("Size", size), this.#numberOf)}\n`);
    this.#text(`startxref\n${start}\n%%EOF\n`);
  }

  /** Writes the cross-reference stream (7.5.8), whose dictionary is also the trailer. */
  #tableStream(trailer: Dictionary): void {
    const number = this.#next++;
    const start = this.#offset;
    this.#rows[number] = [PLAIN, start, 0];
    const size = this.#rows.length;
    const width = Math.max(2, Math.ceil(Math.log2(Math.max(start, size) + 1) / 8));
    const table = trailer
      .set("Type", Name.of("XRef"))
      .set("Size", size)
      .set("W", [1, width, 2])
      .set("Filter", Name.of("FlateDecode"))
      .set("DecodeParms", Dictionary.of({ Columns: width + 3, Predictor: PNG_UP }));
    this.#plain(number, table, this.#deflate(tableBytes(this.#rows, width)));
    this.#text(`startxref\n${start}\n%%EOF\n`);
  }

  #text(text: string): void {
    this.#bytes(Buffer.from(text, "latin1"));
  }

  #bytes(bytes: Uint8Array): void {
    this.#digest.update(bytes);
    this.#chunks.push(bytes);
    this.#offset += bytes.length;
    this.#pendingBytes += bytes.length;
  }
}

/** Returns a function that encrypts all strings of a value, for the dictionary of a stream. */
function withSealedStrings(encryption: Encryption): (value: Value) => Value {
  const sealed = (value: Value): Value => {
    if (value instanceof PdfString) return new PdfString(encryption.seal(value.bytes));
    if (value instanceof Dictionary) return value.map(sealed);
    return Array.isArray(value) ? value.map(sealed) : value;
  };
  return sealed;
}

/**
 * Writes a whole file, including its changes.
 * @returns chunks that the caller owns
 */
export async function* writeFile(
  file: PdfFile,
  rewriting?: Rewriting,
  options?: WriterOptions,
): AsyncGenerator<Uint8Array> {
  yield* new FileWriter(file.version, "new", options).finish(file, rewriting);
}

/** Returns a trailer entry as a reference: the catalog must be an indirect object (table 15). */
function indirect(file: PdfFile, key: string): Value {
  const value = file.trailer.get(key) ?? null;
  return value instanceof Reference || value === null ? value : file.add(value);
}

/** Reports whether a stream should be deflated. Metadata stays readable for programs without a PDF parser (14.3.2). */
export function isWorthDeflating(dictionary: Dictionary, bytes: Uint8Array): boolean {
  if (bytes.length < DEFLATED_FROM_BYTES || dictionary.has("Filter") || dictionary.has("F")) return false;
  const type = dictionary.get("Type");
  return !(type instanceof Name && type.text === "Metadata");
}

/**
 * Returns the table with PNG's filter Up (each row minus the row above), which reduces its deflated size to a quarter.
 */
function tableBytes(rows: readonly (Row | undefined)[], width: number): Uint8Array {
  const length = width + 3;
  const table = new Uint8Array(rows.length * (length + 1));
  let above = new Uint8Array(length);
  for (let number = 0, at = 0; number < rows.length; number++) {
    const [kind, place, index] = rows[number] ?? UNUSED;
    const row = new Uint8Array(length);
    row[0] = kind;
    for (let column = width, rest = place; column > 0; column--, rest = Math.floor(rest / 256))
      row[column] = rest % 256;
    row[width + 1] = index >> 8;
    row[width + 2] = index & 0xff;
    table[at++] = 2;
    for (let column = 0; column < length; column++) table[at++] = row[column]! - above[column]!;
    above = row;
  }
  return table;
}

function concatChunks(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
