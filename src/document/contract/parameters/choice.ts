// Defines choices among words.
import * as z from "zod";
import type { Kind } from "../parameter.ts";

/** One of the words. */
export const choice = <const W extends string>(words: readonly W[]): Kind<W> => ({
  ...{ value: z.enum(words), schema: { type: "string", enum: words }, control: "choice", read: (text) => text },
});

/** One of the words, each of which stands for a value. */
export const wordFor = <T>(values: Readonly<Record<string, T>>, value: z.ZodType<T>): Kind<T> => ({
  ...{ value, schema: { type: "string", enum: Object.keys(values) }, control: "choice" },
  read: (text) => (Object.hasOwn(values, text) ? values[text] : undefined),
});
