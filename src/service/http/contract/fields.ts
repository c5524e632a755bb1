// Defines the kinds of field of this API. Each kind parses the client's text and describes itself for OpenAPI. Knows
// nothing about endpoints.
import * as z from "zod";
import { safeName } from "../../../document/contract/file-name.ts";
import {
  HOW_PAGES_ARE_WRITTEN,
  type PageSelection,
  parseListedPages,
  parsePages,
} from "../../../document/contract/pages.ts";
import { duplicateField, fieldRequired, outOfRange } from "./errors.ts";

export interface Field<T> {
  readonly description: string;
  readonly required: boolean;
  /** Default text of a field that was not sent. */
  readonly fallback?: string;
  /**
   * True if the value may be undefined when the field was not sent and has no fallback. @default false: the field is
   * required
   */
  readonly optional?: boolean;
  /** Value of another field with which this one is required. @default none */
  readonly requiredIf?: { readonly field: string; readonly is: string };
  /** Separator that joins several values into one. Without it, the field accepts only one value. */
  readonly joint?: string;
  /** Name of a field of which this one holds a stored file, by its id. @default none */
  readonly standsFor?: string;
  /** True if the field is a file, which is read into memory and may be sent empty. @default false */
  readonly isFile?: boolean;
  /** What a JSON file contains, with the name of its schema in the description of the API. @default anything */
  readonly content?: { readonly name: string; readonly schema: z.ZodType };
  readonly schema: z.ZodType<T>;
}

/** A field that may be repeated, spelled `name[]` in the spec. */
export interface ListField<T> {
  readonly description: string;
  /** True if at least one value is required. */
  readonly required: boolean;
  /** Schema of each value. */
  readonly item: z.ZodType<T>;
}

export type Fields = Readonly<Record<string, Field<unknown> | ListField<unknown>>>;
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends ListField<infer T> ? readonly T[] : F[K] extends Field<infer T> ? T : never;
};

/** Returns a field that accepts one of the given words, in the spec's spelling. */
export function choice<const W extends string>(
  description: string,
  words: readonly W[],
  fallback?: NoInfer<W>,
): Field<W> {
  return { description, schema: z.enum(words), ...requiredUnless(fallback) };
}

/** Returns a field that accepts a whole number in decimal digits. */
export function integer(
  description: string,
  range: { readonly min: number; readonly max: number },
  fallback: number,
): Field<number> {
  const number = z.int().min(range.min).max(range.max);
  const digits = (text: unknown) => (/^\s*\d{1,9}\s*$/.test(String(text)) ? Number(text) : Number.NaN);
  return { description, schema: z.preprocess(digits, number), ...requiredUnless(String(fallback)) };
}

/** Returns an optional field that accepts a whole number in decimal digits. */
export function optionalInteger(
  description: string,
  range: { readonly min: number; readonly max: number },
): Field<number | undefined> {
  const { schema } = integer(description, range, range.min);
  return { description, required: false, optional: true, schema: schema.optional() };
}

/**
 * Returns a field that accepts a page selection expression. JSON clients may also send a list of page numbers and
 * ranges.
 */
export function pages(description: string, fallback: string): Field<PageSelection> {
  return { description, schema: expression(["1-3,7", "last-1"], parsePages), joint: ",", ...requiredUnless(fallback) };
}

/**
 * Returns a list of page selection expressions, which also accept the words `even` and `odd`; `all` selects every page
 * (docs/api.md#page-selections).
 */
export function pagesList(description: string, required: boolean): ListField<PageSelection> {
  return { description, required, item: expression(["1-3,7", "last-1", "even", "all"], parseListedPages) };
}

function expression(
  examples: readonly string[],
  parse: (text: string) => PageSelection | undefined,
): z.ZodType<PageSelection> {
  return z
    .string()
    .meta({ examples: [...examples] })
    .transform((text, context) => {
      const selection = parse(text);
      if (!selection) context.addIssue(HOW_PAGES_ARE_WRITTEN);
      return selection ?? z.NEVER;
    });
}

/** A length, with the client's own text. */
export interface Length {
  readonly points: number;
  readonly text: string;
}

