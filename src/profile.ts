// A JSON file that a client sends in a field, checked key by key. Knows no keys.
import type { z } from "zod";
import { fieldRequired, outOfRange, profileNotJson } from "./errors.ts";

/**
 * @param name of the field
 * @throws ServiceError 400 where it was not sent, 422 where it is no JSON, 400 with the path of the first key that is out of range
 */
export function readProfile<T>(name: string, text: string | undefined, schema: z.ZodType<T>): T {
  if (text === undefined || text.trim() === "") throw fieldRequired(name);
  const profile = parse(text);
  const result = schema.safeParse(profile);
  if (result.success) return result.data;
  const path = result.error.issues[0]!.path.map(String);
  const value = path.reduce((within: unknown, key) => (within as Record<string, unknown>)?.[key], profile);
  const key = path.join(".") || name;
  if (value === undefined) throw fieldRequired(key);
  throw outOfRange(key, typeof value === "string" ? value : JSON.stringify(value));
}

function parse(text: string): unknown {
  try {
    // Editors for Windows put a byte order mark there.
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw profileNotJson();
  }
}
