// Appends changed objects to a file, whose bytes stay as they are (ISO 32000-1, 7.5.6). Signatures of the file therefore
// stay valid.
import { createHash } from "node:crypto";
import { deflateSync } from "node:zlib";
import type { PdfFile } from "./pdf-file.ts";
import { serialize } from "./serialize.ts";
import { Dictionary, Name, type PdfObject, PdfStream, PdfString, type Reference } from "./values.ts";
import { isWorthDeflating } from "./writer.ts";

/** The last section of a file, to which another one is appended. */
interface Section {
  /** Offset of its cross-reference table or stream. */
  readonly start: number;
  /** True for a table, false for a stream (7.5.8). */
  readonly isTable: boolean;
}

/** An object whose text the caller writes. */
export interface WrittenObject {
  readonly reference: Reference;
  readonly text: string;
}

/** The new section. */
export interface Appendix {
  readonly bytes: Buffer;
  /** Offset of the text of the written object within the new section. */
  readonly textAt: number;
}

const HEADER = "%PDF-";
/** Number of bytes at the end of a file in which `startxref` must be. */
const TAIL_BYTES = 2048;
const ID_BYTES = 16;
/** Widths of the fields of a cross-reference stream: type, offset, generation. Offsets have at most 5 bytes. */
const WIDTHS = [1, 5, 2];

/** @returns undefined if no section can be appended: the file does not begin or end as it should */
export function lastSection(bytes: Uint8Array): Section | undefined {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (!file.subarray(0, HEADER.length).equals(Buffer.from(HEADER))) return undefined;
  const tail = file.subarray(-TAIL_BYTES).toString("latin1");
  const start = Number(/startxref\s+(\d+)\s+%%EOF\s*$/.exec(tail)?.[1] ?? Number.NaN);
  const begin = file.subarray(start, start + 30).toString("latin1");
  if (/^xref\s/.test(begin)) return { start, isTable: true };
  return /^\d+\s+\d+\s+obj\b/.test(begin) ? { start, isTable: false } : undefined;
}

/** Reports whether the file has an object of a generation other than 0, which {@link Reference} does not keep. */
export function hasGenerations(bytes: Uint8Array): boolean {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let at = file.indexOf(" obj"); at >= 0; at = file.indexOf(" obj", at + 1)) {
    if (/\d\s+0*[1-9]\d{0,4}$/.test(file.subarray(Math.max(0, at - 20), at).toString("latin1"))) return true;
  }
  return false;
}

/**
 * Writes the objects of a file that were put or added.
 * @param original the bytes of the file
 * @param section of the file
 */
export function appendix(
  original: Uint8Array,
  file: PdfFile,
  { start, isTable }: Section,
  written: WrittenObject,
): Appendix {
  const section = new SectionWriter(original.length);
  for (const [number, object] of file.changes) {
    if (number === written.reference.number || object === null) continue;
    section.object(number, object);
  }
  const textAt = section.text(written.reference.number, written.text);
  const [first] = file.array(file.trailer.get("ID")) ?? [];
  const digest = new PdfString(section.digest().subarray(0, ID_BYTES));
  const trailer = Dictionary.of({
    ...{ Size: file.size, Root: file.trailer.get("Root"), Info: file.trailer.get("Info"), Prev: start },
    ID: [first instanceof PdfString ? first : digest, digest],
  });
  if (isTable) section.endWithTable(trailer);
  else section.endWithStream(trailer, file.reserve());
  return { bytes: Buffer.concat(section.chunks), textAt };
}

class SectionWriter {
  readonly chunks: Uint8Array[] = [];
  readonly #before: number;
  readonly #offsets = new Map<number, number>();
  #length = 0;

  /** @param before number of bytes before the section */
  constructor(before: number) {
    this.#before = before;
    this.#write("\n");
  }

  object(number: number, object: NonNullable<PdfObject>): void {
    if (!(object instanceof PdfStream)) {
      this.text(number, serialize(object, numberOf));
      return;
    }
    const raw = object.body.raw();
    const dictionary = object.dictionary.clone();
    const isDeflated = isWorthDeflating(dictionary, raw);
    const body = isDeflated ? deflateSync(raw) : raw;
    if (isDeflated) dictionary.set("Filter", Name.of("FlateDecode"));
    this.#begin(number, `${serialize(dictionary.set("Length", body.length), numberOf)}stream\n`);
    this.#write(body);
    this.#write("\nendstream\nendobj\n");
  }

  /** @returns the offset of the text within the section */
  text(number: number, text: string): number {
    const at = this.#begin(number, text);
    this.#write("\nendobj\n");
    return at;
  }

  #begin(number: number, text: string): number {
    this.#offsets.set(number, this.#before + this.#length);
    const start = `${number} 0 obj\n`;
    this.#write(start + text);
    return this.#length - text.length;
  }

  #write(piece: string | Uint8Array): void {
    const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
    this.chunks.push(bytes);
    this.#length += bytes.length;
  }

  digest(): Uint8Array {
    const hash = createHash("sha256");
    for (const chunk of this.chunks) hash.update(chunk);
    return hash.digest();
  }

  endWithTable(trailer: Dictionary): void {
    const start = this.#before + this.#length;
    const lines = runsOf([...this.#offsets.keys()]).flatMap((run) => [
      `${run[0]} ${run.length}\n`,
      ...run.map((number) => `${String(this.#offsets.get(number)).padStart(10, "0")} 00000 n \n`),
    ]);
    this.#write(`xref\n${lines.join("")}trailer\n${serialize(trailer, numberOf)}\n`);
    this.#write(`startxref\n${start}\n%%EOF\n`);
  }

  endWithStream(trailer: Dictionary, { number }: Reference): void {
    const start = this.#before + this.#length;
    this.#offsets.set(number, start);
    const runs = runsOf([...this.#offsets.keys()]);
    const rows = runs.flat().map((one) => {
      const row = Buffer.alloc(8);
      row[0] = 1;
      row.writeUIntBE(this.#offsets.get(one)!, 1, 5);
      return row;
    });
    trailer.set("Type", Name.of("XRef")).set("Size", number + 1);
    trailer.set("W", [...WIDTHS]).set(
      "Index",
      runs.flatMap((run) => [run[0]!, run.length]),
    );
    const body = Buffer.concat(rows);
    this.#begin(number, `${serialize(trailer.set("Length", body.length), numberOf)}stream\n`);
    this.#write(body);
    this.#write(`\nendstream\nendobj\nstartxref\n${start}\n%%EOF\n`);
  }
}

const numberOf = ({ number }: Reference): number => number;

/** Returns the numbers as runs of consecutive ones. */
function runsOf(numbers: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const number of numbers.toSorted((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last?.at(-1) === number - 1) last.push(number);
    else runs.push([number]);
  }
  return runs;
}
