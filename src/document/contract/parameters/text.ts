// Text, secrets, secret files, and lists.
import * as z from "zod";
import { isAllowed, prepared } from "../../encryption/password-forms.ts";
import { safeName } from "../file-name.ts";
import { LIMITS } from "../limits.ts";
import { type Kind, UnreadableText } from "../parameter.ts";

interface Size {
  /** @default 1 */
  readonly min?: number;
  readonly max: number;
}

/** Counts characters, not UTF-16 code units, as JSON Schema does. */
const isWithin =
  ({ min, max }: Required<Size>) =>
  (given: string): boolean => {
    const length = given.length > 2 * max ? given.length : [...given].length;
    return length >= min && length <= max;
  };

/** Text of limited length, in characters. */
export const text = ({ min = 1, max }: Size): Kind<string> => ({
  ...{ value: z.string().refine(isWithin({ min, max })), control: "text", read: (given) => given },
  schema: { type: "string", minLength: min, maxLength: max },
});

/** Replaces a secret in messages. */
export const SECRET = "The value";

/** A secret of the client. It is never logged, and it is encrypted in the queue. */
export const password = (size: Size): Kind<string> => ({
  ...{ ...text(size), control: "password", isSecret: true },
  schema: { ...text(size).schema, format: "password", writeOnly: true },
});

const NEW_PASSWORD = { min: 6, max: 128 };

/** The current password of a document. */
export const currentPassword = password({ max: 128 });

/** A new password of a document, without control characters. */
export const newPassword: Kind<string> = {
  ...password(NEW_PASSWORD),
  value: z.string().refine(isWithin(NEW_PASSWORD)).refine(isAllowed),
  read(given) {
    if ([...prepared(given)].length < NEW_PASSWORD.min) throw new UnreadableText("too-short");
    return given;
  },
};

const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

/**
 * A secret file, such as a private key. A form contains the file, and a JSON body its text, or base64 of a binary file.
 * Unlike the documents of a request, it is never stored.
 * @param file description of the file
 */
export const secretFile = (file: string): Kind<string> => ({
  ...{ value: z.string().min(1).max(LIMITS.fieldBytes), control: "file", isSecret: true, file, read: (text) => text },
  schema: { type: "string", writeOnly: true },
});

/** Returns the text of a file; base64 of a file that is not UTF-8. */
export function textOfFile(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString("base64");
  }
}

/** Returns the bytes of a file that is text, such as PEM, or binary, such as DER. */
export const bytesOfFile = (text: string): Uint8Array => Buffer.from(text, BASE64.test(text) ? "base64" : "utf8");

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
  ...{
    value: z.array(z.enum(all)).readonly(),
    control: "text",
    joint: ",",
    words: all,
    hint: `Choose from ${all.join(", ")}.`,
  },
  schema: { type: "string", examples: [all.slice(0, 2).join(",")] },
  read: (given) => given.split(",").map((word) => word.trim()),
});

/** A list of values. A form sends one `name[]` field for each value. */
export const list = <T>(item: Kind<T>): Kind<readonly T[]> => ({
  ...{ value: z.array(item.value).readonly(), schema: { type: "array", items: item.schema }, control: item.control },
  ...{ item, read: item.read },
  ...(item.isSecret ? { isSecret: true } : {}),
});
