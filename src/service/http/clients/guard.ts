// Decides which requests need a key or have limits, and which clients can delete a file.

import { d1Usage } from "../../keys/d1-usage.ts";
import { countedName, limiterOf } from "../../keys/durable-limiter.ts";
import type { UsageCollector } from "../../keys/usage-collector.ts";
import type { UsageRecords } from "../../ports/usage.ts";
import { regionsOf } from "../../regions/regions.ts";
import type { Config, Env } from "../../settings/config.ts";
import type { DeletePolicy } from "../../storage/file-policy.ts";
import type { Quota } from "../../storage/uploads/one-time-uploads.ts";
import { noRegion, type ServiceError, uploadElsewhere } from "../contract/errors.ts";
import { FOREIGN_PATHS, ONE_TIME_PATH, TUS_PATH } from "../contract/paths.ts";
import { Admission, type AdmissionOptions, checkLimits } from "./admission.ts";
import { clientAt, clientIdOfKey, createDeletePolicy, DELETE_TOKEN_HEADER, passwordIn, requireKey } from "./auth.ts";

export interface GuardOptions extends Pick<AdmissionOptions, "operation" | "isJob" | "waitUntil" | "log"> {
  readonly request: Request;
  /** Path of the request. */
  readonly path: string;
  readonly env: Env;
  readonly config: Config;
  readonly collector: UsageCollector;
}

export const usageOf = ({ USAGE_RECORDS, USAGE }: Env): UsageRecords | undefined =>
  USAGE_RECORDS ?? (USAGE && d1Usage(USAGE));

/** Reports whether a request needs a key in the keyed variant. */
const isGuarded = (method: string, path: string) =>
  (method === "POST" && !path.startsWith(`${ONE_TIME_PATH}/`)) ||
  (path.startsWith(`${TUS_PATH}/`) && method !== "OPTIONS");

/**
 * Returns the admission of a request, which is not counted yet; undefined if the request needs no admission.
 * @throws ServiceError 401; 403 or 503 if the key is bound, and the request is not carried out in its regions
 */
export async function createAdmission(guarded: GuardOptions): Promise<Admission | undefined> {
  const { request, path, env, config, collector, ...others } = guarded;
  if (!isGuarded(request.method, path)) return undefined;
  const usage = { collector, records: usageOf(env) };
  const common = { ...others, bodyBytes: bodyBytesOf(request, env), usage };
  if (config.variant === "keyed") {
    const takesPassword = config.servesGotenberg && path.startsWith(FOREIGN_PATHS);
    const sent = request.headers.get("Api-Key") ?? (takesPassword ? passwordIn(request.headers) : undefined);
    const key = await requireKey(sent, env.API_KEYS);
    if (key.record.regions && env.BOUND === undefined) throw unboundRequest(key.record.regions, env);
    const limits = limitsOf(key.record.limits);
    const client = countedName(clientIdOfKey(key), key.record.regions, env);
    return new Admission({ ...common, client, key, ...(limits ? { limits, limiter: limiterOf(env) } : {}) });
  }
  const limits = config.addressLimits;
  if (limits === undefined) return undefined;
  const client = countedName(addressClient(request, env), undefined, env);
  return new Admission({ ...common, client, limits, limiter: limiterOf(env) });
}

/** Returns the error of a bound key's request that is not carried out in its regions. */
function unboundRequest(keyRegions: readonly string[], env: Env): ServiceError {
  const isDeployed = regionsOf(env)?.some(({ name }) => keyRegions.includes(name)) ?? false;
  return isDeployed ? uploadElsewhere() : noRegion();
}

/** Returns the client ID for limits per IP address. */
export function addressClient({ headers }: Request, env: Env): string {
  return `address-${clientAt(headers, env.CLIENT_ADDRESS)}`;
}

/**
 * Counts the body of a request without a key against the quota of another client: the one that created the upload URL.
 * @throws ServiceError 411, 429, 503
 */
export async function admitFile(
  { client, megabytesPerDay }: Quota,
  { request, env, log }: Pick<GuardOptions, "request" | "env" | "log">,
): Promise<void> {
  if (megabytesPerDay === undefined) return;
  const asking = { client, limits: { megabytesPerDay }, limiter: limiterOf(env), log };
  await checkLimits({ ...asking, isJob: false, bodyBytes: bodyBytesOf(request, env) });
}

const limitsOf = (limits: AdmissionOptions["limits"]) =>
  limits && Object.keys(limits).length > 0 ? limits : undefined;

/** @returns undefined if the size of the body is unknown */
function bodyBytesOf({ headers, body }: Request, { LIMITER }: Env): number | undefined {
  const length = headers.get("Content-Length");
  if (length !== null) return Number(length);
  // On Node, every request except GET and HEAD has a body object. In HTTP/1.1, the body is empty if both Content-Length
  // and Transfer-Encoding are missing.
  const isKnown = body === null || (LIMITER !== undefined && !headers.has("Transfer-Encoding"));
  return isKnown ? 0 : undefined;
}

/**
 * Returns the policy that decides which files a request can delete.
 * @throws ServiceError 401 in the keyed variant, if the key is invalid, or the request has neither a key nor a token
 */
export async function authorizeDelete({ headers }: Request, env: Env, { variant }: Config): Promise<DeletePolicy> {
  if (variant === "private") return () => true;
  const apiKey = headers.get("Api-Key");
  if (apiKey === null && headers.has(DELETE_TOKEN_HEADER)) return createDeletePolicy(undefined, headers);
  return createDeletePolicy(clientIdOfKey(await requireKey(apiKey, env.API_KEYS)), headers);
}
