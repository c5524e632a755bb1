// Parses, validates and edits a JSON file of settings. Uses the JSON schema in the service's description, and the
// service's error messages. Works for any schema.
import { fieldRequired, outOfRange, profileNotJson } from "../../../src/service/http/contract/errors.ts";
import type { FormField, Schema } from "./operations.ts";

export interface Setting {
  readonly path: readonly string[];
  readonly kind: "switch" | "choice" | "number";
  readonly values?: readonly string[];
}

export interface SettingGroup {
  readonly name: string;
  readonly settings: readonly Setting[];
}

/**
 * An error in a JSON file. `key` is the path of the key, joined by dots; it is empty if the error concerns the whole
 * file.
 */
export interface ProfileFault {
  readonly key: string;
  readonly sentence: string;
}

type Holder = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Holder =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns the settings of a schema, in groups. Omits deprecated settings. */
export const groupsOf = ({ properties = {} }: Schema): readonly SettingGroup[] =>
  Object.entries(properties)
    .map(([name, part]) => ({ name, settings: settingsOf(part, [name]) }))
    .filter(({ settings }) => settings.length > 0);

function settingsOf({ deprecated, properties, ...schema }: Schema, path: readonly string[]): readonly Setting[] {
  if (deprecated) return [];
  if (properties) return Object.entries(properties).flatMap(([name, inner]) => settingsOf(inner, [...path, name]));
  if (schema.anyOf?.some(({ type }) => type === "boolean")) return [{ path, kind: "switch" }];
  return [schema.enum ? { path, kind: "choice", values: schema.enum.map(String) } : { path, kind: "number" }];
}

/** Parses a JSON text; returns undefined if it is invalid. */
export function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

/** Returns all errors of a JSON text, in the order in which the service checks for them. */
export function faultsOfJson(
  name: string,
  text: string,
  { schema, isFile }: NonNullable<FormField["content"]>,
): readonly ProfileFault[] {
  const profile = parsed(text);
  const notJson = isFile ? profileNotJson() : outOfRange(name, text, "It is not JSON.");
  if (!profile) return [{ key: "", sentence: notJson.message }];
  // The path in a file, or in an object that repeats the name of its field, is without the name of the field.
  const isWhole = isFile || schema.properties?.[name] !== undefined;
  return faultsIn(schema, profile.value, isWhole ? [] : [name], name);
}

function faultsIn(schema: Schema, value: unknown, path: readonly string[], name: string): readonly ProfileFault[] {
  const key = path.join(".");
  if (isValid(schema, value)) {
    const { items } = schema;
    if (items && Array.isArray(value)) {
      return value.flatMap((item, index) => faultsIn(items, item, [...path, String(index)], name));
    }
    if (!isObject(value)) return [];
    return Object.entries(schema.properties ?? {}).flatMap(([inner, part]) => {
      const innerPath = [...path, inner];
      if (value[inner] !== undefined) return faultsIn(part, value[inner], innerPath, name);
      if (!schema.required?.includes(inner)) return [];
      const missing = innerPath.join(".");
      return [{ key: missing, sentence: fieldRequired(missing).message }];
    });
  }
  const shown = typeof value === "string" ? value : JSON.stringify(value);
  return [{ key, sentence: outOfRange(key || name, shown).message }];
}

/** Reports whether a value meets the schema. Does not check the members of objects and arrays. */
function isValid({ anyOf, oneOf = anyOf, enum: values, type, minimum, maximum }: Schema, value: unknown): boolean {
  if (oneOf) return oneOf.some((schema) => isValid(schema, value));
  if (values) return values.some((word) => word === value);
  if (type === "boolean") return typeof value === "boolean";
  if (type === "object") return isObject(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "string") return typeof value === "string";
  return typeof value === "number" && value >= (minimum ?? value) && value <= (maximum ?? value);
}

/** Returns the paths of keys that the schema does not contain. The service ignores such keys. */
export function unknownKeys(schema: Schema, value: unknown, path: readonly string[] = []): readonly string[] {
  if (!isObject(value) || !schema.properties) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const known = schema.properties![name];
    return known ? unknownKeys(known, inner, [...path, name]) : [[...path, name].join(".")];
  });
}

export const valueAt = (profile: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((holder, name) => (isObject(holder) ? holder[name] : undefined), profile);

/**
 * Returns a copy of a profile in which the value at a path is set. If the value is undefined, deletes the key, and
 * objects that become empty.
 */
export function withValue(profile: unknown, [name, ...rest]: readonly string[], value: unknown): Holder {
  const { [name!]: before, ...others } = isObject(profile) ? profile : {};
  const inner = rest.length > 0 ? withValue(before, rest, value) : value;
  const isEmpty = inner === undefined || (isObject(inner) && Object.keys(inner).length === 0);
  // An existing key keeps its position.
  if (!isEmpty) return { ...(isObject(profile) ? profile : {}), [name!]: inner };
  return others;
}
