// Caches texts that contain the base URL of the service, which differs between requests unless it is configured. Each
// text is generated once, for any number of host names.

import type { Config } from "../settings/config.ts";

/** Placeholder for the base URL in cached texts. RFC 2606, 2, reserves the name, so no text contains it by accident. */
const PLACEHOLDER = "https://base-url.invalid";
/**
 * Matches characters that HTML, JSON, Markdown or code might escape. A base URL with such a character is not
 * substituted.
 */
const NOT_PLAIN = /[^\w.:/%~[\]-]/g;

interface Kept {
  readonly text: string;
  /** The last requested base URL and its text: encoding takes most of the response time. */
  readonly last: { readonly baseUrl: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

const cache = new Map<string, Kept>();

/** @param write returns the text for a base URL; the text depends only on the base URL, path and settings */
export function basedText(
  path: string,
  { config, baseUrl }: { readonly config: Config; readonly baseUrl: string },
  write: (baseUrl: string) => string,
): Uint8Array<ArrayBuffer> {
  const name = `${path} ${JSON.stringify(config)}`;
  const known = cache.get(name);
  if (known?.last.baseUrl === baseUrl) return known.last.bytes;
  const text = known?.text ?? write(config.baseUrl ?? PLACEHOLDER);
  const based = config.baseUrl === undefined ? text.replaceAll(PLACEHOLDER, () => plain(baseUrl)) : text;
  const bytes = new TextEncoder().encode(based) as Uint8Array<ArrayBuffer>;
  cache.set(name, { text, last: { baseUrl, bytes } });
  return bytes;
}

const plain = (baseUrl: string): string =>
  baseUrl.replace(NOT_PLAIN, (character) => `%${character.charCodeAt(0).toString(16)}`);
