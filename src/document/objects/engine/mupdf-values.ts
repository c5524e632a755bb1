// Reads values from the engine's memory.

import { EngineFailure } from "../../contract/failure.ts";
import type { MupdfExports, Pointer } from "../../engines/mupdf/instance/raw.ts";
import { FIRST_ADDRESS } from "../../engines/mupdf/objects.ts";
import { Dictionary, latin1Of, Name, PdfString, Reference, type Value } from "../values.ts";

/** From this value on, 32-bit floats do not represent every integer. */
const EXACT_INTEGERS = 2 ** 24;
/** Maximum depth of nested containers in one object, about the limit of MuPDF's parser. */
const MAX_DEPTH = 500;

/** Texts of MuPDF's predefined keys and names, by address. */
const constants = new Map<Pointer, string>();

/** Called with the number of elements of a container before it is created. Throws if there is no memory for them. */
type MakeRoom = (elements: number) => void;

/**
 * Reads a value with everything in it, except the objects that it references.
 * @throws EngineFailure `too-complex`, and errors of `makeRoom`
 */
export function valueIn(raw: MupdfExports, object: Pointer, makeRoom: MakeRoom, depth = 0): Value {
  if (object === 0) return null;
  if (depth > MAX_DEPTH) throw new EngineFailure("too-complex", `containers more than ${MAX_DEPTH} deep`);
  // This check comes first, because all others resolve references.
  if (raw._wasm_pdf_is_indirect(object)) return new Reference(raw._wasm_pdf_to_num(object));
  if (raw._wasm_pdf_is_name(object)) return Name.of(nameText(raw, object));
  if (raw._wasm_pdf_is_number(object)) return numberIn(raw, object);
  if (raw._wasm_pdf_is_dict(object)) return dictionaryIn(raw, object, makeRoom, depth);
  if (raw._wasm_pdf_is_array(object)) return arrayIn(raw, object, makeRoom, depth);
  if (raw._wasm_pdf_is_string(object)) return stringIn(raw, object);
  if (raw._wasm_pdf_is_bool(object)) return raw._wasm_pdf_to_bool(object) !== 0;
  return null;
}

function dictionaryIn(raw: MupdfExports, object: Pointer, makeRoom: MakeRoom, depth: number): Dictionary {
  const dictionary = new Dictionary();
  const size = raw._wasm_pdf_dict_len(object);
  makeRoom(size);
  for (let index = 0; index < size; index++) {
    const value = valueIn(raw, raw._wasm_pdf_dict_get_val(object, index), makeRoom, depth + 1);
    dictionary.set(nameText(raw, raw._wasm_pdf_dict_get_key(object, index)), value);
  }
  return dictionary;
}

function arrayIn(raw: MupdfExports, object: Pointer, makeRoom: MakeRoom, depth: number): Value[] {
  const size = raw._wasm_pdf_array_len(object);
  makeRoom(size);
  const array: Value[] = [];
  for (let index = 0; index < size; index++) {
    array.push(valueIn(raw, raw._wasm_pdf_array_get(object, index), makeRoom, depth + 1));
  }
  return array;
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

function numberIn(raw: MupdfExports, object: Pointer): number {
  const value = raw._wasm_pdf_to_real(object);
  if (Math.abs(value) < EXACT_INTEGERS || !raw._wasm_pdf_is_int(object)) return value;
  const text = raw._wasm_pdf_sprint_obj(object, 1, 1);
  const exact = Number(raw.UTF8ToString(text));
  raw._wasm_free(text);
  return exact;
}

function stringIn(raw: MupdfExports, object: Pointer): PdfString {
  const size = raw._wasm_malloc(4);
  const start = raw._wasm_pdf_to_string(object, size);
  const length = raw.HEAPU32[size >> 2]!;
  raw._wasm_free(size);
  return new PdfString(raw.HEAPU8.subarray(start, start + length));
}

function latin1(heap: Uint8Array, start: number, end: number): string {
  if (end - start > 64) return latin1Of(heap.subarray(start, end));
  let text = "";
  for (let at = start; at < end; at++) text += String.fromCharCode(heap[at]!);
  return text;
}
