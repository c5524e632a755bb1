// Validates the address of a web page, and converts it to and from an internet shortcut: the file that stores it, so
// that a page has an id like any other input. Does not decide which sites may be visited.

import { LIMITS } from "./limits.ts";

/** Sentences for the client on why an address is refused. */
export const NOT_AN_ADDRESS =
  "It must be an address that begins with http:// or https://, without a user name and a password.";
export const NOT_PUBLIC =
  "It leads to a place that is not public, which only the operator of the service can allow (URL_ALLOW).";

const HEADING = "[InternetShortcut]";

/**
 * @returns the address as the client wrote it, because errors show it, or its canonical form if it contains spaces or
 * line ends; undefined if it is not the address of a web page, or contains a user name or a password
 */
export function parseWebUrl(text: string): string | undefined {
  if (text.length > LIMITS.addressLength || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (!["http:", "https:"].includes(protocol) || username !== "" || password !== "") return undefined;
  return /^[^\s\p{Cc}]+$/u.test(text) ? text : href;
}

/** Names that nobody owns on the internet: RFC 6761, 6762, 8375, 9476 and ICANN's `internal`. */
const NOT_PUBLIC_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|private|home|lan|corp|invalid|test|example|onion|alt|arpa)$/;

/**
 * Reports whether a host can be one that everybody reaches, though its address may be anything.
 * @param host canonical, as in the URL standard
 */
export function isPublicName(host: string): boolean {
  const name = host.replace(/\.$/, "");
  return /\.[a-z][a-z0-9-]*$/.test(name) && !NOT_PUBLIC_NAME.test(name);
}

/** Reports whether a host is an address instead of a name. @param host canonical, as in the URL standard */
export const isNumber = (host: string): boolean => host.startsWith("[") || /(^|\.)\d+$/.test(host);

export const SHORTCUT_TYPE = "application/internet-shortcut";

/** @param address a result of {@link parseWebUrl}: it contains neither spaces nor line ends */
export function shortcutTo(address: string): Uint8Array {
  return new TextEncoder().encode(`${HEADING}\r\nURL=${address}\r\n`);
}

export const shortcutName = (address: string) => `${new URL(address).hostname}.url`;

export const isShortcut = (text: string) => text.startsWith(HEADING);

/** @returns undefined if the text is not a shortcut to a web page */
export function addressIn(shortcut: string): string | undefined {
  const line = isShortcut(shortcut) ? /^URL=(.*)$/m.exec(shortcut)?.[1] : undefined;
  return line === undefined ? undefined : parseWebUrl(line.trim());
}
