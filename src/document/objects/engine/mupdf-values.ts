// Reads names, numbers and strings from the engine's memory.

import type { MupdfExports, Pointer } from "../../engines/mupdf/instance/raw.ts";
import { FIRST_ADDRESS } from "../../engines/mupdf/objects.ts";
import { latin1Of, PdfString } from "../values.ts";

/** From this value on, 32-bit floats do not represent every integer. */
const EXACT_INTEGERS = 2 ** 24;

/** Texts of MuPDF's predefined keys and names, by address. */
const constants = new Map<Pointer, string>();

export function nameText(raw: MupdfExports, name: Pointer): string {
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

export function numberIn(raw: MupdfExports, object: Pointer): number {
  const value = raw._wasm_pdf_to_real(object);
  if (Math.abs(value) < EXACT_INTEGERS || !raw._wasm_pdf_is_int(object)) return value;
  const text = raw._wasm_pdf_sprint_obj(object, 1, 1);
  const exact = Number(raw.UTF8ToString(text));
  raw._wasm_free(text);
  return exact;
}

export function stringIn(raw: MupdfExports, object: Pointer): PdfString {
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
