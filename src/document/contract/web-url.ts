// Validates the URL of a web page, and converts it to and from an internet shortcut: a file that stores the URL, so
// that a web page has a file ID like any other input. `container/engines/chromium/network/web-addresses.ts` decides
// which sites are allowed.

import { LIMITS } from "./limits.ts";

/** Error messages for rejected URLs. */
export const NOT_AN_ADDRESS =
  "It must be an address that begins with http:// or https://, without a user name and a password.";
export const NOT_PUBLIC =
  "It leads to a place that is not public, which only the operator of the service can allow (URL_ALLOW).";

const HEADING = "[InternetShortcut]";

/**
 * Returns the URL unchanged, because error messages quote it. A URL with spaces or control characters is returned in
 * its canonical form.
 * @returns undefined if the text is not a web URL, or if the URL contains a user name or password
 */
export function parseWebUrl(text: string): string | undefined {
  if (text.length > LIMITS.addressLength || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (!["http:", "https:"].includes(protocol) || username !== "" || password !== "") return undefined;
  return /^[^\s\p{Cc}]+$/u.test(text) ? text : href;
}

/** Names outside the public DNS: RFC 6761, 6762, 8375, 9476 and ICANN's `internal`. */
const NOT_PUBLIC_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|private|home|lan|corp|invalid|test|example|onion|alt|arpa)$/;

/**
 * Reports whether a host can be public. Its IP address is checked later.
 * @param host canonical, as in the URL standard
 */
export function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, "");
  return /\.[a-z][a-z0-9-]*$/.test(name) && !NOT_PUBLIC_NAME.test(name);
}

/** Reports whether a host is an IP address. @param host canonical, as in the URL standard */
export const isNumber = (host: string): boolean => host.startsWith("[") || /(^|\.)\d+$/.test(host);

/** Reports whether a Content-Type belongs to a web page. */
export const isPage = (type: string): boolean => /^(text\/html|application\/xhtml\+xml)\b/i.test(type);

export const SHORTCUT_TYPE = "application/internet-shortcut";

/**
 * @param address a result of {@link parseWebUrl}, without spaces or line breaks
 * @param kept the name under which the container keeps the response of the address for the job
 */
export function shortcutTo(address: string, kept = ""): Uint8Array {
  return new TextEncoder().encode(`${HEADING}\r\nURL=${address}\r\n${kept === "" ? "" : `Kept=${kept}\r\n`}`);
}

export const shortcutName = (address: string) => `${new URL(address).hostname}.url`;

export const isShortcut = (text: string) => text.startsWith(HEADING);

/** A web page: its address, and the name of its kept response, if there is one. */
interface AddressedPage {
  readonly url: string;
  readonly kept?: string;
}

/** @returns undefined if the text is not a shortcut to a web page */
export function addressIn(shortcut: string): AddressedPage | undefined {
  const line = isShortcut(shortcut) ? /^URL=(.*)$/m.exec(shortcut)?.[1] : undefined;
  const url = line === undefined ? undefined : parseWebUrl(line.trim());
  const [, kept] = /^Kept=([\da-f-]{36})\s*$/m.exec(shortcut) ?? [];
  return url === undefined ? undefined : { url, ...(kept === undefined ? {} : { kept }) };
}
