// Objects as MuPDF reads them from a file, which it repairs and decrypts on the way. Knows no meaning of any object.
import { Mupdf, MupdfError, type Tank } from "../engines/mupdf.ts";
import { makeAppearances } from "../engines/mupdf-appearances.ts";
import { MupdfDocument } from "../engines/mupdf-document.ts";
import { type DecodedImage, decodeImage } from "../engines/mupdf-image.ts";
import type { MupdfExports, Pointer } from "../engines/mupdf-raw.ts";
import { EngineFailure } from "../operations/operation.ts";
import type { Budget } from "./budget.ts";
import { withHiddenObjects } from "./hybrid.ts";
import { inflate } from "./inflate.ts";
import type { ObjectSource } from "./pdf-file.ts";
import { PlainObjects } from "./plain-objects.ts";
import { StreamPlaces } from "./stream-places.ts";
import {
  Dictionary,
  latin1Of,
  Name,
  type PdfObject,
  PdfStream,
  PdfString,
  Reference,
  type StreamBody,
  type Value,
} from "./values.ts";

/** Containers inside of each other in one object; MuPDF's own parser goes about as far. */
const MAX_DEPTH = 500;
/** Below this a pointer is no address but one of the engine's constants. */
const FIRST_ADDRESS = 1024;
/** From here on a float of 32 bits does not hold every integer. */
const EXACT_INTEGERS = 2 ** 24;
/** Objects of a document, from which on what is certain is read without the engine. */
const MANY_OBJECTS = 10_000;
/** Elements of a container, from which on room for it is asked before it is made. */
const LARGE_CONTAINER = 10_000;
/** An engine's heap never shrinks, and keeps what was read: after growing by so much reading goes on in a fresh one. */
const GROWTH_BYTES = 16 * 1024 * 1024;
/** What is kept free of the heap's limit for a piece of work, and has to be free in a fresh engine. */
const SPARE_BYTES = 4 * 1024 * 1024;
/** An engine whose heap has not grown beyond this may read the next document. It starts with 22 MiB. */
const REUSED_BYTES = 28 * 1024 * 1024;
/** Opening takes as long as the file is long, so it is not done any number of times. */
const MAX_REOPENINGS = 100;
/** Units of fuel for each byte of a document, beside what any job has: it is read and decoded a few times at most. */
const FUEL_PER_BYTE = 200;

/** Keys and names that are constants of the engine. */
const constants = new Map<Pointer, string>();

export class MupdfSource implements ObjectSource {
  readonly version: string;
  readonly #document: MupdfDocument;
  readonly #budget: Budget;
  readonly #tank: Tank;
  /** Where nothing has to be decrypted. */
  readonly #places: StreamPlaces | undefined;
  /** Where there are many objects and the engine has changed none. */
  #plain: PlainObjects | undefined;
  #size: number;
  #reopenings = 0;
  #openedBytes: number;

  private constructor(document: MupdfDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
    this.#tank = document.engine.tank(document.bytes.length * FUEL_PER_BYTE);
    this.#openedBytes = this.heapBytes;
    this.#places = this.#trailer().has("Encrypt") ? undefined : new StreamPlaces(document.bytes);
    const version = this.#run((raw) => raw._wasm_pdf_version(document.pointer));
    this.version = `${Math.trunc(version / 10)}.${version % 10}`;
    this.#size = this.#run((raw) => raw._wasm_pdf_xref_len(document.pointer));
    const isPlain = this.#places !== undefined && !document.isFlattened && this.#size >= MANY_OBJECTS;
    if (isPlain) this.#plain = PlainObjects.of(document.bytes);
  }

  /**
   * @param heapLimitBytes the most bytes the engine's heap may grow to
   * @param engine one with that limit that {@link release} gave back; @default a fresh one
   * @throws EngineFailure `password-protected`, `not-a-pdf`, `damaged`, `too-large`, `too-complex` or `crashed`
   */
  static async open(bytes: Uint8Array, heapLimitBytes: number, budget: Budget, engine?: Mupdf): Promise<MupdfSource> {
    const options = { heapLimitBytes };
    engine ??= await Mupdf.create(options);
    return new MupdfSource(MupdfDocument.open(engine, withHiddenObjects(bytes), options), budget);
  }

