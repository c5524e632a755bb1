// The health of the service, as Gotenberg reports it.

import type { Readiness } from "../service/http/health/readiness.ts";

/** The version whose routes are served. Clients compare it with the versions that they know. */
export const GOTENBERG_VERSION = "8.36.0";

/** Names of engines, by the names of modules. */
const MODULES = { chromium: "chromium", libreoffice: "office" };

export function foreignHealth({ status, engines }: Readiness): { readonly isUp: boolean; readonly body: object } {
  const timestamp = new Date().toISOString();
  const about = (isUp: boolean) => ({ status: isUp ? "up" : "down", timestamp });
  const details = Object.entries(MODULES).flatMap(([name, engine]) => {
    const state = engines[engine]?.state;
    return state === undefined || state === "off" ? [] : [[name, about(state !== "failed")] as const];
  });
  const isUp = status === "OK";
  return { isUp, body: { status: isUp ? "up" : "down", details: Object.fromEntries(details) } };
}
