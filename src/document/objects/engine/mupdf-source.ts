// Reads objects from a file with MuPDF, which repairs and decrypts the file.

import { EngineFailure } from "../../contract/failure.ts";
import { makeAppearances } from "../../engines/mupdf/appearances.ts";
import { type Access, type DocumentOptions, MupdfDocument } from "../../engines/mupdf/document.ts";
import { type DecodedImage, decodeImage } from "../../engines/mupdf/image.ts";
import { type FuelBudget, Mupdf, MupdfError } from "../../engines/mupdf/instance/mupdf.ts";
import type { MupdfExports, Pointer } from "../../engines/mupdf/instance/raw.ts";
import { type OtherFilters, withFilters } from "../../engines/mupdf/stream-filters.ts";
import type { Budget } from "../budget.ts";
import {
  type CryptFilters,
  cryptFiltersOf,
  type Decryption,
  decryptionOf,
  filterNameOf,
  IDENTITY,
  isMetadata,
  namesCryptFilter,
  withoutApplied,
} from "../parsing/crypt-filters.ts";
import { resolveHybridReferences } from "../parsing/hybrid.ts";
import { inflate } from "../parsing/inflate.ts";
import { StreamOffsets } from "../parsing/stream-offsets.ts";
import { UnencryptedObjects } from "../parsing/unencrypted-objects.ts";
import type { ObjectSource } from "../pdf-file.ts";
import { Dictionary, type PdfObject, PdfStream, Reference, type StreamBody, type Value } from "../values.ts";
import { EngineColors } from "./engine-colors.ts";
import { valueIn } from "./mupdf-values.ts";
import { withStream } from "./temporary-stream.ts";

/** Number of objects from which an unencrypted document is read without the engine. */
const MANY_OBJECTS = 10_000;
/** Number of elements above which memory is checked before a container is created. */
const LARGE_CONTAINER = 10_000;
/** Heap growth before a new engine replaces the old one: MuPDF keeps all objects, and a heap never shrinks. */
const GROWTH_BYTES = 16 * 1024 * 1024;
/** Minimum free heap that an engine needs for the next reads. */
const SPARE_BYTES = 4 * 1024 * 1024;
/** Maximum heap of an engine that is reused for the next document. A new engine has 22 MiB. */
const REUSED_BYTES = 28 * 1024 * 1024;
/** Maximum number of times to open the document in a new engine: each takes time proportional to the file size. */
const MAX_REOPENINGS = 100;
/** Fuel per byte of the document, besides the job's base fuel: each byte is read and decoded a few times. */
const FUEL_PER_BYTE = 200;

type Opening = { readonly engine?: Mupdf | undefined } & Pick<DocumentOptions, "passwords" | "withoutKey">;

export class MupdfSource implements ObjectSource {
  readonly version: string;
  /** Converts colors and decodes samples, as MuPDF does to draw them. */
  readonly colors: EngineColors;
  readonly #document: MupdfDocument;
  readonly #budget: Budget;
  readonly #tank: FuelBudget;
  /** Offsets of streams; undefined if the document must be decrypted. */
  readonly #places: StreamOffsets | undefined;
  readonly #cryptFilters: CryptFilters | undefined;
  readonly #otherFilters = new Set<string>();
  /** Reads objects without the engine; undefined if the document is small, encrypted, repaired or changed. */
  #plain: UnencryptedObjects | undefined;
  #size: number;
  #reopenings = 0;
  #openedBytes: number;

