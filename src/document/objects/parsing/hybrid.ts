// Makes hybrid-reference files (ISO 32000-1, 7.5.8.4) readable for MuPDF, for example those of Microsoft Word. Such a
// file lists some objects only in an additional cross-reference stream. Its cross-reference table, which is all that
// MuPDF reads, marks these objects as free. Appends one cross-reference stream that lists all objects.
import { inflateSync } from "node:zlib";
import { serialize } from "../serialize.ts";
import { Dictionary, Name, type Value } from "../values.ts";
import { Lexer } from "./lexer.ts";

/** An entry: its type and two numbers (table 18). */
type CrossReference = readonly [kind: number, first: number, second: number];

const FREE = 0;
/** Types of entries: an object at an offset, and an object in an object stream. */
export const IN_USE = 1;
export const PACKED = 2;
const MAX_SECTIONS = 1000;
const MAX_OBJECTS = 1_000_000;
/** Maximum length of a row: three numbers of eight bytes, more than any file needs. */
const MAX_ROW_BYTES = 24;
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
/** Number of bytes at the end of the file to search for `startxref`. */
const TAIL_BYTES = 1024;
const TRAILER_KEYS = ["Root", "Info", "ID", "Encrypt"];
/** Field widths of a written row: type, offset, generation. */
const WIDTHS = [1, 5, 2];

/**
 * @returns the original bytes if the file is not hybrid or hides no objects, or if its cross-references are unreadable:
 * MuPDF then repairs them
 */
export function resolveHybridReferences(bytes: Uint8Array): Uint8Array {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.includes("/XRefStm", 0, "latin1")) return bytes;
  try {
    const start = startOf(file);
    const { entries, trailer, hidden } = readSections(file, start);
    if (hidden === 0) return bytes;
    return new Uint8Array(Buffer.concat([file, Buffer.from("\n"), crossReferences(entries, trailer, file.length + 1)]));
  } catch (error) {
    if (error instanceof Unreadable) return bytes;
    throw error;
  }
}

/** Cross-references as typed arrays, indexed by object number. */
export interface CrossReferences {
  readonly kinds: Uint8Array;
  /** Byte offset in the file, or number of the object stream. */
  readonly places: Float64Array;
  /** Index within the object stream. */
  readonly indexes: Uint32Array;
}

