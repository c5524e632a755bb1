// Sets security headers and CORS headers.

import type { Context, MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Config } from "../../settings/config.ts";

const SECURITY: Readonly<Record<string, string>> = {
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};
/** Content-Security-Policy of responses that are not HTML pages. Pages set their own policy. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'";
const YEAR_SECONDS = 31_536_000;
/** Lifetime of preflight responses: no browser caches them for longer. */
const PREFLIGHT_SECONDS = 7200;

const ALLOWED_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const EXPOSED = [
  ...["Allow", "Content-Disposition", "Content-Range", "Accept-Ranges", "ETag", "Error", "Link", "Location"],
  ...["Deprecation", "Sunset"],
  ...["Delete-Token", "Idempotent-Replayed", "Notices", "Output-Id", "Preference-Applied", "Server-Timing"],
  ...["RateLimit", "RateLimit-Policy", "Retry-After", "Traceparent", "Tracestate", "X-Request-Id"],
  ...["Tus-Resumable", "Tus-Version", "Tus-Extension", "Tus-Max-Size", "Tus-Checksum-Algorithm"],
  ...["Upload-Offset", "Upload-Length", "Upload-Metadata", "Upload-Expires"],
];

/** @param isSecure true if clients use https */
export function setSecurityHeaders({ headers, status }: Response, isSecure: boolean): void {
  const isPage = (headers.get("Content-Type") ?? "").startsWith("text/html");
  // A browser applies the policy of a 304 response to its cached page, so the policy for other responses must not be
  // added.
  const hasPolicy = isPage || status === 304;
  const fields = {
    ...SECURITY,
    ...(hasPolicy ? {} : { "Content-Security-Policy": NO_PAGE }),
    ...(isSecure ? { "Strict-Transport-Security": `max-age=${YEAR_SECONDS}` } : {}),
  };
  for (const [name, value] of Object.entries(fields)) if (!headers.has(name)) headers.set(name, value);
}

type Configured = { Variables: { config: Config } };

/**
 * Responds to preflight requests, and allows requests from the configured origins. Does nothing if no origins are
 * configured.
 */
export function corsMiddleware(): MiddlewareHandler<Configured> {
  const allow = cors({
    origin: (origin, c) => {
      const { corsOrigins = [] } = (c as Context<Configured>).get("config");
      return corsOrigins.includes("*") ? "*" : corsOrigins.includes(origin) ? origin : null;
    },
    allowMethods: ALLOWED_METHODS,
    exposeHeaders: EXPOSED,
    maxAge: PREFLIGHT_SECONDS,
  });
  return async (c, next) => {
    // An OPTIONS request that is not a preflight, for example from a tus client, is for the service itself.
    const isOwn = c.req.method === "OPTIONS" && c.req.header("Access-Control-Request-Method") === undefined;
    return c.get("config").corsOrigins === undefined || isOwn ? next() : allow(c, next);
  };
}