  private constructor(document: MupdfDocument, budget: Budget) {
    this.#document = document;
    this.#budget = budget;
    this.#tank = document.engine.tank(document.bytes.length * FUEL_PER_BYTE);
    this.#openedBytes = this.heapBytes;
    this.colors = new EngineColors(document, () => this.#keepsHeap());
    this.#places = this.#trailer().has("Encrypt") ? undefined : new StreamOffsets(document.bytes);
    const version = this.#run((raw) => raw._wasm_pdf_version(document.pointer));
    this.version = `${Math.trunc(version / 10)}.${version % 10}`;
    this.#size = this.#run((raw) => raw._wasm_pdf_xref_len(document.pointer));
    this.#cryptFilters = this.#places ? undefined : this.#readCryptFilters();
    const isPlain = this.#places !== undefined && !document.isRewritten && this.#size >= MANY_OBJECTS;
    if (isPlain) this.#plain = UnencryptedObjects.of(document.bytes);
  }

  /**
   * @param heapLimitBytes maximum heap of the engine
   * @param engine an engine with the same heap limit, from {@link release}; @default a new engine
   * @throws EngineFailure `password-protected`, `not-a-pdf`, `damaged`, `too-large`, `too-complex` or `crashed`
   */
  static async open(
    bytes: Uint8Array,
    heapLimitBytes: number,
    budget: Budget,
    { engine, passwords, withoutKey }: Opening = {},
  ): Promise<MupdfSource> {
    const options = { heapLimitBytes, passwords, withoutKey };
    engine ??= await Mupdf.create(options);
    return new MupdfSource(MupdfDocument.open(engine, resolveHybridReferences(bytes), options), budget);
  }

  /** Reads from an already open document, which its owner closes. {@link relieve} must not be called. */
  static over(document: MupdfDocument, budget: Budget): MupdfSource {
    const source = new MupdfSource(document, budget);
    source.#plain = undefined;
    return source;
  }

  /** Opens another document in the same engine. {@link leave} closes it. */
  beside(bytes: Uint8Array): MupdfSource {
    const { engine, options } = this.#document;
    return MupdfSource.over(MupdfDocument.open(engine, bytes, options), this.#budget);
  }

  /** Closes the document but not the engine. */
  leave(): void {
    this.#document.leave();
  }

  get size(): number {
    return this.#size;
  }

  get heapBytes(): number {
    return this.#document.engine.heapBytes;
  }

  /** True if the trailer declares encryption. A document that has only an owner password is still readable. */
  get isEncrypted(): boolean {
    return this.#document.isEncrypted;
  }

  /** The rights that the passwords confer; all rights without encryption. */
  get access(): Access {
    return this.#document.access;
  }

  /** True if only embedded files are encrypted, with an unknown password. They are read as missing objects. */
  get isLocked(): boolean {
    return this.#document.isLocked;
  }

  /**
   * Returns the names of the crypt filters of streams that are encrypted differently from the document, except
   * metadata; an empty name if a stream names no filter. Reads all objects if there might be such streams.
   */
  otherCryptFilters(): ReadonlySet<string> {
    const filters = this.#cryptFilters;
    if (filters && (filters.embedded !== undefined || namesCryptFilter(this.#document.bytes))) {
      for (let number = 1; number < this.#size; number++) this.load(number);
    }
    return this.#otherFilters;
  }

  /** True if MuPDF has replaced the file's invalid page tree. The objects of this source form the new page tree. */
  get hasNewPageTree(): boolean {
    return this.#document.isRewritten;
  }

  /** True if the offsets of the file are wrong, so that MuPDF has searched it for objects. */
  readonly wasRepaired = () => this.#run((raw) => raw._wasm_pdf_was_repaired(this.#document.pointer)) !== 0;

  /** Number of warnings and errors that MuPDF reported. */
  get reported(): number {
    return this.#document.messageCount;
  }

  /**
   * Creates appearances for annotations that MuPDF can draw. New objects have numbers from `size` on. Afterwards,
   * {@link relieve} must not be called, because it would lose the new objects.
   * @param numbers object numbers of annotations, by page index
   */
  makeAppearances(numbers: ReadonlyMap<number, ReadonlySet<number>>): void {
    this.#plain = undefined;
    makeAppearances(this.#document, numbers);
    this.#size = this.#run((raw) => raw._wasm_pdf_xref_len(this.#document.pointer));
  }

  /** @returns undefined for images that MuPDF cannot decode */
  decodeImage(number: number): DecodedImage | undefined {
    const image = decodeImage(this.#document, number);
    this.#keepsHeap();
    return image;
  }

  /** After the engine has freed its memory within the heap, whose growth then does not require a new engine. */
  #keepsHeap(): void {
    this.#openedBytes = Math.max(this.#openedBytes, this.heapBytes);
  }

  /** Decodes bytes with the filters in a dictionary. @throws EngineFailure like {@link StreamBody.decoded} */
  decodeBytes(dictionary: Dictionary, bytes: Uint8Array, limitBytes: number): Uint8Array {
    return withStream(this.#document, dictionary, bytes, (number) => this.#bytes(number, this.#loading(), limitBytes));
  }

  /** Returns a copy of MuPDF's profile for device CMYK, which preserves the colors that MuPDF renders. */
  cmykProfile(): Uint8Array {
    return this.#document.engine.cmykProfile();
  }

  trailer(): Dictionary {
    const trailer = this.#trailer();
    return Dictionary.of({ Root: trailer.get("Root"), Info: trailer.get("Info"), ID: trailer.get("ID") });
  }

  #trailer(): Dictionary {
    const value = this.#run((raw) => this.#value(raw, raw._wasm_pdf_trailer(this.#document.pointer)));
    return value instanceof Dictionary ? value : new Dictionary();
  }

  /** Returns the encryption dictionary (ISO 32000-1, table 20); undefined without encryption. */
  encryption(): Dictionary | undefined {
    const encrypt = this.#trailer().get("Encrypt");
    const dictionary = encrypt instanceof Reference ? this.load(encrypt.number) : encrypt;
    return dictionary instanceof Dictionary ? dictionary : undefined;
  }

  #readCryptFilters(): CryptFilters | undefined {
    const dictionary = this.encryption();
    return dictionary && cryptFiltersOf(dictionary, this.#size, (number) => this.load(number));
  }

  load(number: number): PdfObject {
    return this.glance(number) ?? this.#engineObject(number);
  }

  glance(number: number): Value | undefined {
    // A message can mean that MuPDF has repaired the file. The offsets in the file are then wrong.
    if (this.#document.messageCount > 0) this.#plain = undefined;
    return this.#plain?.load(number, (stream) => this.#engineObject(stream));
  }

  #engineObject(number: number): PdfObject {
    if (number < 1 || number >= this.#size) return null;
    const { refusals } = this.#document.engine;
    try {
      const object = this.#run((raw) =>
        this.#withReference(raw, number, (reference) => {
          const value = this.#value(raw, raw._wasm_pdf_resolve_indirect(reference));
          if (!(value instanceof Dictionary) || !raw._wasm_pdf_is_stream(reference)) return value;
          return this.#stream(number, value);
        }),
      );
      // If memory for an object is refused, MuPDF returns null without an error.
      if (object === null && this.#document.engine.refusals > refusals) throw this.#shortage();
      return object;
    } catch (error) {
      if (!(error instanceof MupdfError)) throw error;
      if (this.#document.engine.refusals > refusals) throw this.#shortage(error);
      this.#document.engine.complain();
      return null;
    }
  }

  /** Switches to a new engine if the heap has grown. Objects that were read stay valid. */
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
   * Closes the document but not a small engine, because creating one takes longer than reading a small document.
   * @returns the engine for the next document of the job, if its heap is still small
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
    return new EngineFailure("too-large", "the engine lacks the memory for an object", { cause });
  }

  #withReference<T>(raw: MupdfExports, number: number, work: (reference: Pointer) => T): T {
    const reference = raw._wasm_pdf_new_indirect(this.#document.pointer, number);
    try {
      return work(reference);
    } finally {
      raw._wasm_pdf_drop_obj(reference);
    }
  }

  /** @returns null if the encryption key of the stream is unknown */
  #stream(number: number, dictionary: Dictionary): PdfStream | null {
    const length = dictionary.get("Length") ?? null;
    dictionary.delete("Length");
    const decryption = this.#cryptFilters && this.#decryptionOf(number, dictionary, this.#cryptFilters);
    const name = decryption && filterNameOf(dictionary, decryption);
    if (name !== undefined && !isMetadata(dictionary))
      this.#otherFilters.add(decryption?.name === undefined ? name : "");
    if (this.isLocked && name !== undefined && name !== IDENTITY) return null;
    withoutApplied(dictionary, decryption);
    const body: StreamBody = {
      raw: () => this.#place(number, dictionary, length) ?? this.#rawBytes(number, decryption),
      decoded: (limitBytes) =>
        inflate(dictionary, body.raw, limitBytes) ??
        this.#bytes(number, this.#loading(decryption && named(decryption)), limitBytes),
    };
    return new PdfStream(dictionary, body);
  }

  #decryptionOf(number: number, dictionary: Dictionary, filters: CryptFilters): Decryption | undefined {
    for (const key of ["Filter", "DecodeParms"]) {
      const value = dictionary.get(key);
      if (!(value instanceof Reference)) continue;
      const object = this.load(value.number);
      if (!(object instanceof PdfStream)) dictionary.set(key, object);
    }
    return decryptionOf(number, dictionary, filters);
  }

  /** Returns a function that loads and decodes a stream. @param filters replace the stream's filters */
  #loading(filters?: OtherFilters) {
    const { pointer: document, objects } = this.#document;
    return (raw: MupdfExports, stream: Pointer) => {
      const load = () => raw._wasm_pdf_load_stream(stream);
      return filters ? withFilters({ raw, objects, document }, stream, filters, load) : load();
    };
  }

  /** Returns the bytes of a large stream directly from the file. */
  #place(number: number, dictionary: Dictionary, length: Value): Uint8Array | undefined {
    if (!this.#places) return undefined;
    const size = length instanceof Reference ? this.load(length.number) : length;
    if (typeof size !== "number") return undefined;
    return this.#places.find(number, dictionary.clone().set("Length", length), size);
  }

  /** Returns a stream's bytes; empty if they cannot be read, because one bad stream must not fail the job. */
  #rawBytes(number: number, decryption?: Decryption): Uint8Array {
    try {
      // A separate fuel budget, because a job with several outputs reads a shared font once per output.
      const tank = this.#document.engine.tank();
      const decrypt = decryption && this.#loading({ ...named(decryption), own: decryption.ownFilters });
      const load = decrypt ?? ((raw, reference) => raw._wasm_pdf_load_raw_stream(reference));
      return this.#bytes(number, load, Infinity, tank);
    } catch (error) {
      if (!(error instanceof EngineFailure) || error.reason !== "damaged") throw error;
      this.#document.engine.complain();
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

  #value(raw: MupdfExports, object: Pointer): Value {
    return valueIn(raw, object, (elements) => this.#makeRoom(elements));
  }

  /** Checks that the budget allows a large container. The caller charges the finished object. */
  #makeRoom(elements: number): void {
    if (elements < LARGE_CONTAINER) return;
    const bytes = elements * 8;
    this.#budget.charge(bytes);
    this.#budget.release(bytes);
  }
}

const named = ({ name }: Decryption) => (name === undefined ? {} : { crypt: name });
