// A JSON file that a client sends in a field, checked key by key. Knows no keys.
import type { z } from "zod";
import { fieldRequired, fieldTooLarge, outOfRange, profileNotJson } from "./errors.ts";
import { MAX_JSON_FILE_BYTES } from "./form.ts";
import { mayBeginJson } from "./json-beginning.ts";

/**
 * @param text of the file, or the beginning of one that is too large; undefined where none was sent
 * @returns what it says, whatever that is; undefined where none was sent
 * @throws ServiceError 422 where it is no JSON, 413 where it is more than {@link MAX_JSON_FILE_BYTES} of it
 */
export function readJsonFile(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (new TextEncoder().encode(text).length > MAX_JSON_FILE_BYTES) {
    throw mayBeginJson(text) ? fieldTooLarge(name) : profileNotJson();
  }
  try {
    // Editors for Windows put a byte order mark there.
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw profileNotJson();
  }
}

/**
 * @param name of the field
 * @param profile as {@link readJsonFile} gives it
 * @throws ServiceError 400 where it was not sent, or with the path of the first key that is out of range
 */
export function checkProfile<T>(name: string, profile: unknown, schema: z.ZodType<T>): T {
  if (profile === undefined) throw fieldRequired(name);
  const result = schema.safeParse(profile);
  if (result.success) return result.data;
  const path = result.error.issues[0]!.path.map(String);
  const value = path.reduce((within: unknown, key) => (within as Record<string, unknown>)?.[key], profile);
  const key = path.join(".") || name;
  if (value === undefined) throw fieldRequired(key);
  throw outOfRange(key, typeof value === "string" ? value : JSON.stringify(value));
}
