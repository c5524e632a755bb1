// Enforces the limits of values outside content streams (ISO 19005-1, 6.1.12; -2, 6.1.13).
import { createHash } from "node:crypto";
import { Dictionary, Name, PdfStream, PdfString, type Value } from "../../objects/values.ts";
import type { PdfaLevel } from "../level.ts";
import type { PdfaDocument } from "../pdfa-document.ts";

const MAX_INTEGER = 2_147_483_647;
const MAX_REAL = 3.403e38;
const MIN_REAL = 1.175e-38;
/** Maximum real number in part 1. Larger numbers must be integers. */
const MAX_REAL_1 = 32_767;
const MAX_NAME_BYTES = 127;
const MAX_DEPTH = 500;
const MAX_ELEMENTS = 8191;
/** Number of elements per new leaf; a key and its value count as two. */
const LEAF_ELEMENTS = 2000;

export function maxStringBytes({ part }: PdfaLevel): number {
  return part === 1 ? 65_535 : 32_767;
}

/** Returns the number, or the nearest number that the level allows. */
export function boundedNumber(value: number, { part }: PdfaLevel): number {
  const size = Math.abs(value);
  if (Number.isInteger(value)) return Math.max(-MAX_INTEGER - 1, Math.min(MAX_INTEGER, value));
  // In part 1, a real that is too large becomes an integer; clamping it would change a rectangle or a matrix.
  if (part === 1 && size > MAX_REAL_1) return boundedNumber(Math.round(value), { part, conformance: "b" });
  if (size < MIN_REAL) return 0;
  return size > MAX_REAL ? Math.sign(value) * MAX_INTEGER : value;
}

/** Repairs all values of the file. */
export function repairLimits(document: PdfaDocument): void {
  if (document.level.part === 1) for (const { dictionary } of document.places) splitLeaf(document, dictionary);
  for (const { dictionary } of document.places) {
    for (const [key, value] of [...dictionary]) {
      const repaired = repair(value, document.level, 0);
      const name = shortName(key);
      if (name !== key) dictionary.delete(key);
      if (repaired !== value || name !== key) dictionary.set(name, repaired);
    }
  }
  const { file } = document;
  for (const reference of document.values) {
    const value = file.resolve(reference);
    if (value === null || value instanceof PdfStream) continue;
    const repaired = repair(value, document.level, 0);
    if (repaired !== value) file.put(reference, repaired);
  }
}

function repair(value: Value, level: PdfaLevel, depth: number): Value {
  if (typeof value === "number") return boundedNumber(value, level);
  if (value instanceof Name) {
    const text = shortName(value.text);
    return text === value.text ? value : Name.of(text);
  }
  if (value instanceof PdfString) {
    const most = maxStringBytes(level);
    return value.latin1.length > most ? PdfString.ofLatin1(value.latin1.slice(0, most)) : value;
  }
  if (!Array.isArray(value) || depth > MAX_DEPTH) return value;
  for (let index = 0; index < value.length; index++) {
    const element = value[index]!;
    const repaired = repair(element, level, depth + 1);
    if (repaired !== element) value[index] = repaired;
  }
  return value;
}

/** Splits a large leaf of a name tree or a number tree, because part 1 limits arrays to 8,191 elements. */
function splitLeaf({ file }: PdfaDocument, node: Dictionary): void {
  for (const kind of ["Names", "Nums"]) {
    const entries = file.array(node.get(kind));
    if (!entries || entries.length <= MAX_ELEMENTS || node.has("Kids")) continue;
    const kids: Value[] = [];
    for (let from = 0; from + 1 < entries.length; from += LEAF_ELEMENTS) {
      const some = entries.slice(from, from + LEAF_ELEMENTS);
      const limits = [some[0]!, some.at(-2)!];
      kids.push(file.add(Dictionary.of({ [kind]: some, Limits: limits })));
    }
    node.delete(kind);
    node.set("Kids", kids);
  }
}

/** Shortens a name that is too long. Equal names stay equal, different names stay different. */
export function shortName(text: string): string {
  if (text.length <= MAX_NAME_BYTES) return text;
  const digest = createHash("sha256").update(text, "latin1").digest("hex").slice(0, DIGEST_DIGITS);
  return `${text.slice(0, MAX_NAME_BYTES - DIGEST_DIGITS - 1)}~${digest}`;
}

const DIGEST_DIGITS = 16;
