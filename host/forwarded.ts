// Finds the client's address and the service's public address behind proxies, from the headers that trusted proxies
// add. Does not read what anybody else may have put there.

import type { IncomingHttpHeaders } from "node:http";

export interface Forwarded {
  readonly address: string | undefined;
  /** Public origin of the service. @default that of the request */
  readonly origin?: string;
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** @param proxies number of trusted proxies, of which each appends one entry to the headers */
export function readForwarded(headers: IncomingHttpHeaders, peer: string | undefined, proxies: number): Forwarded {
  if (proxies === 0) return { address: peer };
  const address = withoutPort(entry(headers["x-forwarded-for"], proxies)) ?? peer;
  const host = entry(headers["x-forwarded-host"], proxies) ?? headers.host;
  const scheme = entry(headers["x-forwarded-proto"], proxies);
  const origin = `${scheme}://${host}`;
  const isKnown = (scheme === "http" || scheme === "https") && HOST.test(host ?? "") && URL.canParse(origin);
  return { address, ...(isKnown ? { origin } : {}) };
}

/** Some proxies add the port, which is another one for each connection of a client. */
function withoutPort(address: string | undefined): string | undefined {
  const [, inBrackets, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/.exec(address ?? "") ?? [];
  return inBrackets ?? v4 ?? address;
}

/** Returns what the outermost trusted proxy added; one that replaces the header leaves fewer entries. */
function entry(header: string | readonly string[] | undefined, proxies: number): string | undefined {
  const entries = [header ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
  return entries.at(-proxies) ?? entries[0];
}
