// JSON parameters that are lists of objects, and members whose values clients send as texts or as JSON values.
import * as z from "zod";
import type { Kind } from "../parameter.ts";
import { json } from "./json.ts";

/** Ranges of a font size in points, and of an opacity. */
export const FONT_SIZE = { min: 5, max: 100 };
export const OPACITY = { min: 0, max: 1 };

/**
 * A list of objects, or a single object. A member that is null counts as not sent (docs/api.md#json-bodies).
 * @param name name of the schema in the API description
 */
export function objectList<T>(object: z.ZodType<T>, name: string): Kind<T[]> {
  const list = json(z.array(object).min(1), { name });
  return { ...list, read: (text) => [list.read(text)].flat().map(withoutNulls) };
}

function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

const NUMBER = /^\s*[+-]?(?:\d{1,9}(?:\.\d{0,12})?|\.\d{1,12})\s*$/;

/** A number, or its decimal digits. */
export const numeric = ({ min, max }: { readonly min: number; readonly max: number }) =>
  z.union([z.number(), z.string().regex(NUMBER).transform(Number)]).pipe(z.number().min(min).max(max));

/** Like {@link numeric}, but described as a number, so that the description of many such members stays short. */
export const briefNumeric = ({ min, max }: { readonly min: number; readonly max: number }) =>
  z.preprocess(
    (value) => (typeof value === "string" && NUMBER.test(value) ? Number(value) : value),
    z.number().min(min).max(max),
  );

/** Like {@link flag}, but described as a boolean. */
export const briefFlag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);
/** A whole number from 0, or its decimal digits. */
export const index = z
  .union([
    z.number(),
    z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  ])
  .pipe(z.int().min(0));

/** A boolean, or its name. */
export const flag = z.union([
  z.boolean(),
  z.literal("true").transform(() => true),
  z.literal("false").transform(() => false),
]);

/** Details of the error about a member that excludes another one, for `refine`. */
export const either = (member: string, other: string) => ({ path: [member], params: { instead: other } });

/** Components of a color from 0 to `max`, as a list or separated by commas. */
export const color = (components: number, max: number) =>
  z
    .union([
      z.array(z.number()),
      z
        .string()
        .regex(/^\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*$/)
        .transform((text) => text.split(",").map(Number)),
    ])
    .pipe(z.array(z.number().min(0).max(max)).length(components));
