// Text, secrets, and lists.
import * as z from "zod";
import { safeName } from "../file-name.ts";
import type { Kind } from "../parameter.ts";

interface Size {
  /** @default 1 */
  readonly min?: number;
  readonly max: number;
}

/** Text of limited length, in characters. */
export const text = ({ min = 1, max }: Size): Kind<string> => ({
  ...{ value: z.string().min(min).max(max), control: "text", read: (given) => given },
  schema: { type: "string", minLength: min, maxLength: max },
});

/** A secret of the client. It is never logged, and it is encrypted in the queue. */
export const password = (size: Size): Kind<string> => ({ ...text(size), control: "password", isSecret: true });

/** The ID of a stored file. */
export const fileId: Kind<string> = {
  ...{ value: z.string(), schema: { type: "string" }, control: "text", read: (given) => given },
};

/** A file name without extension. Characters that are invalid in file names are removed (docs/api.md#output-names). */
export const fileName: Kind<string> = {
  ...{ value: z.string(), schema: { type: "string" }, control: "text", read: safeName },
};

/** A comma-separated subset of the words. JSON clients can also send an array. */
export const words = <const W extends string>(all: readonly W[]): Kind<readonly W[]> => ({
  ...{ value: z.array(z.enum(all)).readonly(), control: "text", joint: ",", hint: `Choose from ${all.join(", ")}.` },
  schema: { type: "string", examples: [all.slice(0, 2).join(",")] },
  read: (given) => given.split(",").map((word) => word.trim()),
});

/** A list of values. A form sends one `name[]` field for each value. */
export const list = <T>(item: Kind<T>): Kind<readonly T[]> => ({
  ...{ value: z.array(item.value).readonly(), schema: { type: "array", items: item.schema }, control: item.control },
  ...{ item, read: item.read },
  ...(item.isSecret ? { isSecret: true } : {}),
});
