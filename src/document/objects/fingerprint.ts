// Computes a text for comparing small values: equal values have equal texts, even if they come from different files.
import type { PdfFile } from "./pdf-file.ts";
import { Dictionary, Name, PdfStream, PdfString, type Value } from "./values.ts";

const MAX_PIECES = 2000;
const MAX_DEPTH = 32;

/**
 * @returns undefined for a value that is too large or contains a stream; callers must treat it as different from all
 * other values
 */
export function fingerprint(file: PdfFile, value: Value | undefined): string | undefined {
  const pieces: string[] = [];
  return write(file, value ?? null, pieces, 0) ? pieces.join("") : undefined;
}

function write(file: PdfFile, value: Value, pieces: string[], depth: number): boolean {
  const object = file.resolve(value);
  if (object instanceof PdfStream || depth > MAX_DEPTH || pieces.length > MAX_PIECES) return false;
  if (object instanceof Dictionary) {
    pieces.push("<");
    const keys = [...object.keys()].sort();
    for (const key of keys) {
      pieces.push(JSON.stringify(key));
      if (!write(file, object.get(key)!, pieces, depth + 1)) return false;
    }
    pieces.push(">");
  } else if (Array.isArray(object)) {
    pieces.push("[");
    for (const element of object) if (!write(file, element, pieces, depth + 1)) return false;
    pieces.push("]");
  } else if (object instanceof PdfString) pieces.push(`s${JSON.stringify(object.latin1)}`);
  else if (object instanceof Name) pieces.push(`n${JSON.stringify(object.text)}`);
  else pieces.push(` ${object}`);
  return true;
}
