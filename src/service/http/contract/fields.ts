// Parses the fields of a request according to the declared parameters. Errors have the spec's messages.
import type { z } from "zod";
import {
  type Kind,
  type Parameter,
  type Parameters,
  type Params,
  UnreadableText,
} from "../../../document/contract/parameter.ts";
import type { MemberDetails } from "../../../document/contract/parameters/loose-json.ts";
import { SECRET } from "../../../document/contract/parameters/text.ts";
import {
  duplicateField,
  eitherRequired,
  fieldRequired,
  fieldTooLarge,
  outOfRange,
  passwordTooShort,
  profileNotJson,
  type ServiceError,
} from "./errors.ts";

/** The fields of a request, independent of the body's encoding. */
export interface SentFields {
  /**
   * Values by name, without brackets. Values with an index (`pages[0]`) are in the order of the index, other values in
   * order of arrival.
   */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/** Errors about missing fields, by field name. */
export type MissingErrors = Readonly<Partial<Record<string, () => ServiceError>>>;

/**
 * Parses all fields of a form. Example: let `quality` be an integer from 1 to 100 with the default 75. The form
 * `quality=80` returns `{ quality: 80 }`, an empty form returns `{ quality: 75 }`, and `quality=0` throws "0 is not
 * within the acceptable range for quality."
 * @param fields parameters by field name
 * @param missing errors about missing fields that have sentences of their own
 * @throws ServiceError 400 with the spec's message for the first field, in order of declaration, that is missing,
 *   repeated or out of range; 413 for JSON that is too long, 422 for invalid JSON
 */
export function readFields<F extends Parameters>(
  fields: F,
  form: SentFields,
  defaults: Readonly<Record<string, string>>,
  missing: MissingErrors = {},
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
    // A field that applies only with another field's value is parsed even if it does not apply, so that errors in its
    // text are reported. Its value is then ignored.
    const applies = !field.onlyWith || field.onlyWith.is.includes(texts[field.onlyWith.parameter] ?? "");
    if (text === undefined) {
      if (applies && !field.isOptional) throw missing[name]?.() ?? fieldRequired(name);
      continue;
    }
    const value = readText(name, field.kind, text);
    if (!applies) continue;
    values[name] = checked(name, field.kind, { text, value });
    if (values[name] === "" && !field.isOptional) throw isFilled(text) ? outOfRange(name, text) : fieldRequired(name);
  }
  return values as Params<F>;
}

/** The name of a setter of objects. */
const PROTOTYPE = "__proto__";

/** Reports whether a value is not blank. HTML forms send blank values for controls that the user left empty. */
export const isFilled = (text: string): boolean => text.trim() !== "";

/** Reports whether the client sent a value for a field. */
export const isSent = (form: SentFields, name: string): boolean => form.fields.get(name)?.some(isFilled) === true;

/** Returns the spec's spelling of a repeatable field: `pages[]`. */
export const listName = (name: string): string => `${name}[]`;

/**
 * Returns the name of the field that can contain a file ID instead of this field's value: `profile_id` for `profile`,
 * `certificate_id` for `certificate_file`.
 */
export const idFieldOf = (name: string): string => `${name.replace(/_file$/, "")}_id`;

/** Returns the spec's spelling of a field. */
export const spellingOf = (name: string, { kind }: Parameter): string => (kind.item ? listName(name) : name);

/** Reports whether a text is a value of a field. A password can consist of spaces. */
const isValueOf = ({ control }: Kind<unknown>, text: string): boolean =>
  control === "password" ? text !== "" : isFilled(text);

function textOf(name: string, { kind }: Parameter, texts: readonly string[] | undefined): string | undefined {
  // A JSON body can contain an empty list, which is not a valid value.
  if (texts?.length === 0) throw outOfRange(name, "");
  if (texts && texts.length > 1 && kind.joint === undefined) throw duplicateField(name);
  const sent = kind.json?.file ? texts : texts?.filter((text) => isValueOf(kind, text));
  return sent?.length ? sent.join(kind.joint) : undefined;
}

