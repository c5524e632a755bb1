// Reads the fields of a foreign form, with the messages that its clients know. All errors are reported together.

import { LIMITS } from "../document/contract/limits.ts";
import { requestHeaders } from "../document/contract/parameters/web-page.ts";
import { ServiceError } from "../service/http/contract/errors.ts";

/** How far the service does with a field what Gotenberg 8 does. `ignored`: without effect on the result, as it is. */
type Support = "same" | "differs" | "ignored" | "refused";

/** A field of a route. */
export interface Field<V> {
  /** @returns undefined for an invalid value */
  read(text: string): V | undefined;
  /** The value of a field that is missing or empty. */
  readonly fallback: V;
  /** Completes the message about an invalid value: expected …. */
  readonly expected: string;
  readonly support: Support;
  /** The only values that the service can serve. @default all */
  readonly only?: readonly V[];
  /** The parameter of the first operation that has the value. @default the route's code uses the value */
  readonly parameter?: string;
  /** Returns the value of the parameter; undefined to leave it out. @default the value itself, unless it is empty */
  to?(value: V): unknown;
}

// biome-ignore lint/suspicious/noExplicitAny: each field has its own type
export type FieldTable = Readonly<Record<string, Field<any>>>;
export type Values<T extends FieldTable> = { readonly [N in keyof T]: T[N]["fallback"] };

export const text: Field<string> = { read: (given) => given, fallback: "", expected: "a text", support: "same" };

/** The words that Go takes for a boolean. */
export const flag = (fallback = false): Field<boolean> => ({
  read(given) {
    if (/^(1|t|T|TRUE|true|True)$/.test(given)) return true;
    return /^(0|f|F|FALSE|false|False)$/.test(given) ? false : undefined;
  },
  ...{ fallback, expected: "true or false", support: "same" },
});

interface Range {
  readonly min?: number;
  readonly max?: number;
}

export const number = <V extends number | undefined>(
  fallback: V,
  { min = -Infinity, max = Infinity }: Range = {},
): Field<number | V> => ({
  read(given) {
    const value = Number(given);
    return given.trim() !== "" && value >= min && value <= max ? value : undefined;
  },
  ...{ fallback, support: "same" },
  expected: Number.isFinite(max) ? `a number from ${min} to ${max}` : "a number",
});

export const integer = <V extends number | undefined>(fallback: V, range?: Range): Field<number | V> => {
  const any = number(fallback, range);
  const read = (given: string) => (/^[-+]?\d+$/.test(given) ? any.read(given) : undefined);
  return { ...any, read, expected: any.expected.replace("a number", "a whole number") };
};

const RANGE = /^(\d{1,9})?\s*-\s*(\d{1,9})?$|^(\d{1,9})$/;

/** A page selection in the words of the service: `1-3,5,7-last`. */
export const ranges: Field<string> = {
  ...text,
  read(given) {
    const parts = given.split(",").map((part) => RANGE.exec(part.trim()));
    if (parts.some((part) => part === null || part[0] === "-")) return undefined;
    return parts.map((part) => part![3] ?? `${part![1] ?? "1"}-${part![2] ?? "last"}`).join(",");
  },
  expected: "page ranges such as 1-3,5,7-",
};

const POINTS: Readonly<Record<string, number>> = { pt: 1, px: 0.75, in: 72, mm: 72 / 25.4, cm: 72 / 2.54, pc: 12 };

/** A length in points, of a text in inches or with a unit. @param inches the fallback */
export const length = (inches: number): Field<number> => ({
  read(given) {
    const [, digits, unit = "in"] = /^(\d+(?:\.\d*)?|\.\d+)(pt|px|in|mm|cm|pc)?$/.exec(given) ?? [];
    return digits === undefined ? undefined : Number(digits) * POINTS[unit]!;
  },
  ...{ fallback: inches * 72, support: "same" },
  expected: "a number of inches, or a length in pt, px, in, mm, cm or pc",
});

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds, of a text such as `1.5s` or `1m30s`. */
export const duration: Field<number> = {
  read(given) {
    if (given === "0") return 0;
    const parts = [...given.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/g)];
    const isWhole = parts.length > 0 && parts.map(([part]) => part).join("") === given;
    if (!isWhole) return undefined;
    const total = Math.ceil(parts.reduce((sum, [, digits, unit]) => sum + Number(digits) * UNITS[unit!]!, 0));
    return total <= LIMITS.pageWaitMs ? total : undefined;
  },
  ...{ fallback: 0, support: "differs", expected: `a duration such as 1.5s, at most ${LIMITS.pageWaitMs / 1000}s` },
};

