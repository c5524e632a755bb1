// Defines plain texts, secret ones, and lists.
import * as z from "zod";
import { safeName } from "../file-name.ts";
import type { Kind } from "../parameter.ts";

interface Size {
  /** @default 1 */
  readonly min?: number;
  readonly max: number;
}

/** Any text of a number of letters. */
export const text = ({ min = 1, max }: Size): Kind<string> => ({
  ...{ value: z.string().min(min).max(max), control: "text", read: (given) => given },
  schema: { type: "string", minLength: min, maxLength: max },
});

/** A text that only the client may know. */
export const password = (size: Size): Kind<string> => ({ ...text(size), control: "password", isSecret: true });

/** The id of a stored file. */
export const fileId: Kind<string> = {
  ...{ value: z.string(), schema: { type: "string" }, control: "text", read: (given) => given },
};

/** The name of a file without extension. Characters that file names cannot have are removed (spec, rule 4). */
export const fileName: Kind<string> = {
  ...{ value: z.string(), schema: { type: "string" }, control: "text", read: safeName },
};

/** Some of the words, separated by commas. JSON clients may also send a list. */
export const words = <const W extends string>(all: readonly W[]): Kind<readonly W[]> => ({
  ...{ value: z.array(z.enum(all)).readonly(), control: "text", joint: ",", hint: `Choose from ${all.join(", ")}.` },
  schema: { type: "string", examples: [all.slice(0, 2).join(",")] },
  read: (given) => given.split(",").map((word) => word.trim()),
});

/** Any number of values, each of which a form sends by itself: `name[]`. */
export const list = <T>(item: Kind<T>): Kind<readonly T[]> => ({
  ...{ value: z.array(item.value).readonly(), schema: { type: "array", items: item.schema }, control: item.control },
  ...{ item, read: item.read },
  ...(item.isSecret ? { isSecret: true } : {}),
});
