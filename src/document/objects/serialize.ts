// Serializes values to PDF syntax (ISO 32000-1, 7.3), as text with one character per byte.
import { Dictionary, Name, PdfString, Reference, type Value } from "./values.ts";

/** Returns the object number of a reference in the written file. */
export type NumberOf = (reference: Reference) => number;

/** Approximately the largest number that readers support (annex C.1). */
const LARGEST = 3.4e38;
const DELIMITED = /^[([</]/;
const PLAIN_NAME = /^[!"$&'*+,\-.0-9:;=?@A-Z\\^_`a-z|~]*$/;
const ESCAPED = /[\\()\r]/;

/** Serializes a value as the shortest tokens, without unnecessary separators. */
export function serialize(value: Value, numberOf: NumberOf): string {
  if (value === null) return "null";
  if (typeof value === "number") return serializeNumber(value);
  if (typeof value === "boolean") return value ? "true" : "false";
  if (value instanceof Name) return serializeName(value.text);
  if (value instanceof Reference) return `${numberOf(value)} 0 R`;
  if (value instanceof PdfString) return serializeString(value);
  if (value instanceof Dictionary) return serializeDictionary(value, numberOf);
  let text = "[";
  for (let index = 0; index < value.length; index++) {
    const element = serialize(value[index]!, numberOf);
    text += index === 0 || DELIMITED.test(element) ? element : ` ${element}`;
  }
  return `${text}]`;
}

function serializeDictionary(dictionary: Dictionary, numberOf: NumberOf): string {
  const values = dictionary.values();
  let text = "<<";
  dictionary.keys().forEach((key, index) => {
    const value = serialize(values[index]!, numberOf);
    text += DELIMITED.test(value) ? serializeName(key) + value : `${serializeName(key)} ${value}`;
  });
  return `${text}>>`;
}

function serializeName(text: string): string {
  if (PLAIN_NAME.test(text)) return `/${text}`;
  // A name cannot contain NUL (7.3.5).
  return `/${text.replaceAll("\0", "").replace(/[^!"$&'*+,\-.0-9:;=?@A-Z\\^_`a-z|~]/g, (character) => {
    return `#${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  })}`;
}

function serializeString(string: PdfString): string {
  const text = string.latin1;
  if (!ESCAPED.test(text)) return `(${text})`;
  return `(${text.replace(/[\\()\r]/g, (character) => (character === "\r" ? "\\r" : `\\${character}`))})`;
}

/** Writes a fraction with the fewest digits that yield the same 32-bit float. PDF has no exponents (7.3.3). */
export function serializeNumber(value: number): string {
  if (Number.isSafeInteger(value)) return value === 0 ? "0" : String(value);
  if (!Number.isFinite(value)) return "0";
  const float = Math.fround(value);
  if (!Number.isFinite(float)) return serializeNumber(Math.sign(value) * LARGEST);
  let digits = 6;
  while (digits < 9 && Math.fround(Number(float.toPrecision(digits))) !== float) digits++;
  return withoutExponent(Number(float.toPrecision(digits)));
}

function withoutExponent(value: number): string {
  const text = String(value);
  const exponent = text.indexOf("e");
  if (exponent < 0) return text.includes(".") ? text.replace(/^(-?)0\./, "$1.") : `${text}.0`;
  const sign = value < 0 ? "-" : "";
  const [whole = "", fraction = ""] = text.slice(sign.length, exponent).split(".");
  const point = whole.length + Number(text.slice(exponent + 1));
  const digits = whole + fraction;
  if (point <= 0) return `${sign}.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0")}.0`;
}

/** Returns the value with sorted dictionary entries, so that equal values produce equal text. */
export function sortEntries(value: Value): Value {
  if (Array.isArray(value)) return value.map(sortEntries);
  if (!(value instanceof Dictionary)) return value;
  const copy = new Dictionary();
  for (const key of value.keys().toSorted()) copy.set(key, sortEntries(value.get(key)!));
  return copy;
}
