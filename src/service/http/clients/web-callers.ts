// Prevents web pages from using the service through their visitors' browsers: pages of other origins (CSRF), and pages
// whose host name temporarily resolves to the service (DNS rebinding). Requests without a key are distinguished only by
// headers that browsers set and other programs do not send.

import { isNumber } from "../../../document/contract/web-url.ts";
import type { Config } from "../../settings/config.ts";
import { foreignOrigin, type ServiceError, unknownHost } from "../contract/errors.ts";
import { FOREIGN_PATHS, MCP_PATH } from "../contract/paths.ts";

type Callers = Pick<Config, "variant" | "hosts" | "checksHost" | "corsOrigins" | "baseUrl">;

/** Methods without side effects. Pages of other origins can display the responses, but cannot read them. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Values of Sec-Fetch-Site for requests that no other origin caused. Browsers set this header; a page cannot change it.
 */
const OWN_SITES: ReadonlySet<string | null> = new Set(["same-origin", "none"]);

/**
 * Reports whether the origin is checked. MCP requires this check for every method, with or without keys (MCP,
 * Transports, "Security Warning"). The routes of Gotenberg accept passwords, which browsers remember and send for any
 * page.
 */
const isChecked = (path: string, { variant }: Callers) =>
  variant === "private" || path === MCP_PATH || path.startsWith(FOREIGN_PATHS);
const isRead = (method: string, path: string) => SAFE.has(method) && path !== MCP_PATH;

/**
 * @param url URL of the request, as the client wrote it
 * @throws ServiceError 403
 */
export function rejectWebPages({ method, headers }: Request, url: URL, path: string, config: Callers): void {
  if (!isChecked(path, config)) return;
  if (config.checksHost && !isKnownHost(url.hostname, config)) throw unknownHost();
  if (!isRead(method, path) && !isInvited(headers, url, config)) throw foreignOrigin();
}

/** Returns the errors that {@link rejectWebPages} can throw for a path. */
export function rejectionsOf(method: string, path: string, config: Callers): readonly ServiceError[] {
  if (!isChecked(path, config)) return [];
  const origin = isRead(method.toUpperCase(), path) ? [] : [foreignOrigin()];
  return config.checksHost ? [unknownHost(), ...origin] : origin;
}

/**
 * Reports whether the request comes from no web page, from a page of the service, or from a page of a listed origin.
 */
function isInvited(headers: Headers, url: URL, config: Callers): boolean {
  const { corsOrigins = [] } = config;
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  if (corsOrigins.includes("*") || OWN_SITES.has(site)) return true;
  if (origin === null) return site === null;
  return corsOrigins.includes(origin) || isOwn(origin, url, config);
}

/** Reports whether an origin is the service's own. Ignores the scheme, because a proxy might have terminated TLS. */
function isOwn(origin: string, url: URL, config: Callers): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  const isHostOf = ({ host: other }: URL) => new URL(`${protocol}//${other}`).host === host;
  if (config.baseUrl !== undefined && isHostOf(new URL(config.baseUrl))) return true;
  return isHostOf(url) && isKnownHost(hostname, config);
}

/** Reports whether this is a host name of the service. Accepts all IP addresses, because DNS rebinding needs a name. */
export function isKnownHost(hostname: string, { hosts }: Pick<Callers, "hosts">): boolean {
  const name = hostname.replace(/\.$/, "");
  if (hosts === undefined || hosts.includes("*") || hosts.includes(name)) return true;
  return isNumber(name) || /(^|\.)localhost$/.test(name);
}
