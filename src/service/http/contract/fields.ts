// Reads the fields of a request by their parameters, and names each mistake in the spec's words. Knows nothing about
// endpoints.
import type { z } from "zod";
import {
  type Kind,
  type Parameter,
  type Parameters,
  type Params,
  UnreadableText,
} from "../../../document/contract/parameter.ts";
import { duplicateField, fieldRequired, fieldTooLarge, outOfRange, profileNotJson } from "./errors.ts";

/** The fields of a request, whatever the encoding of its body. */
export interface SentFields {
  /** Values by name without brackets, in the order of their index, or else of their arrival. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/**
 * Reads all fields of a form.
 * @param fields parameters by the API's names
 * @throws ServiceError 400 with the spec's sentence for the first field, in the order of declaration, that is missing,
 * repeated or out of range; 413, 422 for JSON that is too long or none
 */
export function readFields<F extends Parameters>(
  fields: F,
  form: SentFields,
  defaults: Readonly<Record<string, string>>,
): Params<F> {
  const values: Record<string, unknown> = {};
  const texts: Record<string, string | undefined> = {};
  for (const [name, field] of Object.entries(fields)) {
    const sent = form.fields.get(name);
    if (field.kind.item) {
      const items = readList(name, field.kind.item, sent, field.isOptional);
      if (items) values[name] = items;
      continue;
    }
    const text = textOf(name, field, sent) ?? defaults[name] ?? field.default;
    texts[name] = text;
    const counts = !field.onlyWith || field.onlyWith.is.includes(texts[field.onlyWith.parameter] ?? "");
    if (text === undefined) {
      if (counts && !field.isOptional) throw fieldRequired(name);
      continue;
    }
    const value = readText(name, field.kind, text);
    if (!counts) continue;
    values[name] = checked(name, field.kind, { text, value });
    if (values[name] === "" && !field.isOptional) throw isFilled(text) ? outOfRange(name, text) : fieldRequired(name);
  }
  return values as Params<F>;
}

/** Reports whether a text counts as sent. A form also sends inputs that the user left empty. */
export const isFilled = (text: string): boolean => text.trim() !== "";

/** Reports whether the client sent a value for a field. */
export const isSent = (form: SentFields, name: string): boolean => form.fields.get(name)?.some(isFilled) === true;

/** Returns the spec's spelling of a field that may be repeated. */
export const listName = (name: string): string => `${name}[]`;

/** Returns the field with the id of a stored file that stands for another field. */
export const idFieldOf = (name: string): string => `${name}_id`;

/** Returns the spec's spelling of a field. */
export const spellingOf = (name: string, { kind }: Parameter): string => (kind.item ? listName(name) : name);

/** Stands for the value of a secret in a sentence. */
export const SECRET_VALUE = "The value";

function textOf(name: string, { kind }: Parameter, given: readonly string[] | undefined): string | undefined {
  // A list without values is different from a field that was not sent.
  if (given?.length === 0) throw outOfRange(name, "");
  if (given && given.length > 1 && kind.joint === undefined) throw duplicateField(name);
  const sent = kind.json?.file ? given : given?.filter(isFilled);
  return sent?.length ? sent.join(kind.joint) : undefined;
}

/** @returns undefined if the list may be missing and is */
function readList(
  name: string,
  item: Kind<unknown>,
  given: readonly string[] | undefined,
  isOptional: boolean,
): readonly unknown[] | undefined {
  const spelling = listName(name);
  if (!isOptional && given === undefined) throw fieldRequired(spelling);
  if (given?.length === 0) throw outOfRange(spelling, "");
  if (isOptional && !given?.some(isFilled)) return undefined;
  return given!.map((text) => checked(spelling, item, { text, value: readText(spelling, item, text) }));
}

function readText(name: string, kind: Kind<unknown>, text: string): unknown {
  try {
    return kind.read(text);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    if (error.reason === "too-long") throw fieldTooLarge(name);
    throw kind.json?.file ? profileNotJson() : outOfRange(name, text, "It is not JSON.");
  }
}

function checked(
  name: string,
  kind: Kind<unknown>,
  given: { readonly text: string; readonly value: unknown },
): unknown {
  const result = kind.value.safeParse(given.value);
  if (result.success) return result.data;
  if (kind.json) throw memberOutOfRange(name, given.value, result.error);
  throw outOfRange(name, kind.isSecret ? SECRET_VALUE : given.text, kind.hint);
}

/** Names the first member of a JSON value that is missing or out of range, by its path. */
function memberOutOfRange(name: string, value: unknown, { issues: [first] }: z.ZodError) {
  const path = first!.path.map(String);
  const wrong = path.reduce((within: unknown, key) => (within as Record<string, unknown>)?.[key], value);
  const member = (Array.isArray(value) ? [name, ...path] : path).join(".") || name;
  if (wrong === undefined) return fieldRequired(member);
  return outOfRange(member, typeof wrong === "string" ? wrong : JSON.stringify(wrong));
}
