// Colors as comma-separated integers. JSON clients can also send arrays of numbers.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

function color(channels: number, max: number, example: string): Kind<readonly number[]> {
  const numbers = z.array(z.int().min(0).max(max)).length(channels).readonly();
  const pattern = `^\\s*\\d{1,3}(\\s*,\\s*\\d{1,3}){${channels - 1}}\\s*$`;
  return {
    ...{ value: numbers, schema: { type: "string", pattern, examples: [example] }, control: "color", joint: "," },
    read: (text) => (new RegExp(pattern).test(text) ? text.split(",").map(Number) : undefined),
  };
}

/** Red, green and blue from 0 to 255, such as `255,0,0`. */
export const rgb = color(3, 255, "255,0,0");

/** Cyan, magenta, yellow and black in percent, such as `0,100,100,0`. */
export const cmyk = color(4, 100, "0,100,100,0");
