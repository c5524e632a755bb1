// Reads the client's IP address and the service's public origin from the X-Forwarded headers of trusted proxies.
// Ignores entries that clients could have forged.

import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

export interface Forwarded {
  readonly address: string | undefined;
  /** True if the address can be that of a proxy, which hides its clients. @default false */
  readonly isProxy?: boolean;
  /** Public origin of the service. @default the origin of the request */
  readonly origin?: string;
}

const HOST = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i;

/** Names of headers that proxies add (RFC 7239; RFC 9110, 7.6.3). */
const PROXY_HEADERS =
  /^(?:via|forwarded|cdn-loop|x-real-ip|x-(?:forwarded|original|envoy)-.*|.*(?:client|connecting)-ip)$/;

/** @param proxies number of trusted proxies, each of which appends one entry to the headers */
export function readForwarded(headers: IncomingHttpHeaders, peer: string | undefined, proxies: number): Forwarded {
  if (proxies === 0) {
    const isProxy = peer === undefined || Object.keys(headers).some((name) => PROXY_HEADERS.test(name));
    return { address: peer, ...(isProxy ? { isProxy } : {}) };
  }
  const address = withoutPort(entry(headers["x-forwarded-for"], proxies)) ?? peer;
  // Without an address for each proxy, one of them does not tell its client's. Some send `unknown` (RFC 7239, 6.2).
  const isProxy = entriesOf(headers["x-forwarded-for"]).length < proxies || isIP(address ?? "") === 0;
  const host = entry(headers["x-forwarded-host"], proxies) ?? headers.host;
  const scheme = entry(headers["x-forwarded-proto"], proxies);
  const origin = `${scheme}://${host}`;
  const isKnown = (scheme === "http" || scheme === "https") && HOST.test(host ?? "") && URL.canParse(origin);
  return { address, ...(isProxy ? { isProxy } : {}), ...(isKnown ? { origin } : {}) };
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
  const entries = entriesOf(header);
  return entries.at(-proxies) ?? entries[0];
}

const entriesOf = (header: string | readonly string[] | undefined): string[] =>
  [header ?? []]
    .flat()
    .join(",")
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
