// Languages as parameters.
import * as z from "zod";
import { type Kind, UnreadableText } from "../parameter.ts";

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

/** A language of ISO 639, with a script, a region, or neither. */
const TARGET = /^[a-z]{2,3}(?:-(?:[a-z]{4}|[a-z]{2}|\d{3}))?$/i;

/** Returns a language with its English name, such as `Portuguese (Brazil)`; undefined if no language has this tag. */
export function languageOf(text: string): { readonly tag: string; readonly name: string } | undefined {
  if (!TARGET.test(text)) return undefined;
  const [tag = ""] = Intl.getCanonicalLocales(text);
  const [language = "", subtag] = tag.split("-");
  const nameOf = (code: string, type: "language" | "region" | "script") =>
    new Intl.DisplayNames("en", { type, fallback: "none" }).of(code);
  const name = nameOf(language, "language");
  if (subtag === undefined || name === undefined) return name === undefined ? undefined : { tag, name };
  const part = nameOf(subtag, subtag.length === 4 ? "script" : "region");
  return part === undefined ? undefined : { tag, name: `${name} (${part})` };
}

/** A language that a text can be translated to: a code of ISO 639 of 2 or 3 letters, and at most one subtag. */
export const targetLanguage: Kind<string> = {
  value: z.string().refine((tag) => languageOf(tag) !== undefined),
  schema: { type: "string", examples: ["de", "en-US", "zh-Hant", "es-419"] },
  control: "text",
  read(text) {
    const language = languageOf(text.trim());
    if (!language) throw new UnreadableText("no-language");
    return language.tag;
  },
};
