// Numeric parameters.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

/** Inclusive bounds. */
interface Range {
  readonly min: number;
  readonly max: number;
}

/**
 * An integer in decimal digits. A minus sign is allowed only if the range includes negative numbers. Example:
 * `integer({ min: 1, max: 100 })`.
 */
export const integer = ({ min, max }: Range): Kind<number> => ({
  ...{ value: z.int().min(min).max(max), schema: { type: "integer", minimum: min, maximum: max }, control: "number" },
  read: (text) => (/^\s*-?\d{1,9}\s*$/.test(text) && (min < 0 || !text.includes("-")) ? Number(text) : Number.NaN),
});

/** A decimal number, with or without a fraction. */
export const number = ({ min, max }: Range): Kind<number> => ({
  ...{ value: z.number().min(min).max(max), schema: { type: "number", minimum: min, maximum: max }, control: "number" },
  read: (text) => (/^\s*[+-]?(\d{1,9}(\.\d{0,12})?|\.\d{1,12})\s*$/.test(text) ? Number(text) : Number.NaN),
});
