// Parameters whose value is one of several words.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

/** One of the words. Example: `choice(["portrait", "landscape"])`. */
export const choice = <const W extends string>(words: readonly W[]): Kind<W> => ({
  ...{ value: z.enum(words), schema: { type: "string", enum: words }, control: "choice", read: (text) => text },
});

/** A word that maps to a value. Example: `wordFor({ on: true, off: false }, z.boolean())`. */
export const wordFor = <T>(values: Readonly<Record<string, T>>, value: z.ZodType<T>): Kind<T> => ({
  ...{ value, schema: { type: "string", enum: Object.keys(values) }, control: "choice" },
  read: (text) => (Object.hasOwn(values, text) ? values[text] : undefined),
});
