// Keeps texts that name the base URL of the service, which differs between requests unless a setting says it. Each text
// is written once, whatever hosts clients name.

import type { Config } from "../settings/config.ts";

/** Stands for the base URL in texts that are kept. The name is reserved (RFC 2606, 2), so no text has it by chance. */
const PLACEHOLDER = "https://base-url.invalid";
/** Characters that stand for themselves in HTML, JSON, Markdown and programs. A host may have others. */
const NOT_PLAIN = /[^\w.:/%~[\]-]/g;

interface Kept {
  readonly text: string;
  /** The base URL that was asked for last, and the text with it: to encode it costs most of an answer. */
  readonly last: { readonly baseUrl: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

const kept = new Map<string, Kept>();

/** @param write returns the text for a base URL; the text depends on nothing else but the path and the settings */
export function basedText(
  path: string,
  { config, baseUrl }: { readonly config: Config; readonly baseUrl: string },
  write: (baseUrl: string) => string,
): Uint8Array<ArrayBuffer> {
  const name = `${path} ${JSON.stringify(config)}`;
  const known = kept.get(name);
  if (known?.last.baseUrl === baseUrl) return known.last.bytes;
  const text = known?.text ?? write(config.baseUrl ?? PLACEHOLDER);
  const based = config.baseUrl === undefined ? text.replaceAll(PLACEHOLDER, () => plain(baseUrl)) : text;
  const bytes = new TextEncoder().encode(based) as Uint8Array<ArrayBuffer>;
  kept.set(name, { text, last: { baseUrl, bytes } });
  return bytes;
}

const plain = (baseUrl: string): string =>
  baseUrl.replace(NOT_PLAIN, (character) => `%${character.charCodeAt(0).toString(16)}`);
