// Converts values to MuPDF's objects. All methods must be called inside the engine's `run`.
import type { Mupdf } from "../../engines/mupdf/instance/mupdf.ts";
import type { Pointer } from "../../engines/mupdf/instance/raw.ts";
import { type Dictionary, Name, PdfString, Reference, type Value } from "../values.ts";

const STORED = ["Length", "Filter", "DecodeParms", "DL", "F", "FFilter", "FDecodeParms"];

export class EngineValues {
  readonly #engine: Mupdf;
  readonly #document: Pointer;

  constructor(engine: Mupdf, document: Pointer) {
    this.#engine = engine;
    this.#document = document;
  }

  /** @returns an object that the caller must drop */
  make(value: Value): Pointer {
    const { raw } = this.#engine;
    if (value === null) return raw._wasm_pdf_new_bool(0);
    if (typeof value === "boolean") return raw._wasm_pdf_new_bool(Number(value));
    if (typeof value === "number") return this.#number(value);
    if (value instanceof Name) return this.#withName(value.text, (text) => raw._wasm_pdf_new_name(text));
    if (value instanceof Reference) return this.number(value.number);
    if (value instanceof PdfString) return this.#string(value);
    if (Array.isArray(value)) {
      const array = raw._wasm_pdf_new_array(this.#document, value.length);
      for (const element of value) this.#dropping(this.make(element), (made) => raw._wasm_pdf_array_push(array, made));
      return array;
    }
    return this.#dictionary(value, []);
  }

  /** @returns a reference to the object with that number */
  number(number: number): Pointer {
    return this.#engine.raw._wasm_pdf_new_indirect(this.#document, number);
  }

  /** Replaces the object with that number. */
  write(number: number, value: Value): void {
    this.#dropping(this.make(value), (made) => this.#engine.raw._wasm_pdf_update_object(this.#document, number, made));
  }

  /**
   * Converts an object to a stream.
   * @param isFiltered true if the bytes have been encoded with the dictionary's filters; @default the bytes are
   * unfiltered, and the dictionary's filters are removed
   */
  writeStream(number: number, dictionary: Dictionary, bytes: Uint8Array, isFiltered = false): void {
    const { raw } = this.#engine;
    this.#dropping(this.#dictionary(dictionary, isFiltered ? ["Length"] : STORED), (made) =>
      raw._wasm_pdf_update_object(this.#document, number, made),
    );
    const data = raw._wasm_malloc(Math.max(1, bytes.length));
    raw.HEAPU8.set(bytes, data);
    const buffer = raw._wasm_new_buffer_from_data(data, bytes.length);
    this.#dropping(this.number(number), (reference) =>
      raw._wasm_pdf_update_stream(this.#document, reference, buffer, Number(isFiltered)),
    );
    raw._wasm_drop_buffer(buffer);
  }

  #dictionary(dictionary: Dictionary, without: readonly string[]): Pointer {
    const { raw } = this.#engine;
    const made = raw._wasm_pdf_new_dict(this.#document, dictionary.size);
    for (const [key, value] of dictionary) {
      if (without.includes(key)) continue;
      this.#dropping(this.make(value), (entry) =>
        this.#withName(key, (text) => raw._wasm_pdf_dict_puts(made, text, entry)),
      );
    }
    return made;
  }

  #number(value: number): Pointer {
    const { raw } = this.#engine;
    const isInteger = Number.isInteger(value) && Math.abs(value) < 2 ** 31;
    return isInteger ? raw._wasm_pdf_new_int(value) : raw._wasm_pdf_new_real(value);
  }

  #string(value: PdfString): Pointer {
    const { raw } = this.#engine;
    const { bytes } = value;
    const data = raw._wasm_malloc(Math.max(1, bytes.length));
    raw.HEAPU8.set(bytes, data);
    const made = raw._wasm_pdf_new_string(data, bytes.length);
    raw._wasm_free(data);
    return made;
  }

  /** Copies a text, with a final NUL, to the engine's memory while a function uses it. */
  #withName<T>(text: string, use: (text: Pointer) => T): T {
    const { raw } = this.#engine;
    const copy = raw._wasm_malloc(text.length + 1);
    try {
      for (let at = 0; at < text.length; at++) raw.HEAPU8[copy + at] = text.charCodeAt(at);
      raw.HEAPU8[copy + text.length] = 0;
      return use(copy);
    } finally {
      raw._wasm_free(copy);
    }
  }

  #dropping(object: Pointer, use: (object: Pointer) => void): void {
    try {
      use(object);
    } finally {
      this.#engine.raw._wasm_pdf_drop_obj(object);
    }
  }
}
