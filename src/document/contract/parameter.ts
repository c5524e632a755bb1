// Defines the parameters of operations, from which everything else about them is derived: the check of what another
// process sends, fields of forms, members of JSON bodies, descriptions and controls. A kind says what its values are; a
// parameter says what a value is for, and when it may be missing.
//
//   const parameters = {
//     quality: parameter("Higher gives better quality.", integer({ min: 1, max: 100 }), "75"),
//     pages: optional("The pages to draw; all if left out.", pages),
//   };
import * as z from "zod";

/** A JSON schema (draft 2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The control of a form that suits a kind. */
export type Control = "switch" | "choice" | "number" | "pages" | "color" | "password" | "code" | "text";

export interface Kind<T> {
  /** Checks a value, whether read from a text or sent by another process. */
  readonly value: z.ZodType<T>;
  /** Schema of the text, or of the number for which it stands. */
  readonly schema: JsonSchema;
  readonly control: Control;
  /**
   * Reads the text of a form or a command line.
   * @returns the value, which is yet to be checked
   * @throws UnreadableText
   */
  read(text: string): unknown;
  /** A sentence for clients whose value is out of range. @default none */
  readonly hint?: string;
  /** Separator that joins several texts to one value. @default a repeated text is a mistake */
  readonly joint?: string;
  /** The kind of each value of a list: each text is read alone. @default the value is no list */
  readonly item?: Kind<unknown>;
  /** Set if the text is JSON. */
  readonly json?: JsonContent;
  /** True if the value must not be logged, kept or hashed in the clear, nor repeated in an error. @default false */
  readonly isSecret?: boolean;
}

/** The content of a text that is JSON. */
export interface JsonContent {
  readonly schema: JsonSchema;
  /** Name under which a description lists the schema. @default none */
  readonly name?: string;
  /**
   * The content in words, if a client may send a file, or the id of a stored file, in place of the text. @default it
   * may not
   */
  readonly file?: string;
}

/** A text that is no value of its kind at all. */
export class UnreadableText extends Error {
  readonly reason: "not-json" | "too-long";
  constructor(reason: UnreadableText["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

/** @template A true if the value may be absent */
export interface Parameter<T = unknown, A extends boolean = boolean> {
  readonly description: string;
  readonly kind: Kind<T>;
  /** Text of the value if the client sends none. */
  readonly default?: string;
  /** True if neither a value nor a default is needed. */
  readonly isOptional: boolean;
  /** The values of another parameter with which this one counts. @default it always counts */
  readonly onlyWith?: { readonly parameter: string; readonly is: readonly string[] };
  readonly mayBeAbsent: A;
}

export type Parameters = Readonly<Record<string, Parameter>>;

type ValueOf<P> = P extends Parameter<infer T> ? T : never;

/** The values of parameters by name. */
export type Params<P extends Parameters> = {
  readonly [K in keyof P as P[K] extends Parameter<unknown, false> ? K : never]: ValueOf<P[K]>;
} & { readonly [K in keyof P as P[K] extends Parameter<unknown, false> ? never : K]?: ValueOf<P[K]> };

/** Declares a parameter that every request has. @param fallback text of the default; without it, clients must send one */
export const parameter = <T>(description: string, kind: Kind<T>, fallback?: string): Parameter<T, false> => ({
  ...{ description, kind, isOptional: false, mayBeAbsent: false },
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** Declares a parameter that may be absent. */
export const optional = <T>(description: string, kind: Kind<T>): Parameter<T, true> => ({
  ...{ description, kind, isOptional: true, mayBeAbsent: true },
});

/** Declares a parameter that counts only with one or some values of another one, and is ignored otherwise. */
export const onlyWith = <T>(
  name: string,
  is: string | readonly string[],
  declared: Parameter<T>,
): Parameter<T, true> => ({
  ...{ ...declared, mayBeAbsent: true, onlyWith: { parameter: name, is: [is].flat() } },
});

/** Returns the schema that checks the values of parameters which come from another process. */
export function schemaOf<P extends Parameters>(parameters: P): z.ZodType<Params<P>> {
  const shape = Object.entries(parameters).map(([name, { kind, mayBeAbsent }]) => [
    name,
    mayBeAbsent ? kind.value.exactOptional() : kind.value,
  ]);
  const isMissing = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(parameters).some(
      ([name, { onlyWith: condition, isOptional }]) =>
        condition &&
        !isOptional &&
        values[name] === undefined &&
        condition.is.includes(String(values[condition.parameter])),
    );
  const schema: z.ZodType<Record<string, unknown>> = z.object(Object.fromEntries(shape));
  return schema.refine((values) => !isMissing(values)) as unknown as z.ZodType<Params<P>>;
}
