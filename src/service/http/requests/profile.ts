// Reads a JSON file that a client sends in a field, and checks it key by key. Knows nothing about keys.
import type { z } from "zod";
import { LIMITS } from "../../../document/contract/limits.ts";
import { fieldRequired, fieldTooLarge, outOfRange, profileNotJson } from "../contract/errors.ts";
import { isJsonPrefix } from "./json-prefix.ts";
import { isModestJson } from "./json-shape.ts";

/**
 * Parses the text of a JSON file.
 * @param text of the file, or the start of a text that is too large; undefined if no file was sent
 * @returns the parsed value, not checked; undefined if no file was sent
 * @throws ServiceError 422 if the text is not JSON, 413 if it is too long
 */
export function readJsonFile(name: string, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  if (new TextEncoder().encode(text).length > LIMITS.jsonFileBytes) {
    throw isJsonPrefix(text) ? fieldTooLarge(name) : profileNotJson();
  }
  if (!isModestJson(text)) throw profileNotJson();
  try {
    // Editors for Windows write a byte order mark.
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw profileNotJson();
  }
}

/**
 * Checks a parsed profile against a schema.
 * @param name of the field
 * @param profile the result of {@link readJsonFile}
 * @throws ServiceError 400 if no file was sent, or with the path of the first key that is out of range
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
