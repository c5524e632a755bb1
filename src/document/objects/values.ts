// The values of a PDF (ISO 32000-1, 7.3) as plain JavaScript. Booleans, numbers, null and arrays are JavaScript values;
// classes represent all other types.

/** Any value inside an object. */
export type Value = null | boolean | number | Name | PdfString | Reference | Dictionary | Value[];

/** Any numbered object. A stream is always numbered, so it is never nested in another object. */
export type PdfObject = Value | PdfStream;

const KEPT_NAMES = 8192;
const names = new Map<string, Name>();

/** A name, identified by its bytes. Equal names can be different instances: compare `text`. */
export class Name {
  /** The bytes after decoding `#xx`, as characters U+0000 to U+00FF. */
  readonly text: string;

  private constructor(text: string) {
    this.text = text;
  }

  static of(text: string): Name {
    const known = names.get(text);
    if (known) return known;
    const name = new Name(text);
    // The table outlives the document, so a hostile document must not fill it.
    if (names.size < KEPT_NAMES && text.length <= 32) names.set(text, name);
    return name;
  }
}

/** Returns one character per byte. */
export function latin1Of(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/** A byte string. Its meaning depends on the entry that contains it. */
export class PdfString {
  /**
   * The bytes as characters U+0000 to U+00FF. Such a string needs a tenth of the memory of a byte array, and is easy to
   * compare.
   */
  readonly latin1: string;

  constructor(bytes: Uint8Array | string) {
    this.latin1 = typeof bytes === "string" ? bytes : latin1Of(bytes);
  }

  /** @param text bytes as characters U+0000 to U+00FF */
  static ofLatin1(text: string): PdfString {
    return new PdfString(text);
  }

  /** Returns a copy of the bytes. */
  get bytes(): Uint8Array {
    return new Uint8Array(Buffer.from(this.latin1, "latin1"));
  }
}

/** A reference to another object of the same file. Equal references can be different instances: compare `number`. */
export class Reference {
  /** Object number, from 1. The generation number is dropped, because written files do not need it. */
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }
}

/** Number of entries above which keys are looked up in a map. */
const INDEXED_FROM = 16;

/** A dictionary. A null entry is equivalent to a missing one (7.3.7), and is never stored. */
export class Dictionary {
  #keys: string[] = [];
  #values: Value[] = [];
  #places: Map<string, number> | undefined;
  /** True if clones share the list of keys. The list must then be copied before it is changed. */
  #isShared = false;

  static of(entries: Readonly<Record<string, Value | undefined>>): Dictionary {
    const dictionary = new Dictionary();
    for (const [key, value] of Object.entries(entries)) if (value !== undefined) dictionary.set(key, value);
    return dictionary;
  }

  get size(): number {
    return this.#keys.length;
  }

  /** Returns the value without resolving references. */
  get(key: string): Value | undefined {
    return this.#values[this.#indexOf(key)];
  }

  has(key: string): boolean {
    return this.#indexOf(key) >= 0;
  }

  /** @returns this dictionary */
  set(key: string, value: Value): this {
    if (value === null) {
      this.delete(key);
      return this;
    }
    const index = this.#indexOf(key);
    if (index >= 0) {
      this.#values[index] = value;
      return this;
    }
    this.#own();
    this.#keys.push(key);
    this.#values.push(value);
    if (this.#places) this.#places.set(key, this.#keys.length - 1);
    else if (this.#keys.length > INDEXED_FROM) this.#index();
    return this;
  }

  delete(key: string): boolean {
    const index = this.#indexOf(key);
    if (index < 0) return false;
    this.#own();
    this.#keys.splice(index, 1);
    this.#values.splice(index, 1);
    if (this.#places) this.#index();
    return true;
  }

  /** Deletes all entries except those to keep. Deleting entries one by one would take quadratic time. */
  retain(isKept: (key: string) => boolean): void {
    const kept = [...this].filter(([key]) => isKept(key));
    this.#isShared = false;
    this.#keys = kept.map(([key]) => key);
    this.#values = kept.map(([, value]) => value);
    if (this.#places) this.#index();
  }

  clear(): void {
    this.retain(() => false);
  }

  keys(): readonly string[] {
    return this.#keys;
  }

  values(): readonly Value[] {
    return this.#values;
  }

  *[Symbol.iterator](): Generator<[key: string, value: Value]> {
    for (let index = 0; index < this.#keys.length; index++) yield [this.#keys[index]!, this.#values[index]!];
  }

  /** Returns a shallow copy. */
  clone(): Dictionary {
    return this.#with(this.#values.slice());
  }

  /** Returns a copy with changed values; an entry whose new value is null is omitted. */
  map(change: (value: Value) => Value): Dictionary {
    const copy = this.#with(this.#values.map(change));
    if (copy.#values.includes(null)) copy.retain((key) => copy.get(key) !== null);
    return copy;
  }

  #with(values: Value[]): Dictionary {
    const copy = new Dictionary();
    this.#isShared = true;
    copy.#isShared = true;
    copy.#keys = this.#keys;
    copy.#places = this.#places;
    copy.#values = values;
    return copy;
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#keys = this.#keys.slice();
    if (this.#places) this.#index();
  }

  #indexOf(key: string): number {
    return this.#places ? (this.#places.get(key) ?? -1) : this.#keys.indexOf(key);
  }

  #index(): void {
    this.#places = new Map(this.#keys.map((key, index) => [key, index]));
  }
}

/** The bytes of a stream, wherever they are stored. */
export interface StreamBody {
  /** Returns the stored bytes: filtered, but not encrypted. */
  raw(): Uint8Array;
  /**
   * Returns the decoded bytes.
   * @throws EngineFailure `too-large` if they exceed `limitBytes`, `damaged` if they cannot be decoded
   */
  decoded(limitBytes: number): Uint8Array;
}

/**
 * Returns a body for bytes in memory; `raw` and `decoded` return them unchanged. If the bytes are filtered, only `raw`
 * can be used.
 */
export const plainBody = (bytes: Uint8Array): StreamBody => ({ raw: () => bytes, decoded: () => bytes });

/** A stream. The writer sets Length. */
export class PdfStream {
  /** Filter and DecodeParms state how the body is coded. */
  readonly dictionary: Dictionary;
  readonly body: StreamBody;

  constructor(dictionary: Dictionary, body: StreamBody) {
    this.dictionary = dictionary;
    this.body = body;
  }
}
