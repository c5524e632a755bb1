// Keeps texts that name the base URL of the service, which differs between requests unless a setting says it. Each text
// is written once, whatever hosts clients name.

import type { Config } from "../core/config.ts";

/** Stands for the base URL in texts that are kept. The name is reserved (RFC 2606, 2), so no text has it by chance. */
const PLACEHOLDER = "https://base-url.invalid";
/** Characters that stand for themselves in HTML, JSON, Markdown and programs. A host may have others. */
const NOT_PLAIN = /[^\w.:/%~[\]-]/g;

const kept = new Map<string, string>();

/** @param write returns the text for a base URL; the text depends on nothing else but the path and the settings */
export function basedText(
  path: string,
  { config, baseUrl }: { readonly config: Config; readonly baseUrl: string },
  write: (baseUrl: string) => string,
): string {
  const name = `${path} ${JSON.stringify(config)}`;
  const text = kept.get(name) ?? write(config.baseUrl ?? PLACEHOLDER);
  kept.set(name, text);
  return config.baseUrl === undefined ? text.replaceAll(PLACEHOLDER, () => plain(baseUrl)) : text;
}

const plain = (baseUrl: string): string =>
  baseUrl.replace(NOT_PLAIN, (character) => `%${character.charCodeAt(0).toString(16)}`);