/** Returns a field that accepts a length in inches or millimeters. */
export function length(description: string, fallback: string): Field<Length> {
  const schema = z
    .string()
    .trim()
    .regex(/^(\d{1,6}(\.\d{0,9})?|\.\d{1,9})(in|mm)$/)
    .meta({ examples: ["1in", "12.5mm"] })
    .transform((text) => ({ points: Number.parseFloat(text) * (text.endsWith("in") ? 72 : 72 / 25.4), text }));
  return { description, schema, ...requiredUnless(fallback) };
}

/**
 * Returns an optional field for a small JSON file. The value is its text, or the start of its text if the file is too
 * large.
 * @param more `requiredIf`: the value of another field with which the endpoint requires it
 */
export function jsonFile(
  description: string,
  more: Pick<Field<unknown>, "requiredIf" | "content"> = {},
): Field<string | undefined> {
  const schema = z.string().meta({ format: "binary", contentMediaType: "application/json" }).optional();
  return { description, required: false, optional: true, isFile: true, schema, ...more };
}

/** Returns an optional field with the id of a stored file, which stands for another field. */
export function storedFile(description: string, standsFor: string): Field<string | undefined> {
  return { description, required: false, optional: true, standsFor, schema: z.string().optional() };
}

/**
 * Returns a field for the name of the output, without extension (spec, rule 4). Characters that file names cannot have
 * are removed.
 */
export function outputName(description: string): Field<string> {
  return { description, required: true, schema: z.string().transform(safeName) };
}

/** Like {@link outputName}, for endpoints that the contract of 2022 does not have. */
export function optionalOutputName(description: string): Field<string> {
  return { ...outputName(description), required: false };
}

function requiredUnless(fallback: string | undefined): { required: boolean; fallback?: string } {
  return fallback === undefined ? { required: true } : { required: false, fallback };
}

/** The fields of a request, whatever the encoding of its body. */
export interface SentFields {
  /** Values by name without brackets, in the order of their index, or else of their arrival. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
}

/**
 * Parses all fields of a form.
 * @throws ServiceError 400 with the spec's sentence for the first field, in the order of declaration, that is missing,
 * repeated or out of range
 */
export function parseFields<F extends Fields>(
  fields: F,
  form: SentFields,
  defaults: Readonly<Record<string, string>>,
): Values<F> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = form.fields.get(name);
    if ("item" in field) {
      values[name] = parseList(name, field, given);
      continue;
    }
    // A list without values is different from a field that was not sent.
    if (given?.length === 0) throw outOfRange(name, "");
    if (given && given.length > 1 && field.joint === undefined) throw duplicateField(name);
    const sent = field.isFile ? given : given?.filter(isFilled);
    const text = sent?.length ? sent.join(field.joint) : (defaults[name] ?? field.fallback);
    if (text === undefined && !field.optional) throw fieldRequired(name);
    const result = field.schema.safeParse(text);
    if (!result.success) throw outOfRange(name, text ?? "", whyOf(result.error));
    if (result.data === "" && !field.optional) throw isFilled(text!) ? outOfRange(name, text!) : fieldRequired(name);
    values[name] = result.data;
  }
  return values as Values<F>;
}

/** Reports whether a text counts as sent. A form also sends inputs that the user left empty. */
export const isFilled = (text: string): boolean => text.trim() !== "";

/** Reports whether the client sent a value for a field. */
export const isSent = (form: SentFields, name: string): boolean => form.fields.get(name)?.some(isFilled) === true;

function parseList<T>(
  name: string,
  { required, item }: ListField<T>,
  given: readonly string[] | undefined,
): readonly T[] {
  if (required && given === undefined) throw fieldRequired(listName(name));
  if (given?.length === 0) throw outOfRange(listName(name), "");
  const sent = required || given?.some(isFilled) ? given! : [];
  return sent.map((text) => {
    const result = item.safeParse(text);
    if (!result.success) throw outOfRange(listName(name), text, whyOf(result.error));
    return result.data;
  });
}

/** Returns the explanation of a schema that has one for the client. */
const whyOf = ({ issues }: z.ZodError): string | undefined => issues.find(({ code }) => code === "custom")?.message;

/** Returns the spec's spelling of a field that may be repeated. */
export const listName = (name: string): string => `${name}[]`;
