// Reads and writes fields as JSON: an object with the values by fully qualified name.
import * as z from "zod";
import type { FieldValue } from "./field-value.ts";

const text = z.union([z.string(), z.number(), z.boolean()]);
const rich = z.strictObject({ value: z.string().optional(), rich_text: z.string() });

/** `null` clears a field; `true` chooses the state in which a check box is on. */
export const JSON_VALUES = z.record(z.string().min(1), z.union([text, z.array(text), rich, z.null()]));
type JsonValues = z.infer<typeof JSON_VALUES>;

/** @returns undefined if the file is not JSON, or has values of other types */
export function readFieldsJson(bytes: Uint8Array): FieldValue[] | undefined {
  try {
    return valuesOf(JSON_VALUES.parse(JSON.parse(new TextDecoder().decode(bytes))));
  } catch {
    return undefined;
  }
}

export const valuesOf = (values: JsonValues): FieldValue[] =>
  Object.entries(values).map(([name, value]) => {
    if (value === null) return { name, value: undefined };
    if (Array.isArray(value)) return { name, value: value.map(String) };
    if (typeof value === "object") return { name, value: value.value, richText: value.rich_text };
    return { name, value: String(value) };
  });

export function writeFieldsJson(values: readonly FieldValue[]): Uint8Array {
  const entries = values.map(({ name, value, richText }) => {
    if (richText !== undefined) return [name, { value, rich_text: richText }] as const;
    return [name, value ?? null] as const;
  });
  return new TextEncoder().encode(`${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
}
