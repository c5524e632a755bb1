// Keeps web pages from using the service in the name of whoever visits them: pages of other origins (CSRF), and pages
// whose own name leads here for a moment (DNS rebinding). Without a key, nothing else tells them from the client.
// Programs that are no browsers send none of the headers.

import { isNumber } from "../../../document/contract/web-url.ts";
import type { Config } from "../../settings/config.ts";
import { foreignOrigin, type ServiceError, unknownHost } from "../contract/errors.ts";
import { MCP_PATH } from "../contract/paths.ts";

type Callers = Pick<Config, "variant" | "hosts" | "checksHost" | "corsOrigins" | "baseUrl">;

/** Methods that make nothing. Pages of other origins may show what these return, and cannot read it. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Values of Sec-Fetch-Site in requests that no page of another origin makes. A page cannot set the header. */
const OWN_SITES: ReadonlySet<string | null> = new Set(["same-origin", "none"]);

/** Agents' path checks its callers in every variant, and by every method (MCP, "Security Warning" of its transports). */
const isChecked = (path: string, { variant }: Callers) => variant === "private" || path === MCP_PATH;
const isRead = (method: string, path: string) => SAFE.has(method) && path !== MCP_PATH;

/**
 * @param asked address of the request, as the client wrote it
 * @throws ServiceError 403
 */
export function refuseWebPages({ method, headers }: Request, asked: URL, path: string, config: Callers): void {
  if (!isChecked(path, config)) return;
  if (config.checksHost && !isKnownHost(asked.hostname, config)) throw unknownHost();
  if (!isRead(method, path) && !isInvited(headers, asked, config)) throw foreignOrigin();
}

/** Returns the errors of a path that {@link refuseWebPages} throws. */
export function refusalsOf(method: string, path: string, config: Callers): readonly ServiceError[] {
  if (!isChecked(path, config)) return [];
  const origin = isRead(method.toUpperCase(), path) ? [] : [foreignOrigin()];
  return config.checksHost ? [unknownHost(), ...origin] : origin;
}

/** Reports whether no page sent a request, or one that may: a page of the service, or of an origin that is listed. */
function isInvited(headers: Headers, asked: URL, config: Callers): boolean {
  const { corsOrigins = [] } = config;
  const site = headers.get("Sec-Fetch-Site");
  const origin = headers.get("Origin");
  if (corsOrigins.includes("*") || OWN_SITES.has(site)) return true;
  if (origin === null) return site === null;
  return corsOrigins.includes(origin) || isOwn(origin, asked, config);
}

/** The scheme does not count: a proxy in front may have ended TLS. */
function isOwn(origin: string, asked: URL, config: Callers): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, host, hostname } = new URL(origin);
  const isHostOf = ({ host: other }: URL) => new URL(`${protocol}//${other}`).host === host;
  if (config.baseUrl !== undefined && isHostOf(new URL(config.baseUrl))) return true;
  return isHostOf(asked) && isKnownHost(hostname, config);
}

/** Reports whether the service has a name. Numbers are safe: nobody can make them lead elsewhere. */
export function isKnownHost(hostname: string, { hosts }: Pick<Callers, "hosts">): boolean {
  const name = hostname.replace(/\.$/, "");
  if (hosts === undefined || hosts.includes("*") || hosts.includes(name)) return true;
  return isNumber(name) || /(^|\.)localhost$/.test(name);
}
