// Defines the parameters of operations. The validation of messages from other processes, form fields, members of JSON
// bodies, descriptions and controls all derive from these definitions. A kind defines the valid values. A parameter
// defines the purpose of a value, and when the value can be absent.
//
// const parameters = {
//   quality: parameter("Higher gives better quality.", integer({ min: 1, max: 100 }), "75"),
//   pages: optional("The pages to draw; all if left out.", pages),
// };
import * as z from "zod";

/** A JSON schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The form control for a kind. */
export type Control =
  | "switch"
  | "choice"
  | "number"
  | "pages"
  | "listed-pages"
  | "color"
  | "password"
  | "code"
  | "file"
  | "text";

export interface Kind<T> {
  /** Validates a value, parsed from text or sent by another process. */
  readonly value: z.ZodType<T>;
  /** Schema of the text, or of the number that it represents. */
  readonly schema: JsonSchema;
  readonly control: Control;
  /**
   * Parses the text of a form or a command line.
   * @returns the value, not yet validated
   * @throws UnreadableText
   */
  read(text: string): unknown;
  /** A message for clients whose value is out of range. @default none */
  readonly hint?: string;
  /** Separator that joins repeated texts into one value. @default a repeated text is an error */
  readonly joint?: string;
  /** Words of which the value is a selection. @default any value */
  readonly words?: readonly string[];
  /** Kind of the elements of a list, each parsed from a separate text. @default the value is not a list */
  readonly item?: Kind<unknown>;
  /** Present if the text is JSON. */
  readonly json?: JsonContent;
  /**
   * Description of the file whose content is the text, which a client can send directly or by the ID of a stored file. A
   * file that is not UTF-8 becomes base64. @default the text is not the content of a file
   */
  readonly file?: string;
  /**
   * True for a secret: the value is never logged or quoted in an error, and is encrypted before it is stored or hashed.
   * @default false
   */
  readonly isSecret?: boolean;
}

/** The JSON that a text contains. */
export interface JsonContent {
  readonly schema: JsonSchema;
  /** Name of the schema in descriptions. @default unnamed */
  readonly name?: string;
  /**
   * Description of the file that a client can send instead of the text, directly or by the ID of a stored file.
   * @default a client can send only the text
   */
  readonly file?: string;
}

/** A text that cannot be parsed as a value of its kind. */
export class UnreadableText extends Error {
  readonly reason: "not-json" | "too-long" | "too-short" | "no-language";
  constructor(reason: UnreadableText["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/** The end of a part of the API (docs/versions.md#deprecation). Dates are as in 2026-12-31. */
export interface Deprecation {
  readonly since: string;
  readonly sunset: string;
  /** Sentence about what to use instead. */
  readonly instead: string;
}

/** @template A true if the value can be absent */
export interface Parameter<T = unknown, A extends boolean = boolean> {
  readonly description: string;
  readonly kind: Kind<T>;
  /** Text of the default value. */
  readonly default?: string;
  /** True if the value can be absent without a default. */
  readonly isOptional: boolean;
  /** The values of another parameter that enable this one. @default always enabled */
  readonly onlyWith?: { readonly parameter: string; readonly is: readonly string[]; readonly isNeeded: boolean };
  readonly mayBeAbsent: A;
  /** @default the parameter stays */
  readonly deprecated?: Deprecation;
}

export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/** The values of parameters by name. */
export type Params<P extends Parameters> = {
  readonly [K in keyof P as P[K] extends Parameter<unknown, false> ? K : never]: ValueOf<P[K]>;
} & { readonly [K in keyof P as P[K] extends Parameter<unknown, false> ? never : K]?: ValueOf<P[K]> };

/**
 * Declares a parameter that has a value in every request.
 * @param fallback text of the default; without it, the parameter is required. Example: `parameter("Sharpness.",
 *   integer({ min: 1, max: 100 }), "75")`.
 */
export const parameter = <T>(description: string, kind: Kind<T>, fallback?: string): Parameter<T, false> => ({
  ...{ description, kind, isOptional: false, mayBeAbsent: false },
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** Declares a parameter that can be absent. Example: `optional("The pages to draw.", pages)`. */
export const optional = <T>(description: string, kind: Kind<T>): Parameter<T, true> => ({
  ...{ description, kind, isOptional: true, mayBeAbsent: true },
});

/**
 * Declares a parameter that has a value in every request, but that callers in this code base can leave out.
 * @param fallback text of the default of requests, which is equivalent to leaving the parameter out
 */
export const extra = <T>(description: string, kind: Kind<T>, fallback: string): Parameter<T, true> => ({
  ...{ description, kind, default: fallback, isOptional: false, mayBeAbsent: true },
});

/**
 * Declares a parameter that applies only with one or several values of another parameter, and is ignored otherwise.
 * Example: `onlyWith("format", "jpg", parameter("Quality.", integer({ min: 1, max: 100 }), "75"))`.
 */
export const onlyWith = <T>(
  name: string,
  is: string | readonly string[],
  declared: Parameter<T>,
): Parameter<T, true> => ({
  ...{ ...declared, mayBeAbsent: true },
  onlyWith: { parameter: name, is: [is].flat(), isNeeded: !declared.mayBeAbsent },
});

/** Returns the schema that validates parameters from another process. */
export function schemaOf<P extends Parameters>(parameters: P): z.ZodType<Params<P>> {
  const shape = Object.entries(parameters).map(([name, { kind, mayBeAbsent }]) => [
    name,
    mayBeAbsent ? kind.value.exactOptional() : kind.value,
  ]);
  const isMissing = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(parameters).some(
      ([name, { onlyWith: condition }]) =>
        condition?.isNeeded && values[name] === undefined && condition.is.includes(String(values[condition.parameter])),
    );
  const schema: z.ZodType<Record<string, unknown>> = z.object(Object.fromEntries(shape));
  return schema.refine((values) => !isMissing(values)) as unknown as z.ZodType<Params<P>>;
}
