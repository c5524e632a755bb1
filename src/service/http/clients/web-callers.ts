// Prevents web pages from using the service with their visitors' access: pages of other origins (CSRF), and pages whose
// host name temporarily resolves to the service (DNS rebinding). Without a key, only the browser's headers distinguish
// such pages from the client; other programs do not send these headers.

import { isNumber } from "../../../document/contract/web-url.ts";
import type { Config } from "../../settings/config.ts";
import { foreignOrigin, type ServiceError, unknownHost } from "../contract/errors.ts";
import { MCP_PATH } from "../contract/paths.ts";

type Callers = Pick<Config, "variant" | "hosts" | "checksHost" | "corsOrigins" | "baseUrl">;

/** Methods without side effects. Pages of other origins can display the responses, but cannot read them. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Values of Sec-Fetch-Site that exclude other origins. A page cannot set the header. */
const OWN_SITES: ReadonlySet<string | null> = new Set(["same-origin", "none"]);

/**
 * The MCP path validates the origin in every variant and for every method (MCP, "Security Warning" of its transports).
 */
const isChecked = (path: string, { variant }: Callers) => variant === "private" || path === MCP_PATH;
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

/** Returns the errors of {@link rejectWebPages} for a path. */
export function rejectionsOf(method: string, path: string, config: Callers): readonly ServiceError[] {
  if (!isChecked(path, config)) return [];
  const origin = isRead(method.toUpperCase(), path) ? [] : [foreignOrigin()];
  return config.checksHost ? [unknownHost(), ...origin] : origin;
}

/** Reports whether the request was not sent by a web page, or by a page of the service or of a listed origin. */
function isInvited(headers: Headers, url: URL, config: Callers): boolean {
  const { corsOrigins = [] } = config;
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  if (corsOrigins.includes("*") || OWN_SITES.has(site)) return true;
  if (origin === null) return site === null;
  return corsOrigins.includes(origin) || isOwn(origin, url, config);
}

/** Ignores the scheme: a proxy might have terminated TLS. */
function isOwn(origin: string, url: URL, config: Callers): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  const isHostOf = ({ host: other }: URL) => new URL(`${protocol}//${other}`).host === host;
  if (config.baseUrl !== undefined && isHostOf(new URL(config.baseUrl))) return true;
  return isHostOf(url) && isKnownHost(hostname, config);
}

/** Reports whether the service has this host name. IP addresses are safe: DNS cannot redirect them. */
export function isKnownHost(hostname: string, { hosts }: Pick<Callers, "hosts">): boolean {
  const name = hostname.replace(/\.$/, "");
  if (hosts === undefined || hosts.includes("*") || hosts.includes(name)) return true;
  return isNumber(name) || /(^|\.)localhost$/.test(name);
}
