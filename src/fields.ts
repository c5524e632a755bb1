// The kinds of field of this API. Each parses the text a client sent and describes itself for OpenAPI; knows no endpoint.
import { z } from "zod";
import { fieldRequired, moreThanOneKey, outOfRange } from "./errors.ts";
import { safeName } from "./file-name.ts";
import type { Form } from "./form.ts";
import { type PageSelection, parsePages } from "./pages.ts";

export interface Field<T> {
  readonly description: string;
  readonly required: boolean;
  /** The text that stands for a field which was not sent. */
  readonly fallback?: string;
  /** Whether its value is undefined where nothing stands for it. @default false: it is required then */
  readonly optional?: boolean;
  /** What joins several values into one; without it there is one value only. */
  readonly joint?: string;
  /** Whether it is a file, read into memory, which may have been sent without a byte. @default false */
  readonly isFile?: boolean;
  readonly schema: z.ZodType<T>;
}

/** A field that may be sent any number of times, `name[]` in the spec's words. */
export interface ListField<T> {
  readonly description: string;
  /** Whether there has to be one at least. */
  readonly required: boolean;
  /** Of each value. */
  readonly item: z.ZodType<T>;
}

export type Fields = Readonly<Record<string, Field<unknown> | ListField<unknown>>>;
export type Values<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends ListField<infer T> ? readonly T[] : F[K] extends Field<infer T> ? T : never;
};

/** One of some words, spelled as the spec spells them. */
export function choice<const W extends string>(
  description: string,
  words: readonly W[],
  fallback?: NoInfer<W>,
): Field<W> {
  return { description, schema: z.enum(words), ...requiredUnless(fallback) };
}

/** A whole number in decimal digits. */
export function integer(
  description: string,
  range: { readonly min: number; readonly max: number },
  fallback: number,
): Field<number> {
  const number = z.int().min(range.min).max(range.max);
  const digits = (text: unknown) => (/^\s*\d{1,9}\s*$/.test(String(text)) ? Number(text) : Number.NaN);
  return { description, schema: z.preprocess(digits, number), ...requiredUnless(String(fallback)) };
}

/** A page selection expression; clients that send JSON send a list of page numbers and ranges as well. */
export function pages(description: string, fallback: string): Field<PageSelection> {
  return { description, schema: expression(["1-3,7", "last-1"], parsePages), joint: ",", ...requiredUnless(fallback) };
}

/** Page selection expressions, each with the words `even` and `odd`; `all` is every page (WIRE). */
export function pagesList(description: string, required: boolean): ListField<PageSelection> {
  const parse = (text: string): PageSelection | undefined => {
    if (text.trim().toLowerCase() !== "all") return parsePages(text, true);
    return { text, items: [{ first: 1, last: "last" }] };
  };
  return { description, required, item: expression(["1-3,7", "last-1", "even", "all"], parse) };
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
      if (!selection) context.addIssue("not a page selection expression");
      return selection ?? z.NEVER;
    });
}

/** A length, and how the client wrote it. */
export interface Length {
  readonly points: number;
  readonly text: string;
}

/** A length in inches or millimetres. */
export function length(description: string, fallback: string): Field<Length> {
  const schema = z
    .string()
    .trim()
    .regex(/^(\d{1,6}(\.\d{0,9})?|\.\d{1,9})(in|mm)$/)
    .meta({ examples: ["1in", "12.5mm"] })
    .transform((text) => ({ points: Number.parseFloat(text) * (text.endsWith("in") ? 72 : 72 / 25.4), text }));
  return { description, schema, ...requiredUnless(fallback) };
}

/** A small JSON file that need not be sent; its text, or the beginning of it where it is too large. */
export function jsonFile(description: string): Field<string | undefined> {
  const schema = z.string().meta({ format: "binary", contentMediaType: "application/json" }).optional();
  return { description, required: false, optional: true, isFile: true, schema };
}

/** The name of what is made, without extension (spec, rule 4). What no file can be called is left out of it. */
export function outputName(description: string): Field<string> {
  return { description, required: true, schema: z.string().transform(safeName) };
}

/** The same, where the name of the input does for it when it is not sent. */
export function outputNameOrInputs(description: string): Field<string> {
  return { ...outputName(description), required: false };
}

function requiredUnless(fallback: string | undefined): { required: boolean; fallback?: string } {
  return fallback === undefined ? { required: true } : { required: false, fallback };
}

/**
 * @throws ServiceError 400 with the spec's sentence for the first field, in the order of declaration, that is missing,
 * was sent more than once or is out of range
 */
export function parseFields<F extends Fields>(
  fields: F,
  form: Form,
  defaults: Readonly<Record<string, string>>,
): Values<F> {
  const values: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields)) {
    const given = form.fields.get(name);
    if ("item" in field) {
      values[name] = parseList(name, field, given);
      continue;
    }
    // A list without a value is not a field that was left out.
    if (given?.length === 0) throw outOfRange(name, "");
    if (given && given.length > 1 && field.joint === undefined) throw moreThanOneKey(name);
    const sent = field.isFile ? given : given?.filter(isFilled);
    const text = sent?.length ? sent.join(field.joint) : (defaults[name] ?? field.fallback);
    if (text === undefined && !field.optional) throw fieldRequired(name);
    const result = field.schema.safeParse(text);
    if (!result.success) throw outOfRange(name, text ?? "");
    if (result.data === "" && !field.optional) throw isFilled(text!) ? outOfRange(name, text!) : fieldRequired(name);
    values[name] = result.data;
  }
  return values as Values<F>;
}

/** A form with an input that was left empty sends it all the same. */
export const isFilled = (text: string): boolean => text.trim() !== "";

/** Whether the client gave a field a value. */
export const isSent = (form: Form, name: string): boolean => form.fields.get(name)?.some(isFilled) === true;

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
    if (!result.success) throw outOfRange(listName(name), text);
    return result.data;
  });
}

/** How the spec spells a field that may be repeated. */
export const listName = (name: string): string => `${name}[]`;