/** @returns undefined if the file's cross-references cannot be read */
export function readCrossReferences(bytes: Uint8Array): CrossReferences | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  try {
    const { entries } = readSections(file, startOf(file));
    let size = 0;
    for (const number of entries.keys()) if (number >= size) size = number + 1;
    const kinds = new Uint8Array(size);
    const places = new Float64Array(size);
    const indexes = new Uint32Array(size);
    for (const [number, [kind, place, index]] of entries) {
      kinds[number] = kind > PACKED ? FREE : kind;
      places[number] = place;
      indexes[number] = index;
    }
    return { kinds, places, indexes };
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Unreadable extends Error {}

function startOf(file: Buffer): number {
  const at = file.lastIndexOf("startxref", undefined, "latin1");
  if (at < file.length - TAIL_BYTES || file.toString("latin1", 0, 5) !== "%PDF-") throw new Unreadable();
  const lexer = new Lexer(file, at + "startxref".length);
  lexer.next();
  return numberIn(lexer.value());
}

function readSections(file: Buffer, start: number) {
  const entries = new Map<number, CrossReference>();
  const seen = new Set<number>();
  let trailer: Dictionary | undefined;
  let hidden = 0;
  for (let at: number | undefined = start; at !== undefined; ) {
    if (seen.has(at) || seen.size >= MAX_SECTIONS || at < 0 || at >= file.length) throw new Unreadable();
    seen.add(at);
    const section: Section = readSection(file, at);
    trailer ??= section.trailer;
    const beside = section.trailer.get("XRefStm");
    const streamed = typeof beside === "number" ? readSection(file, beside).entries : undefined;
    for (const number of new Set([...section.entries.keys(), ...(streamed?.keys() ?? [])])) {
      if (entries.has(number)) continue;
      const listed = section.entries.get(number);
      const isListed = listed !== undefined && listed[0] !== FREE;
      const entry = isListed ? listed : (streamed?.get(number) ?? listed!);
      if (listed?.[0] === FREE && entry[0] !== FREE) hidden++;
      entries.set(number, entry);
      if (entries.size > MAX_OBJECTS || number > MAX_OBJECTS) throw new Unreadable();
    }
    const previous = section.trailer.get("Prev");
    at = typeof previous === "number" ? previous : undefined;
  }
  return { entries, trailer: trailer!, hidden };
}

interface Section {
  readonly entries: Map<number, CrossReference>;
  readonly trailer: Dictionary;
}

function readSection(file: Buffer, at: number): Section {
  const lexer = new Lexer(file, at);
  if (lexer.next() === "keyword" && lexer.text === "xref") return readTable(lexer);
  if (lexer.kind !== "number") throw new Unreadable();
  return readStream(lexer);
}

/** Reads a cross-reference table (7.5.4). */
function readTable(lexer: Lexer): Section {
  const entries = new Map<number, CrossReference>();
  while (lexer.next() === "number") {
    const first = numberIn(lexer.value());
    const count = nextNumber(lexer);
    if (count > MAX_OBJECTS) throw new Unreadable();
    for (let number = first; number < first + count; number++) {
      const offset = nextNumber(lexer);
      const generation = nextNumber(lexer);
      lexer.next();
      entries.set(number, [lexer.text === "n" ? IN_USE : FREE, offset, generation]);
    }
  }
  if (lexer.text !== "trailer") throw new Unreadable();
  lexer.next();
  const trailer = lexer.value(true);
  if (!(trailer instanceof Dictionary)) throw new Unreadable();
  return { entries, trailer };
}

/** Reads a cross-reference stream (7.5.8). */
function readStream(lexer: Lexer): Section {
  nextNumber(lexer);
  lexer.next();
  lexer.next();
  const trailer = lexer.value(true);
  if (!(trailer instanceof Dictionary) || lexer.next() !== "keyword" || lexer.text !== "stream") throw new Unreadable();
  const { bytes } = lexer;
  const from = lexer.end + (bytes[lexer.end] === 13 ? 2 : 1);
  const data = decode(bytes.subarray(from, from + numberIn(trailer.get("Length"))), trailer);
  const widths = numbersIn(trailer.get("W"));
  const rowBytes = widths.reduce((sum, width) => sum + width, 0);
  if (rowBytes < 1 || rowBytes > MAX_ROW_BYTES) throw new Unreadable();
  const size = numberIn(trailer.get("Size"));
  const index = trailer.has("Index") ? numbersIn(trailer.get("Index")) : [0, size];
  const entries = new Map<number, CrossReference>();
  let at = 0;
  for (let pair = 0; pair + 1 < index.length; pair += 2) {
    if (index[pair + 1]! > MAX_OBJECTS) throw new Unreadable();
    for (let number = index[pair]!; number < index[pair]! + index[pair + 1]!; number++) {
      const fields = widths.map((width) => {
        let value = 0;
        for (let byte = 0; byte < width; byte++) value = value * 256 + (data[at++] ?? 0);
        return value;
      });
      if (at > data.length || entries.size > MAX_OBJECTS) throw new Unreadable();
      entries.set(number, [widths[0] === 0 ? IN_USE : fields[0]!, fields[1] ?? 0, fields[2] ?? 0]);
    }
  }
  return { entries, trailer };
}

function decode(bytes: Uint8Array, dictionary: Dictionary): Uint8Array {
  const filter = dictionary.get("Filter");
  if (filter === undefined) return bytes;
  const [name] = Array.isArray(filter) ? filter : [filter];
  if (!(name instanceof Name) || name.text !== "FlateDecode") throw new Unreadable();
  const params = dictionary.get("DecodeParms");
  const [parameters] = Array.isArray(params) ? params : [params];
  let data: Uint8Array;
  try {
    data = inflateSync(bytes, { maxOutputLength: MAX_TABLE_BYTES });
  } catch {
    throw new Unreadable();
  }
  if (!(parameters instanceof Dictionary)) return data;
  const predictor = parameters.get("Predictor") ?? 1;
  return predictor === 1 ? data : withoutUp(data, numberIn(parameters.get("Columns") ?? 1));
}

/** Decodes the PNG filters None and Up, which cross-reference streams use. */
function withoutUp(data: Uint8Array, columns: number): Uint8Array {
  const rows = Math.floor(data.length / (columns + 1));
  const result = new Uint8Array(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = data[row * (columns + 1)];
    if (filter !== 0 && filter !== 2) throw new Unreadable();
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const above = filter === 2 && row > 0 ? result[at - columns]! : 0;
      result[at] = data[row * (columns + 1) + column + 1]! + above;
    }
  }
  return result;
}

function crossReferences(entries: ReadonlyMap<number, CrossReference>, trailer: Dictionary, start: number): Buffer {
  let number = 0;
  for (const known of entries.keys()) if (known >= number) number = known + 1;
  const rowBytes = WIDTHS.reduce((sum, width) => sum + width);
  const table = Buffer.alloc((number + 1) * rowBytes);
  const put = (at: number, [kind, first, second]: CrossReference) => {
    table.writeUInt8(kind & 0xff, at * rowBytes);
    table.writeUIntBE(first, at * rowBytes + 1, WIDTHS[1]!);
    table.writeUInt16BE(second & 0xffff, at * rowBytes + 1 + WIDTHS[1]!);
  };
  for (const [at, entry] of entries) put(at, entry);
  put(number, [IN_USE, start, 0]);
  const dictionary = Dictionary.of({ Type: Name.of("XRef"), Size: number + 1, W: WIDTHS, Length: table.length });
  for (const key of TRAILER_KEYS) dictionary.set(key, trailer.get(key) ?? null);
  const text = serialize(dictionary, (reference) => reference.number);
  return Buffer.concat([
    Buffer.from(`${number} 0 obj\n${text}stream\n`, "latin1"),
    table,
    Buffer.from(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`),
  ]);
}

function nextNumber(lexer: Lexer): number {
  lexer.next();
  return numberIn(lexer.value());
}

function numberIn(value: Value | undefined): number {
  if (typeof value !== "number" || !(value >= 0)) throw new Unreadable();
  return value;
}

function numbersIn(value: Value | undefined): number[] {
  if (!Array.isArray(value)) throw new Unreadable();
  return value.map(numberIn);
}
