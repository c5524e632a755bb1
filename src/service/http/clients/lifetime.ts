// Parses the file lifetime that a client requests.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { KeyRecord } from "../../ports/api-key.ts";
import type { Config } from "../../settings/config.ts";
import { outOfRange } from "../contract/errors.ts";

export const LIFETIME_HEADER = "File-Lifetime";
const HOUR_MS = 3_600_000;

/**
 * Returns the lifetime of the request's files in milliseconds; undefined if the service's default lifetime applies.
 * @throws ServiceError 400
 */
export function lifetimeOf(headers: Headers, { fileLifetimeMs }: Config, key?: KeyRecord): number | undefined {
  const ofKey = key?.fileLifetimeHours === undefined ? Infinity : key.fileLifetimeHours * HOUR_MS;
  const ofAll = fileLifetimeMs > 0 ? fileLifetimeMs : Infinity;
  const text = headers.get(LIFETIME_HEADER);
  if (text === null) return ofKey < ofAll ? ofKey : undefined;
  const lifetimeMs = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Number.NaN;
  if (lifetimeMs >= LIMITS.fileLifetimeSeconds * 1000 && lifetimeMs <= Math.min(ofKey, ofAll)) return lifetimeMs;
  throw outOfRange(LIFETIME_HEADER, text);
}
