// Formats log lines. Replaces IDs and tokens that grant access with hashes.

import { createHash } from "node:crypto";
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";

/** IDs of files and of asynchronous jobs, and tokens of upload URLs. */
const CAPABILITY = /[12]?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|[0-9a-f]{64}/gi;
const HASH_DIGITS = 12;

/** Returns the log's substitute for an ID: the first hex digits of its hash. */
export const hashOfId = (id: string): string =>
  createHash("sha256").update(id.toLowerCase()).digest("hex").slice(0, HASH_DIGITS);

/** Logs an event with its details. */
export type Log = (message: string, details?: Record<string, unknown>) => void;

/**
 * @param ids IDs of the request, which grant no access
 * @returns a line of JSON. IDs in the details become hashes in braces
 */
export function logLine(ids: Readonly<Record<string, string>>, message: string, details: object = {}): string {
  const safe = JSON.stringify(details).replace(CAPABILITY, (id) => `{${hashOfId(id)}}`);
  return JSON.stringify({ ...ids, message, ...(JSON.parse(safe) as object) });
}

/** Formats an error for the log. Includes the stack only if the error is unexpected. */
export function describeError(error: unknown): Record<string, unknown> {
  const isKnown = error instanceof EngineFailure || error instanceof OutOfRange;
  return { error: String(error), ...(isKnown ? {} : { stack: (error as Error).stack }) };
}
