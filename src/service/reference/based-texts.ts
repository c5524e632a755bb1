// Caches texts that contain the base URL of the service. If BASE_URL is not set, the base URL depends on the host name
// of the request. Each text is generated once, independent of the number of host names.

import type { Config } from "../settings/config.ts";

/**
 * Placeholder for the base URL in cached texts. No text contains it by accident, because RFC 2606, 2, reserves the
 * domain.
 */
const PLACEHOLDER = "https://base-url.invalid";
/**
 * Matches characters that HTML, JSON, Markdown or code might escape. If a base URL contains one, the text is generated
 * without the placeholder.
 */
const NOT_PLAIN = /[^\w.:/%~[\]-]/g;

interface Kept {
  readonly text: string;
  /** The last requested base URL and the encoded text for it, because encoding takes most of the response time. */
  readonly last: { readonly baseUrl: string; readonly bytes: Uint8Array<ArrayBuffer> };
}

const cache = new Map<string, Kept>();

/** @param write returns the text for a base URL. The text must depend only on base URL, path and settings */
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
