// Secret files, such as private keys. A form contains the file, and a JSON body its text, or base64 of a binary file.
// Unlike the documents of a request, they are never stored.
import * as z from "zod";
import { LIMITS } from "../limits.ts";
import type { Kind } from "../parameter.ts";

const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/;

/** @param file description of the file */
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
