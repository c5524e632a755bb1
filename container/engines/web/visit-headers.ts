// Chooses the headers of a request that looks like the visit of the browser: its user agent, cookies and headers.

import type { PageCookie, PageVisit } from "../../../src/document/contract/parameters/web-page.ts";

/** @param place the URL of the request, and the only origin that receives the headers of the visit */
export function headersOfVisit(
  { cookies = [], headers = {}, userAgent }: PageVisit,
  { url, origin }: { readonly url: URL; readonly origin: string },
): Readonly<Record<string, string>> {
  const sent = cookies.filter((cookie) => isFor(cookie, url)).map(({ name, value }) => `${name}=${value}`);
  return {
    ...(userAgent === undefined ? {} : { "User-Agent": userAgent }),
    ...(url.origin === origin ? encoded(headers) : {}),
    ...(sent.length === 0 ? {} : { Cookie: sent.join("; ") }),
  };
}

/**
 * Adds the cookies of a response to those of a visit (RFC 6265, 5.3), for the requests to which it redirects. Leaves out
 * their expiry: they are kept only until then.
 * @param set values of the header Set-Cookie
 */
export function addCookies(cookies: PageCookie[], set: readonly string[], { hostname, pathname }: URL): void {
  for (const line of set) {
    const [, name, value, rest] = /^\s*([^=;\s]+)\s*=\s*([^;]*?)\s*((?:;.*)?)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || rest === undefined) continue;
    const attribute = (wanted: string) => new RegExp(`;\\s*${wanted}\\s*=\\s*([^;\\s]+)`, "i").exec(rest)?.[1];
    const domain = attribute("domain")?.replace(/^\./, "").toLowerCase() ?? hostname;
    if (domain !== hostname && !hostname.endsWith(`.${domain}`)) continue;
    const given = attribute("path");
    const path = given?.startsWith("/") ? given : pathname.replace(/(?<=.)\/[^/]*$/, "");
    const others = cookies.filter((one) => one.name !== name || one.domain !== domain || one.path !== path);
    cookies.splice(0, Infinity, ...others, { name, value, domain, path, secure: /;\s*secure\s*(;|$)/i.test(rest) });
  }
}

/** Reports whether a browser sends a cookie to a URL (RFC 6265, 5.4). */
function isFor({ domain, path = "/", secure = false }: PageCookie, { hostname, pathname, protocol }: URL): boolean {
  const host = domain.replace(/^\./, "").toLowerCase();
  const isThere = hostname === host || (hostname.endsWith(`.${host}`) && !/^[\d.]+$/.test(hostname));
  const isBelow = pathname === path || pathname.startsWith(path.endsWith("/") ? path : `${path}/`);
  return isThere && isBelow && (!secure || protocol === "https:");
}

/** Writes the values in UTF-8, as the browser does: Node sends each character as one byte. */
const encoded = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, "utf8").toString("latin1")]),
  );
