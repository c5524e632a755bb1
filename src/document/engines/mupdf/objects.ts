// Reads and changes the objects of a PDF in the engine's memory.
import type { Mupdf } from "./instance/mupdf.ts";
import type { MupdfExports, Pointer } from "./instance/raw.ts";

/** Smallest address of an object. Lower pointers represent the engine's constants, such as predefined names. */
export const FIRST_ADDRESS = 1024;

/**
 * Access to the objects of one engine, inside {@link Mupdf.run}. A returned object is borrowed from its container, and
 * is valid as long as the container. References are resolved.
 */
export class PdfObjects {
  readonly #engine: Mupdf;
  readonly #raw: MupdfExports;
  /** Copies of keys in the heap. They are few, and are never freed. */
  readonly #keys = new Map<string, Pointer>();
  /** Text of predefined names. */
  readonly #names = new Map<Pointer, string>();

  constructor(engine: Mupdf) {
    this.#engine = engine;
    this.#raw = engine.raw;
  }

  /** @returns 0 if the entry is missing or the object is not a dictionary */
  get(dictionary: Pointer, key: string): Pointer {
    return this.#raw._wasm_pdf_dict_gets(dictionary, this.#text(key));
  }

  /** Returns an entry of a page, or of the nearest ancestor that has the entry (ISO 32000-1, 7.7.3.4). */
  inherited(page: Pointer, key: string): Pointer {
    return this.#raw._wasm_pdf_dict_gets_inheritable(page, this.#text(key));
  }

  isDictionary(object: Pointer): boolean {
    return this.#raw._wasm_pdf_is_dict(object) !== 0;
  }

  isArray(object: Pointer): boolean {
    return this.#raw._wasm_pdf_is_array(object) !== 0;
  }

  /** @returns the object number of a reference, 0 for direct objects */
  number(object: Pointer): number {
    return this.#raw._wasm_pdf_is_indirect(object) ? this.#raw._wasm_pdf_to_num(object) : 0;
  }

  /** @returns undefined if the object is not a number */
  real(object: Pointer): number | undefined {
    return this.#raw._wasm_pdf_is_number(object) ? this.#raw._wasm_pdf_to_real(object) : undefined;
  }

  /** @returns the text of a name, empty for other objects */
  name(object: Pointer): string {
    const known = this.#names.get(object);
    if (known !== undefined) return known;
    const isName = this.#raw._wasm_pdf_is_name(object) !== 0;
    const text = isName ? this.#raw.UTF8ToString(this.#raw._wasm_pdf_to_name(object)) : "";
    if (object < FIRST_ADDRESS) this.#names.set(object, text);
    return text;
  }

  /** @returns at most `limit` elements; an empty list if the object is not an array */
  elements(array: Pointer, limit = Infinity): Pointer[] {
    if (!this.isArray(array)) return [];
    const length = Math.min(this.#raw._wasm_pdf_array_len(array), limit);
    return Array.from({ length }, (_, index) => this.#raw._wasm_pdf_array_get(array, index));
  }

  /** @returns at most `limit` entries; an empty list if the object is not a dictionary */
  entries(dictionary: Pointer, limit: number): [key: string, value: Pointer][] {
    if (!this.isDictionary(dictionary)) return [];
    const length = Math.min(this.#raw._wasm_pdf_dict_len(dictionary), limit);
    return Array.from({ length }, (_, index) => [
      this.name(this.#raw._wasm_pdf_dict_get_key(dictionary, index)),
      this.#raw._wasm_pdf_dict_get_val(dictionary, index),
    ]);
  }

  put(dictionary: Pointer, key: string, value: Pointer): void {
    this.#raw._wasm_pdf_dict_puts(dictionary, this.#text(key), value);
  }

  /** Puts a new object and drops the caller's reference to it. */
  putNew(dictionary: Pointer, key: string, value: Pointer): void {
    try {
      this.put(dictionary, key, value);
    } finally {
      this.#raw._wasm_pdf_drop_obj(value);
    }
  }

  delete(dictionary: Pointer, key: string): void {
    this.#raw._wasm_pdf_dict_dels(dictionary, this.#text(key));
  }

  newName(text: string): Pointer {
    return this.#engine.withText(text, (name) => this.#raw._wasm_pdf_new_name(name));
  }

  newDictionary(document: Pointer, entries: Readonly<Record<string, Pointer>>): Pointer {
    const dictionary = this.#raw._wasm_pdf_new_dict(document, 2);
    for (const [key, value] of Object.entries(entries)) this.putNew(dictionary, key, value);
    return dictionary;
  }

  #text(key: string): Pointer {
    const known = this.#keys.get(key);
    if (known !== undefined) return known;
    const size = this.#raw.lengthBytesUTF8(key) + 1;
    const text = this.#raw._wasm_malloc(size);
    this.#raw.stringToUTF8(key, text, size);
    this.#keys.set(key, text);
    return text;
  }
}
