// Defines the context that the handlers of a request share, and the IDs that identify the request in the log.
import type { Context, Hono } from "hono";
import { logLine } from "../runtime/log-line.ts";
import type { Admission } from "../service/http/clients/admission.ts";
import type { Timing } from "../service/http/contract/timing.ts";
import type { RequestTrace } from "../service/http/traces/request-trace.ts";
import { limiterOf } from "../service/keys/durable-limiter.ts";
import { homeOf } from "../service/regions/region-tag.ts";
import type { Config, Env } from "../service/settings/config.ts";
import { type CountedFile, giveBackFiles } from "../service/storage/stored-bytes.ts";

type Variables = {
  requestId: string;
  config: Config;
  timing: Timing;
  trace: RequestTrace | undefined;
  admission?: Admission;
  /** The error because of which the request has no region. */
  routingError?: unknown;
};
type Bindings = { Bindings: Env; Variables: Variables };
export type App = Hono<Bindings>;
export type RequestContext = Context<Bindings>;

/** Returns the base URL of the service, with which all URLs in responses start. Example: `https://api.example.com`. */
export const baseUrl = ({ var: { config }, req }: RequestContext): string =>
  config.baseUrl ?? new URL(req.raw.url).origin;

/** Subtracts the bytes of deleted files from the client's storage limit. */
export async function retiredIn(c: RequestContext, files: readonly CountedFile[]): Promise<void> {
  // The bytes of a file count in its region.
  for (const [region, all] of Map.groupBy(files, ({ id }) => homeOf(id, c.env)?.region)) {
    const limiter = limiterOf(region ? { ...c.env, REGION: region.name } : c.env);
    await giveBackFiles(all, limiter).catch((error) => {
      log(idsOf(c), "limiter unavailable", { error: String(error) });
    });
  }
}

/** Returns the IDs that each log line of a request contains. */
export function idsOf(c: RequestContext): { readonly requestId: string; readonly traceId?: string } {
  const trace = c.get("trace");
  return { requestId: c.get("requestId"), ...(trace ? { traceId: trace.traceId } : {}) };
}

export function log(
  ids: Partial<ReturnType<typeof idsOf>>,
  message: string,
  details: Record<string, unknown> = {},
): void {
  console.log(logLine(ids, message, details));
}
