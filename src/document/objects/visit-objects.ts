// Visits all objects of a file.
import type { PdfFile } from "./pdf-file.ts";
import { type PdfObject, Reference } from "./values.ts";

/** Number of objects between pauses, in which memory can be released. */
const OBJECTS_AT_A_STRETCH = 500;

/** Visits also objects that nothing refers to, but not objects that `visit` adds. */
export async function visitObjects(
  file: PdfFile,
  signal: AbortSignal,
  visit: (object: PdfObject, reference: Reference) => void,
): Promise<void> {
  for (let number = 1, { size } = file; number < size; number++) {
    const reference = new Reference(number);
    visit(file.get(reference), reference);
    if (number % OBJECTS_AT_A_STRETCH !== 0) continue;
    signal.throwIfAborted();
    await file.relieve();
  }
}
