// Reads the client's IP address and the service's public origin from the X-Forwarded headers of trusted proxies.
// Ignores entries that clients could have forged.

import type { IncomingHttpHeaders } from "node:http";

export interface Forwarded {
  readonly address: string | undefined;
  /** True if the address is that of a proxy that is not trusted. @default false */
  readonly isProxy?: boolean;
  /** Public origin of the service. @default the origin of the request */
  readonly origin?: string;
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Headers that proxies add (RFC 7239; RFC 9110, 7.6.3). */
const PROXY_HEADERS = ["x-forwarded-for", "x-real-ip", "forwarded", "via"];

/** @param proxies number of trusted proxies, each of which appends one entry to the headers */
export function readForwarded(headers: IncomingHttpHeaders, peer: string | undefined, proxies: number): Forwarded {
  if (proxies === 0) {
    const isProxy = PROXY_HEADERS.some((name) => headers[name] !== undefined);
    return { address: peer, ...(isProxy ? { isProxy } : {}) };
  }
  const address = withoutPort(entry(headers["x-forwarded-for"], proxies)) ?? peer;
  const host = entry(headers["x-forwarded-host"], proxies) ?? headers.host;
  const scheme = entry(headers["x-forwarded-proto"], proxies);
  const origin = `${scheme}://${host}`;
  const isKnown = (scheme === "http" || scheme === "https") && HOST.test(host ?? "") && URL.canParse(origin);
  return { address, ...(isKnown ? { origin } : {}) };
}

/** Removes the port from an address. Some proxies append it, but it differs between connections of the same client. */
function withoutPort(address: string | undefined): string | undefined {
  const [, inBrackets, v4] = /^(?:\[([^\]]+)\](?::\d+)?|([^:]+):\d+)$/.exec(address ?? "") ?? [];
  return inBrackets ?? v4 ?? address;
}

/**
 * Returns the entry of the outermost trusted proxy. If a proxy has replaced the header, there are fewer entries than
 * proxies, and the first is used.
 */
function entry(header: string | readonly string[] | undefined, proxies: number): string | undefined {
  const entries = [header ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
  return entries.at(-proxies) ?? entries[0];
}
