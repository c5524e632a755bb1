// The health of the service, as Gotenberg reports it.

import type { Readiness } from "../service/http/health/readiness.ts";

/** The version whose routes are served. Clients compare it with the versions that they know. */
export const GOTENBERG_VERSION = "8.36.0";

const MODULES = ["chromium", "libreoffice"];

export function foreignHealth({ status, engines }: Readiness): { readonly isUp: boolean; readonly body: object } {
  const timestamp = new Date().toISOString();
  const about = (isUp: boolean) => ({ status: isUp ? "up" : "down", timestamp });
  const details = MODULES.flatMap((name) => {
    const state = engines[name]?.state;
    return state === undefined || state === "off" ? [] : [[name, about(state !== "failed")] as const];
  });
  const isUp = status === "OK";
  return { isUp, body: { status: isUp ? "up" : "down", details: Object.fromEntries(details) } };
}