/** @param isValid checks the type of the parsed value */
export const json = <V>(isValid: (value: unknown) => value is V, expected: string): Field<V | undefined> => ({
  read(given) {
    try {
      const value: unknown = JSON.parse(given);
      return isValid(value) ? value : undefined;
    } catch {
      return undefined;
    }
  },
  ...{ fallback: undefined, expected, support: "same" },
});

type Entries<V> = Readonly<Record<string, V>>;
export const isObject = (value: unknown): value is Entries<unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf =
  <V>(isItem: (value: unknown) => value is V) =>
  (value: unknown): value is readonly V[] =>
    Array.isArray(value) && value.every(isItem);

export const objects = json(isListOf(isObject), "a JSON list of objects");
export const object = json(isObject, "a JSON object");
export const texts = json(
  (value): value is Entries<string> => isObject(value) && Object.values(value).every((one) => typeof one === "string"),
  "a JSON object of texts",
);
/** Headers of requests, without those that describe the connection or the message itself. */
export const headerTexts = json(
  (value): value is Entries<string> => requestHeaders.value.safeParse(value).success,
  "a JSON object of request headers",
);
export const names = json(
  isListOf((value): value is string => typeof value === "string"),
  "a JSON list of texts",
);
export const statuses = json(
  isListOf((value): value is number => Number.isInteger(value)),
  "a JSON list of status codes",
);

export const choice = <const V extends string>(all: readonly V[], fallback: V | ""): Field<V | ""> => ({
  read: (given) => all.find((one) => one === given),
  ...{ fallback, expected: `one of ${all.join(", ")}`, support: "same" },
});

/** A field whose value is a parameter of the first operation. */
export const takes = <V>(field: Field<V>, parameter: string, to?: Field<V>["to"]): Field<V> => ({
  ...{ ...field, parameter },
  ...(to ? { to } : {}),
});
export const differs = <V>(field: Field<V>): Field<V> => ({ ...field, support: "differs" });
export const ignored = <V>(field: Field<V>): Field<V> => ({ ...field, support: "ignored" });
/** A field of which the service can only serve the fallback. */
export const refused = <V>(field: Field<V>): Field<V> => ({ ...field, support: "refused", only: [field.fallback] });

/** Collects the errors of a form. */
export class FormErrors {
  readonly #sentences: string[] = [];

  add(sentence: string): void {
    this.#sentences.push(sentence);
  }

  /** @throws ServiceError 400 if there are errors */
  check(): void {
    if (this.#sentences.length > 0) throw invalid(this.#sentences.join("\n"));
  }
}

/** A value in a message is not longer. */
const SHOWN_LENGTH = 200;

export const invalid = (sentences: string) => new ServiceError(400, `Invalid form data: ${sentences}`);

/** Values by the names of fields. */
export type SentValues = ReadonlyMap<string, readonly string[]>;

/** Reports whether a value is an empty list or object, which says the same as no value. */
const isEmpty = (value: unknown) => typeof value === "object" && Object.keys(value ?? {}).length === 0;

/** Reads all fields of a table. Adds invalid values, and values that the service cannot serve, to the errors. */
export function readTable<const T extends FieldTable>(table: T, sent: SentValues, errors: FormErrors): Values<T> {
  return Object.fromEntries(
    Object.entries(table).map(([name, { read, fallback, expected, only }]) => {
      const given = sent.get(name)?.[0] ?? "";
      const value: unknown = given === "" ? fallback : read(given);
      const shown = given.slice(0, SHOWN_LENGTH);
      if (value === undefined && given !== "") {
        errors.add(`form field '${name}' is invalid (got '${shown}', expected ${expected})`);
      } else if (only && !only.includes(value) && !isEmpty(value)) {
        errors.add(`form field '${name}' is not supported with the value '${shown}'`);
      }
      return [name, value];
    }),
  ) as Values<T>;
}

/** Returns the parameters of the first operation that a table sets. */
export function parametersOf<T extends FieldTable>(table: T, values: Values<T>): Record<string, unknown> {
  const entries = Object.entries(table).flatMap(([name, { parameter, to }]) => {
    if (parameter === undefined) return [];
    const value: unknown = values[name];
    const set: unknown = to ? to(value) : value;
    return set === undefined || set === "" ? [] : [[parameter, set] as const];
  });
  return Object.fromEntries(entries);
}