  get size(): number {
    return this.#size;
  }

  get heapBytes(): number {
    return this.#document.engine.heapBytes;
  }

  /** Whether it says so in its trailer; an owner password does not keep anyone from reading it. */
  get isEncrypted(): boolean {
    return this.#document.isEncrypted;
  }

  /** Warnings and errors MuPDF reported: how many, and the first of them. */
  get reported(): { readonly count: number; readonly first: readonly string[] } {
    return { count: this.#document.messageCount, first: this.#document.messages };
  }

  /**
   * Gives annotations appearances, as far as MuPDF can. What it makes are objects from `size` on; reading must not be relieved
   * from then on, for they would be lost.
   * @param numbers of annotations, by the index of their page
   */
  makeAppearances(numbers: ReadonlyMap<number, ReadonlySet<number>>): void {
    this.#plain = undefined;
    makeAppearances(this.#document, numbers);
    this.#size = this.#run((raw) => raw._wasm_pdf_xref_len(this.#document.pointer));
  }

  /** @returns undefined for what MuPDF cannot decode */
  decodeImage(number: number): DecodedImage | undefined {
    const image = decodeImage(this.#document, number);
    // What the heap grew by is free again: no reason to go on in a fresh engine.
    this.#openedBytes = Math.max(this.#openedBytes, this.heapBytes);
    return image;
  }

  /** What MuPDF takes device CMYK for, and so what most have seen of it; a copy. */
  cmykProfile(): Uint8Array {
    return this.#document.engine.cmykProfile();
  }

  trailer(): Dictionary {
    const trailer = this.#trailer();
    return Dictionary.of({ Root: trailer.get("Root"), Info: trailer.get("Info"), ID: trailer.get("ID") });
  }

  #trailer(): Dictionary {
    const value = this.#run((raw) => this.#value(raw, raw._wasm_pdf_trailer(this.#document.pointer), 0));
    return value instanceof Dictionary ? value : new Dictionary();
  }

  load(number: number): PdfObject {
    return this.glance(number) ?? this.#engineObject(number);
  }

  glance(number: number): Value | undefined {
    // A file that the engine has repaired does not say any more where its objects are.
    if (this.#document.messageCount > 0) this.#plain = undefined;
    return this.#plain?.load(number, (stream) => this.#engineObject(stream));
  }

  #engineObject(number: number): PdfObject {
    if (number < 1 || number >= this.#size) return null;
    const { refusals } = this.#document.engine;
    try {
      const object = this.#run((raw) =>
        this.#withReference(raw, number, (reference) => {
          const value = this.#value(raw, raw._wasm_pdf_resolve_indirect(reference), 0);
          if (!(value instanceof Dictionary) || !raw._wasm_pdf_is_stream(reference)) return value;
          return this.#stream(number, value);
        }),
      );
      // What it cannot load MuPDF gives as nothing, without an error.
      if (object === null && this.#document.engine.refusals > refusals) throw this.#shortage();
      return object;
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      if (this.#document.engine.refusals > refusals) throw this.#shortage(error);
      this.#document.engine.complain(error.message);
      return null;
    }
  }

  /** Goes on in a fresh engine where the heap has grown. Nothing that was read is lost. */
  async relieve(): Promise<void> {
    const limitBytes = this.#document.options.heapLimitBytes - SPARE_BYTES;
    if (this.heapBytes <= Math.min(this.#openedBytes + GROWTH_BYTES, limitBytes)) return;
    const isOfUse = this.#openedBytes < limitBytes && this.#reopenings < MAX_REOPENINGS;
    if (!isOfUse) throw new EngineFailure("too-large", `the engine's heap has grown to ${this.heapBytes} bytes`);
    this.#reopenings++;
    if (this.#document.messageCount > 0) this.#plain = undefined;
    await this.#document.reopen();
    this.#openedBytes = this.heapBytes;
    this.#size = this.#run((raw) => raw._wasm_pdf_xref_len(this.#document.pointer));
  }

  close(): void {
    this.#document.close();
  }

  /**
   * Closes it. A fresh engine costs more than reading a small document.
   * @returns the engine for the next document of the job, where it is as good as new
   */
  release(): Mupdf | undefined {
    if (this.heapBytes <= REUSED_BYTES) return this.#document.release();
    this.close();
    return undefined;
  }

  #run<T>(work: (raw: MupdfExports) => T, tank = this.#tank): T {
    return this.#document.engine.run(work, tank);
  }

  #shortage(cause?: unknown): EngineFailure {
    return new EngineFailure("too-large", "the engine has no room for an object", { cause });
  }

  #withReference<T>(raw: MupdfExports, number: number, work: (reference: Pointer) => T): T {
    const reference = raw._wasm_pdf_new_indirect(this.#document.pointer, number);
    try {
      return work(reference);
    } finally {
      raw._wasm_pdf_drop_obj(reference);
    }
  }

  #stream(number: number, dictionary: Dictionary): PdfStream {
    const length = dictionary.get("Length") ?? null;
    dictionary.delete("Length");
    withoutCrypt(dictionary);
    const body: StreamBody = {
      raw: () => this.#place(number, dictionary, length) ?? this.#rawBytes(number),
      decoded: (limitBytes) =>
        inflate(dictionary, body.raw, limitBytes) ??
        this.#bytes(number, (raw, reference) => raw._wasm_pdf_load_stream(reference), limitBytes),
    };
    return new PdfStream(dictionary, body);
  }

  /** A large stream where it lies in the file. */
  #place(number: number, dictionary: Dictionary, length: Value): Uint8Array | undefined {
    if (!this.#places) return undefined;
    const size = length instanceof Reference ? this.load(length.number) : length;
    if (typeof size !== "number") return undefined;
    return this.#places.find(number, dictionary.clone().set("Length", length), size);
  }

  /** What cannot be read is empty: one bad stream is no reason to refuse a document. */
  #rawBytes(number: number): Uint8Array {
    try {
      // Many outputs may have the same font: reading its bytes again is no work that a document could make long.
      const tank = this.#document.engine.tank();
      return this.#bytes(number, (raw, reference) => raw._wasm_pdf_load_raw_stream(reference), Infinity, tank);
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.reason !== "damaged") throw error;
      this.#document.engine.complain(error.detail);
      return new Uint8Array(0);
    }
  }

