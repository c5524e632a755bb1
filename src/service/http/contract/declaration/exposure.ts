// Exposes the parameters of an operation as fields of the API, and converts field values to parameters.

import { OutOfRange } from "../../../../document/contract/failure.ts";
import type { Kind, Parameter, Parameters, Params } from "../../../../document/contract/parameter.ts";
import { SECRET } from "../../../../document/contract/parameters/text.ts";
import { spellingOf } from "../fields.ts";

/**
 * The differences between an endpoint's fields and its operation's parameters. Example: `{ names: { pages: "page_range"
 * }, fixed: { flatten: true } }`.
 */
export interface Exposure<Q extends Parameters> {
  /** Field names by parameter. @default the parameter in snake_case */
  readonly names?: { readonly [K in keyof Q]?: string };
  /** Constant values of parameters that get no field. */
  readonly fixed?: { readonly [K in keyof Q]?: Params<Q>[K & keyof Params<Q>] };
  /** Kinds that replace the kinds of the operation's parameters, and allow fewer values. */
  readonly narrowed?: { readonly [K in keyof Q]?: Q[K]["kind"] };
}

/** The fields of an endpoint, and their mapping to its operation's parameters. */
export interface ExposedParameters {
  /** Parameters by field name, in the order of the operation. */
  readonly fields: Parameters;
  /** Returns the field name of a parameter. */
  fieldOf(parameter: string): string;
  /** Converts field values to the operation's parameters. */
  paramsOf(values: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

export function exposed<Q extends Parameters>(parameters: Q, exposure: Exposure<Q>): ExposedParameters {
  const {
    names = {},
    fixed = {},
    narrowed = {},
  } = exposure as {
    readonly names?: Readonly<Record<string, string>>;
    readonly fixed?: Readonly<Record<string, unknown>>;
    readonly narrowed?: Readonly<Record<string, Kind<unknown>>>;
  };
  const fieldOf = (parameter: string) => names[parameter] ?? snakeCase(parameter);
  const shown = Object.entries(parameters).flatMap(([parameter, { onlyWith, ...declared }]) => {
    const field = { ...declared, kind: narrowed[parameter] ?? declared.kind };
    if (Object.hasOwn(fixed, parameter)) return [];
    if (onlyWith === undefined) return [[parameter, field] as const];
    if (!Object.hasOwn(fixed, onlyWith.parameter)) {
      const condition = { ...onlyWith, parameter: fieldOf(onlyWith.parameter) };
      return [[parameter, { ...field, description: withCondition(field, condition), onlyWith: condition }] as const];
    }
    return onlyWith.is.includes(String(fixed[onlyWith.parameter])) ? [[parameter, field] as const] : [];
  });
  return {
    fieldOf,
    fields: Object.fromEntries(shown.map(([parameter, field]) => [fieldOf(parameter), field])),
    paramsOf: (values) => ({
      ...fixed,
      ...Object.fromEntries(
        shown.flatMap(([parameter]) => {
          const value = values[fieldOf(parameter)];
          return value === undefined ? [] : [[parameter, value]];
        }),
      ),
    }),
  };
}

/**
 * Replaces the parameter name in an operation's error by the field name. A path such as `margins.left` keeps its other
 * parts.
 */
export function inWordsOfApi(error: OutOfRange, { fields, fieldOf }: Pick<ExposedParameters, "fields" | "fieldOf">) {
  const [parameter = "", ...path] = error.parameter.split(".");
  const name = fieldOf(parameter);
  const field = fields[name];
  if (!field) return error;
  const spelling = [spellingOf(name, field), ...path].join(".");
  return new OutOfRange(spelling, field.kind.isSecret ? SECRET : error.value, error.why);
}

const withCondition = (
  { description, isOptional, default: fallback }: Parameter,
  { parameter, is }: NonNullable<Parameter["onlyWith"]>,
): string =>
  isOptional || fallback !== undefined
    ? `${description} Ignored unless ${parameter} is ${listed(is)}.`
    : `${description} Required if ${parameter} is ${listed(is)}, and ignored otherwise.`;

const listed = (words: readonly string[]): string => words.join(", ").replace(/, (?=[^,]*$)/, " or ");

const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