/** @returns undefined if the optional list is missing */
function readList(
  name: string,
  item: Kind<unknown>,
  texts: readonly string[] | undefined,
  isOptional: boolean,
): readonly unknown[] | undefined {
  const spelling = listName(name);
  if (!isOptional && texts === undefined) throw fieldRequired(spelling);
  if (texts?.length === 0) throw outOfRange(spelling, "");
  if (isOptional && !texts?.some(isFilled)) return undefined;
  return texts!.map((text) => checked(spelling, item, { text, value: readText(spelling, item, text) }));
}

function readText(name: string, kind: Kind<unknown>, text: string): unknown {
  try {
    return kind.read(text);
  } catch (error) {
    if (!(error instanceof UnreadableText)) throw error;
    if (error.reason === "too-long") throw fieldTooLarge(name);
    if (error.reason === "too-short") throw passwordTooShort();
    throw kind.json?.file ? profileNotJson() : outOfRange(name, kind.isSecret ? SECRET : text, "It is not JSON.");
  }
}

function checked(name: string, kind: Kind<unknown>, sent: { readonly text: string; readonly value: unknown }): unknown {
  const result = kind.value.safeParse(sent.value);
  const dropped = kind.json && droppedIn(sent.value);
  if (dropped) throw outOfRange(memberName(name, kind, dropped), kind.isSecret ? SECRET : PROTOTYPE);
  if (result.success) return result.data;
  if (kind.json) throw memberOutOfRange(name, kind, sent.value, result.error);
  throw outOfRange(name, kind.isSecret ? SECRET : sent.text, kind.hint);
}

/** Returns the path of a member that validation drops without an error. */
function droppedIn(value: unknown): readonly string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (Object.hasOwn(value, PROTOTYPE)) return [PROTOTYPE];
  for (const [key, inner] of Object.entries(value)) {
    const path = droppedIn(inner);
    if (path) return [key, ...path];
  }
  return undefined;
}

/**
 * Returns the path of a member for messages, in which an empty name is in quotation marks. The path in a file, or in an
 * object that repeats the name of its field, is without the name of the field.
 */
function memberName(name: string, { json }: Kind<unknown>, path: readonly string[]): string {
  const isWhole = json?.file !== undefined || path[0] === name;
  return (isWhole ? path : [name, ...path]).map((part) => part || '""').join(".") || name;
}

/**
 * Returns the error of the first member of a JSON value that is unknown, missing or out of range. The error contains the
 * path of the member.
 */
function memberOutOfRange(name: string, kind: Kind<unknown>, value: unknown, { issues: [first] }: z.ZodError) {
  const unknown = first!.code === "unrecognized_keys" ? first.keys.slice(0, 1) : [];
  const path = [...first!.path, ...unknown].map(String);
  let wrong: unknown = value;
  let depth = 0;
  // A text can contain several values, such as "255,0,0". The error is about the whole text.
  for (; depth < path.length && typeof wrong !== "string"; depth++) {
    wrong = (wrong as Record<string, unknown>)?.[path[depth]!];
  }
  const member = memberName(name, kind, path.slice(0, depth));
  const { instead, why } = detailsOf(first!);
  if (instead) return eitherRequired(member, memberName(name, kind, [...path.slice(0, -1), instead]));
  if (wrong === undefined) return why ? fieldRequired(member).because(why) : fieldRequired(member);
  const shown = kind.isSecret ? SECRET : typeof wrong === "string" ? wrong : JSON.stringify(wrong);
  return outOfRange(member, shown, depth === 0 ? kind.hint : undefined);
}

/** Returns the details that a check of several members states. */
function detailsOf(issue: z.core.$ZodIssue): MemberDetails {
  return (issue.code === "custom" && (issue.params as MemberDetails | undefined)) || {};
}