  #bytes(
    number: number,
    load: (raw: MupdfExports, reference: Pointer) => Pointer,
    limitBytes: number,
    tank = this.#tank,
  ): Uint8Array {
    const { refusals } = this.#document.engine;
    try {
      return this.#run(
        (raw) =>
          this.#withReference(raw, number, (reference) => {
            const buffer = load(raw, reference);
            try {
              const size = raw._wasm_buffer_get_len(buffer);
              if (size > limitBytes) throw new EngineFailure("too-large", `a stream of ${size} bytes`);
              const start = raw._wasm_buffer_get_data(buffer);
              return raw.HEAPU8.slice(start, start + size);
            } finally {
              raw._wasm_drop_buffer(buffer);
            }
          }),
        tank,
      );
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      if (this.#document.engine.refusals > refusals) throw this.#shortage(error);
      throw new EngineFailure("damaged", error.message, { cause: error });
    }
  }

  #value(raw: MupdfExports, object: Pointer, depth: number): Value {
    if (object === 0) return null;
    if (depth > MAX_DEPTH) throw new EngineFailure("too-complex", `containers more than ${MAX_DEPTH} deep`);
    // First, because all other questions follow references.
    if (raw._wasm_pdf_is_indirect(object)) return new Reference(raw._wasm_pdf_to_num(object));
    if (raw._wasm_pdf_is_name(object)) return Name.of(nameText(raw, object));
    if (raw._wasm_pdf_is_number(object)) return number(raw, object);
    if (raw._wasm_pdf_is_dict(object)) return this.#dictionary(raw, object, depth);
    if (raw._wasm_pdf_is_array(object)) return this.#array(raw, object, depth);
    if (raw._wasm_pdf_is_string(object)) return string(raw, object);
    if (raw._wasm_pdf_is_bool(object)) return raw._wasm_pdf_to_bool(object) !== 0;
    return null;
  }

  #dictionary(raw: MupdfExports, object: Pointer, depth: number): Dictionary {
    const dictionary = new Dictionary();
    const size = raw._wasm_pdf_dict_len(object);
    this.#makeRoom(size);
    for (let index = 0; index < size; index++) {
      const value = this.#value(raw, raw._wasm_pdf_dict_get_val(object, index), depth + 1);
      dictionary.set(nameText(raw, raw._wasm_pdf_dict_get_key(object, index)), value);
    }
    return dictionary;
  }

  #array(raw: MupdfExports, object: Pointer, depth: number): Value[] {
    const size = raw._wasm_pdf_array_len(object);
    this.#makeRoom(size);
    const array: Value[] = [];
    for (let index = 0; index < size; index++) {
      array.push(this.#value(raw, raw._wasm_pdf_array_get(object, index), depth + 1));
    }
    return array;
  }

  /** Asks whether there would be room: what is read is charged by whoever keeps it. */
  #makeRoom(elements: number): void {
    if (elements < LARGE_CONTAINER) return;
    const bytes = elements * 8;
    this.#budget.charge(bytes);
    this.#budget.release(bytes);
  }
}

