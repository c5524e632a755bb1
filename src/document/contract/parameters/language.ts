// Languages as parameters.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

const LONGEST_TAG = 100;

/** A tag of a language (RFC 5646, 2.1), such as `en-US`. */
export const languageTag: Kind<string> = {
  value: z
    .string()
    .max(LONGEST_TAG)
    .regex(/^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/),
  schema: { type: "string", maxLength: LONGEST_TAG, examples: ["en-US"] },
  control: "text",
  read: (text) => text,
};
