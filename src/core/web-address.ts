// The address of a web page as a client gives it, and as it is kept: in a file of its own, an internet shortcut, so that a page
// has an id like any other input. Which places may be visited is not decided here.

import { LIMITS } from "./limits.ts";

const HEADING = "[InternetShortcut]";

/**
 * @returns the address as the client wrote it, for that is what errors show, or in its canonical form where it holds spaces or
 * line ends; undefined where it is none of a web page, or holds a name or a password
 */
export function webAddress(text: string): string | undefined {
  if (text.length > LIMITS.addressLength || !URL.canParse(text)) return undefined;
  const { protocol, username, password, href } = new URL(text);
  if (!["http:", "https:"].includes(protocol) || username !== "" || password !== "") return undefined;
  return /^[^\s\p{Cc}]+$/u.test(text) ? text : href;
}

export const SHORTCUT_TYPE = "application/internet-shortcut";

/** @param address as {@link webAddress} gives it: it has neither spaces nor line ends */
export function shortcutTo(address: string): Uint8Array {
  return new TextEncoder().encode(`${HEADING}\r\nURL=${address}\r\n`);
}

export const shortcutName = (address: string) => `${new URL(address).hostname}.url`;

export const isShortcut = (text: string) => text.startsWith(HEADING);

/** @returns undefined for what is no shortcut to a web page */
export function addressIn(shortcut: string): string | undefined {
  const line = isShortcut(shortcut) ? /^URL=(.*)$/m.exec(shortcut)?.[1] : undefined;
  return line === undefined ? undefined : webAddress(line.trim());
}
