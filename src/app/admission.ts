// Admits requests: checks keys and limits, records usage, and sets the policy of stored files.

import { endpoints, routes } from "../endpoints/index.ts";
import { FOREIGN_ROUTES } from "../gotenberg/routes.ts";
import { OTHER_OPERATION } from "../service/http/clients/admission.ts";
import { clientIdOfKey, createDeletePolicy } from "../service/http/clients/auth.ts";
import { createAdmission } from "../service/http/clients/guard.ts";
import { lifetimeOf } from "../service/http/clients/lifetime.ts";
import { storingOf } from "../service/http/clients/storing.ts";
import type { ClientHooks } from "../service/http/contract/endpoint.ts";
import { ServiceError } from "../service/http/contract/errors.ts";
import { REPLAYED_HEADER } from "../service/http/pipeline/idempotency.ts";
import { limiterOf } from "../service/keys/durable-limiter.ts";
import type { UsageCollector } from "../service/keys/usage-collector.ts";
import { CLIENT_CLOSED_REQUEST } from "../service/ports/completed-request.ts";
import type { Config } from "../service/settings/config.ts";
import type { FilePolicy } from "../service/storage/file-policy.ts";
import { openStore } from "../service/storage/regional-store.ts";
import type { Store, StoreOptions } from "../service/storage/store.ts";
import type { Storing } from "../service/storage/stored-bytes.ts";
import type { Quota } from "../service/storage/uploads/one-time-uploads.ts";
import { type App, idsOf, log, type RequestContext, retiredIn } from "./context.ts";

const operations = new Set([...endpoints, ...routes].map(({ path }) => path));
const jobs = new Set([...endpoints, ...FOREIGN_ROUTES].map(({ path }) => path));

/** Checks keys and limits, and records usage. */
export function addAdmission(app: App, collector: UsageCollector): void {
  app.use(async (c, next) => {
    const { path } = c.req;
    const start = `/${path.split("/")[1]}`;
    const admission = await createAdmission({
      ...{ request: c.req.raw, path, env: c.env, config: c.get("config"), collector },
      operation: operations.has(start) ? start.slice(1) : OTHER_OPERATION,
      isJob: jobs.has(path),
      waitUntil: (work) => c.executionCtx.waitUntil(work),
      log: (message, details) => log(idsOf(c), message, details),
    });
    if (!admission) return next();
    c.set("admission", admission);
    let status = CLIENT_CLOSED_REQUEST;
    try {
      await admission.admit();
      await next();
      status = c.res.status;
    } catch (error) {
      if (error instanceof ServiceError) status = error.status;
      throw error;
    } finally {
      admission.complete(status);
    }
    // A replayed response already contains the delete token of the request that stored the files.
    const isOwn = c.res.ok && !c.res.headers.has(REPLAYED_HEADER);
    const headers = { ...admission.headers, ...(isOwn ? admission.tokenHeaders : {}) };
    for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  });
}

/**
 * Returns the policy of the client's files, and the counter for their bytes.
 * @throws ServiceError 400
 */
export function filePolicyOf(c: RequestContext): Pick<StoreOptions, "storing"> & { marks(): FilePolicy } {
  const { config, admission } = c.var;
  const lifetimeMs = lifetimeOf(c.req.raw.headers, config, admission?.key?.record);
  const marks = () => ({
    ...admission?.newFilePolicy(),
    ...(lifetimeMs === undefined ? {} : { expires: Date.now() + lifetimeMs }),
  });
  const end = () => (lifetimeMs === undefined ? endOf(config) : Date.now() + lifetimeMs);
  return { marks, storing: admission?.storing(end) };
}

/** Returns a function that counts a file against the client's limits when a third party uploads it to an upload URL. */
export function storingFor(c: RequestContext, quota: Quota | undefined, { expires }: FilePolicy): Storing | undefined {
  if (quota === undefined) return undefined;
  const { client, ...limits } = quota;
  const counting = {
    ...{ client, limits, limiter: limiterOf(c.env) },
    waitUntil: (work: Promise<unknown>) => c.executionCtx.waitUntil(work),
    log: (message: string, details: Record<string, unknown>) => log(idsOf(c), message, details),
  };
  return storingOf(counting, () => expires ?? endOf(c.get("config")));
}

/** Returns the expiry of a file stored now, in milliseconds since 1970; undefined if files never expire. */
export const endOf = ({ fileLifetimeMs }: Config): number | undefined =>
  fileLifetimeMs > 0 ? Date.now() + fileLifetimeMs : undefined;

/** Returns the storage options that apply a policy to new files and count their bytes for the client. */
export const fileOptions = (
  c: RequestContext,
  policy: Pick<StoreOptions, "marks" | "storing"> = {},
): Omit<StoreOptions, "lifetimeMs"> => ({
  ...policy,
  received: (bytes) => c.var.admission?.countReceived(bytes),
  retired: (files) => retiredIn(c, files),
});

export const createRequestStore = (c: RequestContext, policy?: Parameters<typeof fileOptions>[1]): Store =>
  openStore(c.env, { lifetimeMs: c.get("config").fileLifetimeMs, ...fileOptions(c, policy) });

export const anyone = () => true;

export function clientHooksOf({ req, var: { admission } }: RequestContext): ClientHooks | undefined {
  if (!admission) return undefined;
  const { key } = admission;
  return {
    countProduced: (bytes) => admission.countProduced(bytes),
    countTokens: (tokens) => admission.countTokens(tokens),
    retain: () => admission.retain(),
    tokenHeaders: () => admission.tokenHeaders,
    mayDelete: key ? createDeletePolicy(clientIdOfKey(key), req.raw.headers) : anyone,
    mayUse: (operation) => key?.record.scopes?.includes(operation) ?? true,
  };
}