function nameText(raw: MupdfExports, name: Pointer): string {
  const known = constants.get(name);
  if (known !== undefined) return known;
  const start = raw._wasm_pdf_to_name(name);
  const heap = raw.HEAPU8;
  let end = start;
  while (heap[end] !== 0) end++;
  const text = latin1(heap, start, end);
  if (name < FIRST_ADDRESS) constants.set(name, text);
  return text;
}

function number(raw: MupdfExports, object: Pointer): number {
  const value = raw._wasm_pdf_to_real(object);
  if (Math.abs(value) < EXACT_INTEGERS || !raw._wasm_pdf_is_int(object)) return value;
  const text = raw._wasm_pdf_sprint_obj(object, 1, 1);
  const exact = Number(raw.UTF8ToString(text));
  raw._wasm_free(text);
  return exact;
}

function string(raw: MupdfExports, object: Pointer): PdfString {
  const size = raw._wasm_malloc(4);
  const start = raw._wasm_pdf_to_string(object, size);
  const length = raw.HEAPU32[size >> 2];
  raw._wasm_free(size);
  return new PdfString(raw.HEAPU8.subarray(start, start + length));
}

function latin1(heap: Uint8Array, start: number, end: number): string {
  if (end - start > 64) return latin1Of(heap.subarray(start, end));
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(heap[at]);
  return text;
}

/** What is read is not encrypted, so a filter that says how it was (ISO 32000-1, 7.4.10) must not stay. */
function withoutCrypt(dictionary: Dictionary): void {
  const filter = dictionary.get("Filter");
  if (filter instanceof Name && filter.text === "Crypt") {
    dictionary.delete("Filter");
    dictionary.delete("DecodeParms");
  } else if (Array.isArray(filter)) {
    const isOther = (_: Value, index: number) => {
      const name = filter[index];
      return !(name instanceof Name && name.text === "Crypt");
    };
    if (filter.every(isOther)) return;
    const parameters = dictionary.get("DecodeParms");
    dictionary.set("Filter", filter.filter(isOther));
    if (Array.isArray(parameters)) dictionary.set("DecodeParms", parameters.filter(isOther));
  }
}
