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

/** Drops members that are null, which count as not sent (docs/api.md#json-bodies). */
export function withoutNulls(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNulls(member)]));
}

const NUMBER = /^\s*[+-]?(?:\d{1,9}(?:\.\d{0,12})?|\.\d{1,12})\s*$/;

interface Range {
  readonly min: number;
  readonly max: number;
}
const inRange = ({ min, max }: Range) => z.number().min(min).max(max);
const digits = z.string().regex(NUMBER).transform(Number);

/** A number, or its decimal digits. The range is in the description of the number, which a pipe after it would hide. */
export const numeric = (range: Range) => z.union([inRange(range), digits.pipe(inRange(range))]);

/** Like {@link numeric}, but described as a number, so that the description of many such members stays short. */
export const briefNumeric = (range: Range) =>
  z.preprocess((value) => (typeof value === "string" && NUMBER.test(value) ? Number(value) : value), inRange(range));

/** Like {@link flag}, but described as a boolean. */
export const briefFlag = z.preprocess(
  (value) => (value === "true" ? true : value === "false" ? false : value),
  z.boolean(),
);

/** A whole number from 0, or its decimal digits. */
export const index = z.union([
  z.int().min(0),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

/** A boolean, or its name. */
export const flag = z.union([
  z.boolean(),
  z.literal("true").transform(() => true),
  z.literal("false").transform(() => false),
]);

/** Details of the error about a member that depends on other members, as `params` of a check. */
export interface MemberDetails {
  /** The member that excludes this one, if exactly one of both is required. */
  readonly instead?: string;
  /** Sentence that follows the error about a missing member. */
  readonly why?: string;
}

/** Details of the error about a member that excludes another one, for `refine`. */
export const either = (member: string, other: string): { path: [string]; params: MemberDetails } => ({
  path: [member],
  params: { instead: other },
});

/** Components of a color from 0 to `max`, as a list or separated by commas. */
export function color(components: number, max: number) {
  const list = z.array(inRange({ min: 0, max })).length(components);
  const separated = z
    .string()
    .regex(/^\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*$/)
    .transform((text) => text.split(",").map(Number));
  return z.union([list, separated.pipe(list)]);
}
