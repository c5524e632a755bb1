// Lengths with a unit.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

/** A length, with the client's original text. */
export interface Length {
  readonly points: number;
  readonly text: string;
}

const LENGTH = /^(\d{1,6}(\.\d{0,9})?|\.\d{1,9})(in|mm)$/;

/** A length in inches or millimeters. */
export const length: Kind<Length> = {
  value: z.object({ points: z.number().min(0), text: z.string() }),
  schema: { type: "string", pattern: LENGTH.source, examples: ["1in", "12.5mm"] },
  control: "text",
  read(given) {
    const text = given.trim();
    if (!LENGTH.test(text)) return undefined;
    return { points: Number.parseFloat(text) * (text.endsWith("in") ? 72 : 72 / 25.4), text };
  },
};
