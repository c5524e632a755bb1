// Defines numbers.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

/** Bounds of a number, both of which it may reach. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/** A whole number in decimal digits, with a minus sign only if the range has negative numbers. */
export const integer = ({ min, max }: Range): Kind<number> => ({
  ...{ value: z.int().min(min).max(max), schema: { type: "integer", minimum: min, maximum: max }, control: "number" },
  read: (text) => (/^\s*-?\d{1,9}\s*$/.test(text) && (min < 0 || !text.includes("-")) ? Number(text) : Number.NaN),
});

/** A number in decimal digits, with or without a fraction. */
export const number = ({ min, max }: Range): Kind<number> => ({
  ...{ value: z.number().min(min).max(max), schema: { type: "number", minimum: min, maximum: max }, control: "number" },
  read: (text) => (/^\s*[+-]?(\d{1,9}(\.\d{0,12})?|\.\d{1,12})\s*$/.test(text) ? Number(text) : Number.NaN),
});
