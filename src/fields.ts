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
  /** What joins several values into one; without it there is one value only. */
  readonly joint?: string;
  readonly schema: z.ZodType<T>;
}

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

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
  const schema = z
    .string()
    .meta({ examples: ["1-3,7", "last-1"] })
    .transform((text, context) => {
      const selection = parsePages(text);
      if (!selection) context.addIssue("not a page selection expression");
      return selection ?? z.NEVER;
    });
  return { description, schema, joint: ",", ...requiredUnless(fallback) };
}

/** A length in inches or millimetres; in points. */
export function length(description: string, fallback: string): Field<number> {
  const schema = z
    .string()
    .trim()
    .regex(/^(\d{1,6}(\.\d{0,9})?|\.\d{1,9})(in|mm)$/)
    .meta({ examples: ["1in", "12.5mm"] })
    .transform((text) => Number.parseFloat(text) * (text.endsWith("in") ? 72 : 72 / 25.4));
  return { description, schema, ...requiredUnless(fallback) };
}

/** The name of what is made, without extension (spec, rule 4). What no file can be called is left out of it. */
export function outputName(description: string): Field<string> {
  return { description, required: true, schema: z.string().transform(safeName) };
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
    const given = form.fields.get(name) ?? [];
    if (given.length > 1 && field.joint === undefined) throw moreThanOneKey(name);
    const text = (given.length > 1 ? given.join(field.joint) : given[0]) ?? defaults[name] ?? field.fallback;
    if (text === undefined) throw fieldRequired(name);
    const result = field.schema.safeParse(text);
    if (!result.success) throw outOfRange(name, text);
    if (result.data === "") throw text.trim() === "" ? fieldRequired(name) : outOfRange(name, text);
    values[name] = result.data;
  }
  return values as Values<F>;
}
