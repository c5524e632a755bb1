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

const SIZE = /^(\d{1,12}(?:\.\d{0,12})?|\.\d{1,12}) ?(B|KB|MB|GB)?$/i;
const UNITS = ["B", "KB", "MB", "GB"];

/** A size in bytes, written as a number of bytes or with a unit. Units are powers of 1024. */
export const byteSize: Kind<number> = {
  ...{ value: z.int().min(1), control: "text" },
  schema: { type: "string", pattern: "^[0-9.]+ ?([Bb]|[KkMmGg][Bb])?$", examples: ["2MB", "500000"] },
  read(given) {
    const [, number, unit = "B"] = SIZE.exec(given.trim()) ?? [];
    return number === undefined ? undefined : Math.floor(Number(number) * 1024 ** UNITS.indexOf(unit.toUpperCase()));
  },
};
