// Reads a stream with other filters than its dictionary states.

import type { MupdfExports, Pointer } from "./instance/raw.ts";
import type { PdfObjects } from "./objects.ts";

/** The filters to decode a stream with. */
export interface OtherFilters {
  /** Name of a crypt filter that is applied first. @default none */
  readonly crypt?: string;
  /** Number of the stream's own filters to apply after the crypt filter. @default all */
  readonly own?: number;
}

/** Runs work while the stream has other filters. Must be called inside the engine's `run`. */
export function withFilters<T>(
  { raw, objects, document }: { raw: MupdfExports; objects: PdfObjects; document: Pointer },
  stream: Pointer,
  { crypt, own = Infinity }: OtherFilters,
  work: () => T,
): T {
  const kept = ["Filter", "DecodeParms"].map((key) => [key, raw._wasm_pdf_keep_obj(objects.get(stream, key))] as const);
  const [filters, parameters] = kept.map(([, value]) => {
    const given = objects.isArray(value) ? objects.elements(value, own) : value === 0 || own < 1 ? [] : [value];
    return given;
  }) as [Pointer[], Pointer[]];
  const arrays = [raw._wasm_pdf_new_array(document, 4), raw._wasm_pdf_new_array(document, 4)] as const;
  const push = (filter: Pointer, parameter: Pointer) => {
    raw._wasm_pdf_array_push(arrays[0], filter);
    raw._wasm_pdf_array_push(arrays[1], parameter);
  };
  const none = objects.newDictionary(document, {});
  if (crypt !== undefined) {
    const name = objects.newName("Crypt");
    const named = objects.newDictionary(document, { Name: objects.newName(crypt) });
    push(name, named);
    for (const object of [name, named]) raw._wasm_pdf_drop_obj(object);
  }
  for (const [index, filter] of filters.entries()) push(filter, parameters[index] || none);
  raw._wasm_pdf_drop_obj(none);
  try {
    for (const [index, [key]] of kept.entries()) objects.putNew(stream, key, arrays[index]!);
    return work();
  } finally {
    for (const [key, value] of kept) {
      if (value === 0) objects.delete(stream, key);
      else objects.putNew(stream, key, value);
    }
  }
}
